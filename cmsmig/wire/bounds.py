"""How large an answer or a file may be and how long it may take: the one place of
these numbers. They are generous; what goes beyond them is no honest answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

MEGABYTE = 1024 * 1024
ANSWER_BYTES = 40 * MEGABYTE
"""Of one answer of an API, unpacked: twice what the destination documents as its own
limit (technical limits: 20 MB an answer)."""
REFUSAL_BYTES = MEGABYTE
"""Of an answer that is no success; only its beginning is ever shown."""
ANSWER_SECONDS = 300.0
"""From a request to the last byte of its answer."""
ANSWER_PIECE = 64 * 1024
"""An answer brings at least so much every `PIECE_SECONDS`, or is complete."""
FILE_SECONDS = 300.0
"""For one file, with all redirects and repetitions."""
FILE_PIECE = 256 * 1024
PIECE_SECONDS = 30.0
SLOW_TRIES = 2
"""How often what is too slow is tried; it rarely gets faster."""
LONGEST_PAUSE = 120.0
"""For which requests rest, whatever a service asks for or a shared file says."""
LIST_ROWS = 1_000_000
"""Of one list: as many stories as the destination allows in a space (technical
limits), and more items than the origin allows in a collection."""
_LIST_GROWTH = 1000
"""Rows that may be added while a list is read, besides those it announced."""


class BoundError(Exception):
    """A transfer goes beyond a bound; the text completes "it failed because"."""

    tries = 1
    """How often it is worth trying in all."""


class TooLargeError(BoundError):
    """It holds more bytes than anybody needs."""


class TooSlowError(BoundError):
    """It takes longer than anybody waits."""

    tries = SLOW_TRIES

    def __init__(self, reason: str, *, at_deadline: bool) -> None:
        super().__init__(reason)
        self.at_deadline = at_deadline
        """Whether all the time was used up, and not only the pace too slow."""


def most_rows(announced: int) -> int:
    """Return how many rows are read of a list that announced so many at first."""
    return min(2 * announced + _LIST_GROWTH, LIST_ROWS)


class Gauge:
    """Holds a transfer to its deadline and its least speed."""

    def __init__(self, timeout: asyncio.Timeout, deadline: float, piece: int) -> None:
        self._timeout = timeout
        self._deadline = deadline
        self._piece = piece
        self._came = 0

    def begin(self) -> None:
        """Expect the first bytes from now on."""
        self._came = 0
        within = asyncio.get_running_loop().time() + PIECE_SECONDS
        self._timeout.reschedule(min(within, self._deadline))

    def take(self, count: int) -> None:
        """Count bytes that came; a whole piece gives time for the next one."""
        self._came += count
        if self._came >= self._piece:
            self.begin()


@asynccontextmanager
async def held_to(seconds: float, piece: int) -> AsyncIterator[Gauge]:
    """End the body when it takes too long; raises `TooSlowError`.

    From the gauge's `begin` on, `piece` bytes have to come every `PIECE_SECONDS`.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    timeout = asyncio.timeout_at(deadline)
    try:
        async with timeout:
            yield Gauge(timeout, deadline, piece)
    except TimeoutError:
        if not timeout.expired():
            raise
        late = asyncio.get_running_loop().time() >= deadline
        slow = f"less than {piece // 1024} KB of it came in {PIECE_SECONDS:g} seconds"
        whole = f"it took longer than {seconds:g} seconds"
        raise TooSlowError(whole if late else slow, at_deadline=late) from None
