"""Everything that independent readers find wrong with a conversion."""

from __future__ import annotations

from cmsmig.richtext.engine import Converted
from tests.support.richtext.conservation import (
    invented,
    reordered,
    unaccounted,
    vague,
)
from tests.support.richtext.untrue import untrue


def wrong(
    html: str, converted: Converted, mapped: frozenset[str] = frozenset()
) -> list[str]:
    """Return what a body shows and neither document nor losses hold, what they show
    twice or in another order, and the losses that name something else than was lost.

    `mapped`: the ids of the designer's components whose instances become blocks.
    """
    found = [f"unaccounted {each}" for each in unaccounted(html, converted, mapped)]
    if twice := invented(html, converted, mapped):
        found.append(f"twice {twice}")
    found += [f"vague {each}" for each in vague(html, converted.losses)]
    if not mapped:
        found += [f"untrue {each}" for each in untrue(html, converted)]
        if reordered(html, converted):
            found.append("reordered")
    return found
