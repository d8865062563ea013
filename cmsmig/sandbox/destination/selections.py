"""What a list request names, remembered for its next page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call

Row = TypeVar("Row")
_MOST = 64
"""Lists that are remembered at once."""
_PAGING = frozenset({"page", "per_page"})


def remembered(
    space: Space, call: Call, select: Callable[[Space, Call], list[Row]]
) -> list[Row]:
    """Return the whole list that a call asks a page of.

    It is selected once and kept until something may have changed: the pages of a
    long list cost what they hold, not what the list holds.
    """
    state = (space.version, len(space.stories), len(space.assets))
    if space.selected_at != state or len(space.selections) >= _MOST:
        space.selections.clear()
        space.selected_at = state
    asked = tuple(pair for pair in call.query if pair[0] not in _PAGING)
    key = (select, asked)
    if key not in space.selections:
        space.selections[key] = select(space, call)
    return cast("list[Row]", space.selections[key])
