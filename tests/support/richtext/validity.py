"""Which documents are valid, and what exact conversion may make of odd input."""

from __future__ import annotations

import re

from cmsmig.richtext.schema.validate import problems

EXACT_MAY: dict[str, str] = {
    r"An image's attribute (id|src|alt|title|source|copyright|meta_data) is .+": (
        "The official converter reads `alt='2024'` as a number, `true` as a boolean."
    ),
    r"A heading's attribute level is not one of 1 to 6\.": (
        "It takes the attribute `level` of a heading unchanged."
    ),
    r"An ordered_list's attribute order is not a number\.": (
        "It writes null where `start` is no number that JSON holds."
    ),
    r"A table(Cell|Header)'s attribute (colspan|rowspan|colwidth) is .+": (
        "It takes spans and widths as numbers of any kind, or unchanged."
    ),
    r"A blok's attribute body is not a list of blocks\.": (
        "It takes the attribute `body` of a `div data-blok` unchanged."
    ),
    r"A link mark's attribute linktype is not one of .+": (
        "It takes `data-linktype` unchanged."
    ),
    r"A link to a story lacks its uuid\.": "It takes `data-linktype` unchanged.",
}
"""What the official converter writes though the service does not take it: the
sentence of a problem, and from which source. Nothing else is ever wrong."""


def faults(document: object, *, exact: bool) -> list[str]:
    """Return what is wrong with a document beyond what its mode may do."""
    found = [problem.what for problem in problems(document)]
    if exact:
        found = [
            what
            for what in found
            if not any(re.fullmatch(pattern, what) for pattern in EXACT_MAY)
        ]
    return found
