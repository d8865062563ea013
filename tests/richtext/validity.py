"""Which documents are valid, and what exact conversion may make of odd input."""

from __future__ import annotations

from cmsmig.richtext.validate import problems

EXACT_MAY: dict[str, str] = {}
"""What the official converter writes though its own schema does not know it, by
the end of a problem's sentence, and from which source."""


def faults(document: object, *, exact: bool) -> list[str]:
    """Return what is wrong with a document beyond what its mode may do."""
    found = [problem.what for problem in problems(document)]
    if exact:
        found = [what for what in found if what not in EXACT_MAY]
    return found
