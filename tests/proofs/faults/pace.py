"""Whether an import left the service alone for as long as a 429 asks for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from cmsmig.sandbox.history import Entry
from tests.proofs.faults.importing import SPEED

SHORTEST, LONGEST = 1.0, 20.0
"""Seconds of the pause after the first 429 in a row, and of the longest one."""
LEEWAY = 0.9


def too_soon(entries: Iterable[Entry], asked: float) -> list[str]:
    """Return what was asked before the pause after a 429 was over.

    One request at a time: each pause is twice the one before, and none is shorter
    than the `asked` seconds of `Retry-After`. Spec: import rule 6.
    """
    drawing = [entry for entry in entries if entry.quota]
    found: list[str] = []
    row = 0
    for refused, after in pairwise(drawing):
        row = row + 1 if refused.status == 429 else 0
        if not row:
            continue
        pause = max(asked, min(SHORTEST * 2.0 ** (row - 1), LONGEST))
        waited = (after.time - refused.time) * SPEED
        if waited < pause * LEEWAY:
            found.append(
                f"{after.method} {after.route} {after.subject} came {waited:.2f} s "
                f"after 429 number {row} in a row, not {pause:.0f} s"
            )
    return found[:3]
