"""The pages of a list: which are still to be read, and when they lead nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.destination.reading import SERVICE
from cmsmig.errors import CmsmigError, MalformedAnswerError, first_of
from cmsmig.wire.bounds import LIST_ROWS, most_rows

PAGE = 100
"""Rows in one list answer; the most that the service gives."""
_AT_ONCE = 50
"""Pages asked for together; after so many it is seen whether they bring anything."""


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a list."""

    rows: list[JsonObject]
    total: int | None
    """Rows of the whole list; None where the service does not say."""


Reader: TypeAlias = Callable[[int], Awaitable[Page]]
"""Reads the page with a number, from 1."""


def asking(number: int) -> tuple[tuple[str, str], ...]:
    """Return the parameters that ask for a page."""
    return ("page", str(number)), ("per_page", str(PAGE))


async def all_pages(what: str, read: Reader) -> dict[int, Page]:
    """Return the pages of a list by number, up to one that brings nothing new.

    Raises `MalformedAnswerError` when they have no end.
    """
    pages = {1: await read(1)}
    announced = pages[1].total
    most = most_rows(announced) if announced is not None else LIST_ROWS
    known = set(by_id(pages))
    while missing := _missing(pages):
        if len(known) > most:
            raise endless(what, announced or len(known))
        fresh = await _together(read, missing)
        pages |= fresh
        for _, page in sorted(fresh.items()):
            ids = by_id({1: page}).keys()
            if ids <= known:
                # Those after it would bring nothing either.
                return pages
            known |= ids
    return pages


def by_id(pages: Mapping[int, Page]) -> dict[str, JsonObject]:
    """Return the rows of pages by their ids, in the service's order."""
    listed = [row for _, page in sorted(pages.items()) for row in page.rows]
    return {str(row.get("id")): row for row in listed}


def refuse_part(what: str, pages: Mapping[int, Page], found: int) -> None:
    """Raise `MalformedAnswerError` when later pages repeat the first one.

    A part of the list must not pass for the whole.
    """
    total = max((page.total or 0) for page in pages.values())
    first = by_id({1: pages[1]}).keys()
    repeated = any(
        page.rows and by_id({1: page}).keys() <= first
        for number, page in pages.items()
        if number > 1
    )
    if found < total and repeated:
        raise endless(what, total)


def endless(what: str, announced: int) -> MalformedAnswerError:
    """Return the error for a list whose pages lead nowhere."""
    return MalformedAnswerError(
        f"The destination's list of {what} leads nowhere: its pages bring nothing new"
        f" or never end, though {announced} are announced; check the base URL in the"
        " settings, then run again.",
        service=SERVICE,
        method="GET",
    )


def _missing(pages: Mapping[int, Page]) -> Sequence[int]:
    """Return the next pages to be read, going by what the first one held."""
    size = len(pages[1].rows)
    totals = [page.total for page in pages.values() if page.total is not None]
    last = max(pages)
    if totals:
        last = -(-max(totals) // size) if size else 1
    elif len(pages[last].rows) == PAGE:
        # No total: a full page may be followed by another one.
        last += 1
    return list(islice(range(max(pages) + 1, last + 1), _AT_ONCE))


async def _together(read: Reader, numbers: Sequence[int]) -> dict[int, Page]:
    async def one(number: int) -> Page:
        return await read(number)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = {number: group.create_task(one(number)) for number in numbers}
    except* CmsmigError as failed:
        raise first_of(failed) from None
    return {number: task.result() for number, task in tasks.items()}
