"""The outcome of one field, by the rules alone."""

from __future__ import annotations

from typing import Any

from tests.proofs.machine.decided import OURS

WRITTEN, STAYS, WAITS = "written", "stays", "waits"


def outcome_of(
    base: Any, ours: Any, theirs: Any, side: str | None, *, moves: bool = False
) -> str:
    """Return the outcome of a field: it is `written`, `stays`, or `waits`.

    `base` was written last, `theirs` is in the space, `ours` is wanted, `side` is what
    was decided. A field that `moves` a page is never written without a decision.
    """
    if ours == theirs:
        return STAYS
    by_us_alone = theirs == base
    if side is not None:
        return WRITTEN if side == OURS or (by_us_alone and not moves) else STAYS
    if by_us_alone:
        return WAITS if moves else WRITTEN
    return STAYS if ours == base else WAITS
