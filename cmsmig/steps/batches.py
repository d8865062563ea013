"""Work done side by side, each piece intended before it is begun."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from cmsmig.errors import InterruptedRunError

T = TypeVar("T")

BATCH = 20
"""Pieces whose intents are committed together: few fsyncs, few to settle."""


class StopSignal:
    """Set once by a person; a running step ends after the calls in flight."""

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        """Ask the running step to end. Safe to call from any thread."""
        self._set = True

    def is_set(self) -> bool:
        """Return whether a person asked."""
        return self._set


async def work_through(
    pieces: Iterable[T],
    *,
    intend: Callable[[Sequence[T]], None],
    perform: Callable[[T], Awaitable[None]],
    abandon: Callable[[T], None],
    workers: int,
    stop: StopSignal,
) -> None:
    """Perform every piece with up to `workers` at once.

    A batch is given to `intend` before any piece of it is performed, and the
    next batch while the last one is still under way, so the budget never waits
    for a straggler. The first exception of a `perform` ends the work after
    those in flight; raises it, or `InterruptedRunError` when `stop` was set.
    What was intended and never begun is given to `abandon`.
    """
    queue: asyncio.Queue[T | None] = asyncio.Queue(maxsize=BATCH)
    failures: list[BaseException] = []

    def ending() -> bool:
        return bool(failures) or stop.is_set()

    async def worker() -> None:
        while (piece := await queue.get()) is not None:
            try:
                if ending():
                    abandon(piece)
                else:
                    await perform(piece)
            except Exception as error:
                failures.append(error)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
        try:
            for batch in _batches(pieces):
                if ending():
                    break
                intend(batch)
                for piece in batch:
                    await queue.put(piece)
        except Exception as error:
            failures.append(error)
        for _ in range(workers):
            await queue.put(None)
    if failures:
        raise failures[0]
    if stop.is_set():
        raise InterruptedRunError(
            "Stopped as asked; run the same command again to go on from here."
        )


def _batches(pieces: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(pieces)
    while batch := list(islice(iterator, BATCH)):
        yield batch
