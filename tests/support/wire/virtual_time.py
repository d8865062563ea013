"""Time that passes only when all tasks sleep."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count

_TURNS = 40
"""Turns of the event loop after which all that can run have run."""


class VirtualTime:
    """A clock, its sleep, and the driver that moves it from wake-up to wake-up."""

    def __init__(self, late: Callable[[], float] = lambda: 0.0) -> None:
        self.now = 1_000_000.0
        self._late = late
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Wake no earlier than asked, and later by what `late` says."""
        await self.pass_by(max(0.0, seconds) + self._late())

    async def pass_by(self, seconds: float) -> None:
        """Let exactly so much time pass: what happens elsewhere is never late."""
        waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (self.now + seconds, next(self._order), waker)
        heapq.heappush(self._sleepers, entry)
        await waker

    async def run(self, *jobs: Awaitable[object]) -> None:
        """Run all jobs to their end, however long that takes."""
        async with self.moving():
            await asyncio.gather(*jobs)

    @asynccontextmanager
    async def moving(self) -> AsyncIterator[None]:
        """Move the clock from wake-up to wake-up, whenever all others sleep."""
        mover = asyncio.create_task(self._move())
        try:
            yield
        finally:
            mover.cancel()

    async def _move(self) -> None:
        while True:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            if self._sleepers:
                wake, _, waker = heapq.heappop(self._sleepers)
                self.now = max(self.now, wake)
                if not waker.done():
                    waker.set_result(None)


def fullest_window(times: list[float], window: float) -> int:
    """Return the most events that any half-open window holds."""
    ordered = sorted(times)
    fullest = start = 0
    for end, time in enumerate(ordered):
        while time - ordered[start] >= window:
            start += 1
        fullest = max(fullest, end - start + 1)
    return fullest
