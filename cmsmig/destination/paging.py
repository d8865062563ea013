"""The pages of a list: which are still to be read, and when they lead nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

from cmsmig.destination.reading import SERVICE
from cmsmig.destination.typed_records import PAGE
from cmsmig.errors import CmsmigError, MalformedAnswerError, first_of
from cmsmig.wire.bounds import LIST_ROWS, most_rows

_AT_ONCE = 50
"""Pages asked for together; after so many it is seen whether they bring anything."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One answer of a list, read: its records are many times larger than its rows."""

    rows: Mapping[str, T]
    """By id, in the service's order."""
    size: int
    """Records in the answer."""
    total: int | None
    """Rows of the whole list; None where the service does not say."""


Reader: TypeAlias = Callable[[int], Coroutine[object, object, ListPage[T]]]
"""Reads the page with a number, from 1."""


async def whole_list(what: str, read: Reader[T]) -> list[T]:
    """Return all rows of a list, each once, in the service's order.

    The first page has the number of rows; the others are read at once, as fast as
    the budget lets them. When an editor's work moved a row across pages meanwhile, all
    are read once more.
    """
    pages = await _all_pages(what, read)
    found = _by_id(pages)
    if len(found) < _total(pages):
        pages = await _all_pages(what, read)
        found |= _by_id(pages)
        if len(found) < _total(pages) and _repeats(pages):
            # A part of the list must not pass for the whole.
            raise endless(what, _total(pages))
    return [*found.values()]


async def _all_pages(what: str, read: Reader[T]) -> dict[int, ListPage[T]]:
    """Return the pages of a list by number, up to one that brings nothing new.

    Raises `MalformedAnswerError` when they have no end.
    """
    pages = {1: await read(1)}
    announced = pages[1].total
    most = most_rows(announced) if announced is not None else LIST_ROWS
    known = set(_by_id(pages))
    while missing := _missing(pages):
        if len(known) > most:
            raise endless(what, announced or len(known))
        fresh = await _together(read, missing)
        pages |= fresh
        for _, page in sorted(fresh.items()):
            if page.rows.keys() <= known:
                # Those after it would bring nothing either.
                return pages
            known |= page.rows.keys()
    return pages


def _by_id(pages: Mapping[int, ListPage[T]]) -> dict[str, T]:
    """Return the rows of pages by their ids, in the service's order."""
    return {
        row_id: row
        for _, page in sorted(pages.items())
        for row_id, row in page.rows.items()
    }


def _total(pages: Mapping[int, ListPage[T]]) -> int:
    """Return how many rows are announced."""
    return max((page.total or 0) for page in pages.values())


def _repeats(pages: Mapping[int, ListPage[T]]) -> bool:
    """Return whether a later page repeats the first one."""
    first = pages[1].rows.keys()
    later = (page.rows.keys() for number, page in pages.items() if number > 1)
    return any(rows and rows <= first for rows in later)


def endless(what: str, announced: int) -> MalformedAnswerError:
    """Return the error for a list whose pages lead nowhere."""
    return MalformedAnswerError(
        f"The destination's list of {what} leads nowhere: its pages bring nothing new"
        f" or never end, though {announced} are announced; check the base URL in the"
        " settings, then run again.",
        service=SERVICE,
        method="GET",
    )


def _missing(pages: Mapping[int, ListPage[T]]) -> Sequence[int]:
    """Return the next pages to be read, going by what the first one held."""
    size = pages[1].size
    totals = [page.total for page in pages.values() if page.total is not None]
    last = max(pages)
    if totals:
        last = -(-max(totals) // size) if size else 1
    elif pages[last].size == PAGE:
        # No total: a full page may be followed by another one.
        last += 1
    return list(islice(range(max(pages) + 1, last + 1), _AT_ONCE))


async def _together(read: Reader[T], numbers: Sequence[int]) -> dict[int, ListPage[T]]:
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {number: group.create_task(read(number)) for number in numbers}
    except* CmsmigError as failed:
        raise first_of(failed) from None
    return {number: task.result() for number, task in tasks.items()}
