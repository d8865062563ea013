"""Runs pieces of work concurrently, each after its intent was written."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Generic, Self, TypeVar

from cmsmig.errors import InterruptedRunError
from cmsmig.events import Event, Observer, RequestRetried
from cmsmig.ledger.intents import Intents
from cmsmig.ledger.rows import Intent

T = TypeVar("T")

BATCH = 20
"""Pieces whose intents are committed together: few fsyncs, few to settle."""
_STOPPED = "Stopped as asked; run the same command again to go on from here."


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


def ending_waits(observer: Observer, stop: StopSignal) -> Observer:
    """Return an observer that raises `InterruptedRunError` before a request is tried
    again, once a person asked: one that waits for the network would go on for long."""

    def observe(event: Event) -> None:
        observer(event)
        if isinstance(event, RequestRetried) and stop.is_set():
            raise InterruptedRunError(_STOPPED)

    return observe


def _nothing(what: object) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Work(Generic[T]):
    """How pieces of one kind are intended, performed and abandoned."""

    perform: Callable[[T], Awaitable[None]]
    intend: Callable[[Sequence[T]], None] = _nothing
    """Is given a batch before any piece of it is performed."""
    abandon: Callable[[T], None] = _nothing
    """Is given what was intended and never begun."""


class WorkerPool:
    """Up to `workers` pieces performed at once, of one kind after the other.

    An async context manager; its end waits for pieces in flight. The first
    exception, of a piece or of the body, ends the work after those in flight and
    is raised at the end, or `InterruptedRunError` when `stop` was set.
    """

    def __init__(self, workers: int, stop: StopSignal) -> None:
        self._workers = workers
        self._stop = stop
        self._queue: asyncio.Queue[Callable[[], Awaitable[None]] | None]
        self._queue = asyncio.Queue(maxsize=BATCH)
        self._failures: list[BaseException] = []
        self._waiting = 0
        self._rested = asyncio.Event()
        self._group = asyncio.TaskGroup()

    @property
    def ending(self) -> bool:
        """Return whether nothing more is begun."""
        return bool(self._failures) or self._stop.is_set()

    async def take(self, work: Work[T], pieces: Iterable[T]) -> None:
        """Intend pieces and queue them, a batch at a time, until the work is ending.

        Returns while the last ones are still queued or in flight, so the next
        batch is ready before the budget would wait for it.
        """
        for batch in batches(pieces):
            if self.ending:
                return
            work.intend(batch)
            for piece in batch:
                await self._queue.put(partial(self._perform, work, piece))

    async def idle(self) -> None:
        """Wait until a worker has nothing left to begin; others may be at work."""
        await self._until_waiting(1)

    async def done(self) -> None:
        """Wait until everything that was taken is performed or abandoned."""
        await self._until_waiting(self._workers)

    async def _until_waiting(self, workers: int) -> None:
        while not self._queue.empty() or self._waiting < workers:
            self._rested.clear()
            await self._rested.wait()

    async def _perform(self, work: Work[T], piece: T) -> None:
        if self.ending:
            work.abandon(piece)
        else:
            await work.perform(piece)

    async def _worker(self) -> None:
        while True:
            self._waiting += 1
            self._rested.set()
            task = await self._queue.get()
            self._waiting -= 1
            if task is None:
                return
            try:
                await task()
            except Exception as error:
                self._failures.append(error)

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        for _ in range(self._workers):
            self._group.create_task(self._worker())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, Exception):
            self._failures.append(error)
            kind = error = trace = None
        if error is None:
            for _ in range(self._workers):
                await self._queue.put(None)
        await self._group.__aexit__(kind, error, trace)
        if self._failures:
            raise self._failures[0]
        if self._stop.is_set():
            raise InterruptedRunError(_STOPPED)
        return False


async def work_through(
    pieces: Iterable[T], work: Work[T], *, workers: int, stop: StopSignal
) -> None:
    """Perform every piece with up to `workers` at once.

    A batch is intended before any piece of it is performed, and the next batch
    while the last one is still in flight, so the budget never waits for a
    straggler. Pieces are asked for one at a time, so that no answer waits until a
    batch is made. Raises what `WorkerPool` raises.
    """
    async with WorkerPool(workers, stop) as pool:
        batch: list[T] = []
        for piece in pieces:
            batch.append(piece)
            if len(batch) == BATCH:
                await pool.take(work, batch)
                batch = []
            await asyncio.sleep(0)
            if pool.ending:
                return
        if batch:
            await pool.take(work, batch)


def batches(pieces: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Yield the pieces in order, in lists of `size`; by default, what is committed
    together."""
    iterator = iter(pieces)
    while batch := list(islice(iterator, size)):
        yield batch


async def together(work: Iterable[Coroutine[object, object, T]]) -> list[T]:
    """Do all at once, as fast as the budget lets them. The first error ends the others,
    and is raised once they ended."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def write_ahead(
    intents: Intents,
    intent_of: Callable[[T], Intent | None],
    perform: Callable[[T], Awaitable[None]],
) -> Work[T]:
    """Return work that writes the intents of a batch before any piece is performed.

    A piece whose intent is None sends nothing. The intent of a piece that is
    abandoned is closed as `not_sent`.
    """

    def intend(batch: Sequence[T]) -> None:
        found = [intent_of(each) for each in batch]
        intents.write([each for each in found if each is not None])

    def abandon(piece: T) -> None:
        intent = intent_of(piece)
        if intent is not None:
            intents.settle(intent.kind, intent.subject, "not_sent")

    return Work(perform, intend, abandon)
