"""Lists: their filters, their pages, and what is kept of them from page to page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import TypeAlias, TypeVar, cast

from cmsmig.canonical import Json
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply, json_reply
from cmsmig.sandbox.values import whole

Row = TypeVar("Row")
Filter: TypeAlias = Callable[[Space, Row, str], bool]
"""Tells whether a query parameter's value, when not empty, keeps a row."""
Headers: TypeAlias = tuple[tuple[str, str], ...]

_MOST = 64
"""Lists that are remembered at once."""
_PAGING = frozenset({"page", "per_page"})


@lru_cache(maxsize=64)
def parts(value: str) -> tuple[str, ...]:
    """Return the parts between commas."""
    return tuple(part.strip() for part in value.split(",") if part.strip())


def filtered(
    space: Space,
    asked: Mapping[str, str],
    rows: Iterable[Row],
    filters: Mapping[str, Filter[Row]],
) -> list[Row]:
    """Return the rows that every filter keeps which the parameters name."""
    tests = [(filters[name], asked[name]) for name in filters if asked.get(name)]
    return [row for row in rows if all(keeps(space, row, v) for keeps, v in tests)]


def page_of(
    call: Call, rows: Sequence[Row], *, most: int = 100
) -> tuple[list[Row], Headers]:
    """Return the page that a call asks for, 25 rows unless it says otherwise, and the
    headers that hold its paging."""
    size = min(max(whole(call.parameter("per_page")) or 25, 1), most)
    start = (max(whole(call.parameter("page")) or 1, 1) - 1) * size
    headers = (("Total", str(len(rows))), ("Per-Page", str(size)))
    return [*rows[start : start + size]], headers


def page_reply(
    key: str,
    call: Call,
    rows: Sequence[Row],
    show: Callable[[Row], Json],
    known: Set[str],
) -> Reply:
    """Answer the page that a call asks for.

    Ends the request with 422 for a filter that is not among the `known` ones: the
    service may know it, and would not answer every row.
    """
    if unknown := call.parameters().keys() - _PAGING - known:
        message = f"The sandbox has no filter {', '.join(sorted(unknown))}."
        raise AnsweredError(json_reply(422, {"error": message}))
    page, headers = page_of(call, rows)
    return json_reply(200, {key: [show(row) for row in page]}, headers=headers)


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
