"""Work side by side: intended first, stopped cleanly, never waiting for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import InterruptedRunError, LedgerError, StorageError
from cmsmig.steps.worker_pool import BATCH, StopSignal, Work, WorkerPool, work_through
from tests.support.timelimit import patience


@dataclass
class Log:
    """What happened, in order, and what is to go wrong."""

    lines: list[tuple[str, int]] = field(default_factory=list)
    failing: dict[int, Exception] = field(default_factory=dict)
    stop: StopSignal = field(default_factory=StopSignal)
    stop_at: int = -1
    running: int = 0
    most: int = 0

    def intend(self, batch: Sequence[int]) -> None:
        assert 1 <= len(batch) <= BATCH
        self.lines.extend(("intend", piece) for piece in batch)

    async def perform(self, piece: int) -> None:
        self.lines.append(("perform", piece))
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        if piece == self.stop_at:
            self.stop.set()
        if piece in self.failing:
            raise self.failing[piece]
        self.lines.append(("done", piece))

    def abandon(self, piece: int) -> None:
        self.lines.append(("abandon", piece))

    def pieces(self, what: str) -> list[int]:
        return [piece for line, piece in self.lines if line == what]

    async def run(self, count: int, workers: int = 4) -> None:
        await work_through(
            range(count),
            Work(self.perform, self.intend, self.abandon),
            workers=workers,
            stop=self.stop,
        )


@given(count=st.integers(0, 3 * BATCH + 3), workers=st.integers(1, 30))
async def test_every_piece_is_intended_and_then_performed_once(
    count: int, workers: int
) -> None:
    """Each intent is stored before its piece begins; workers are never too many."""
    log = Log()
    await log.run(count, workers)
    assert sorted(log.pieces("done")) == list(range(count))
    assert log.pieces("intend") == list(range(count))
    for piece in range(count):
        intended = log.lines.index(("intend", piece))
        assert intended < log.lines.index(("perform", piece))
    assert log.pieces("abandon") == []
    assert log.most <= workers


@given(
    count=st.integers(1, 3 * BATCH),
    workers=st.integers(1, 12),
    at=st.integers(0, 3 * BATCH),
)
async def test_a_failure_ends_the_work_and_nothing_is_forgotten(
    count: int, workers: int, at: int
) -> None:
    """What was intended is performed or abandoned, exactly one of both."""
    log = Log(failing={at % count: StorageError("The disk is full.")})
    with pytest.raises(StorageError):
        await log.run(count, workers)
    begun, abandoned = log.pieces("perform"), log.pieces("abandon")
    assert sorted(begun + abandoned) == sorted(log.pieces("intend"))


@given(count=st.integers(BATCH, 3 * BATCH), at=st.integers(0, BATCH - 1))
async def test_a_stop_lets_running_pieces_end(count: int, at: int) -> None:
    """A person's stop finishes the calls in flight and abandons the rest."""
    log = Log(stop_at=at)
    with pytest.raises(InterruptedRunError):
        await log.run(count)
    begun, abandoned = log.pieces("perform"), log.pieces("abandon")
    assert log.pieces("done") != []
    assert sorted(log.pieces("done")) == sorted(begun)
    assert sorted(begun + abandoned) == sorted(log.pieces("intend"))
    assert len(begun) <= at + 5


async def test_a_stop_before_the_start_intends_nothing() -> None:
    """Nothing is promised to a run that is not to begin."""
    log = Log()
    log.stop.set()
    with pytest.raises(InterruptedRunError):
        await log.run(5)
    assert log.lines == []


async def test_an_intent_that_cannot_be_written_sends_nothing_of_its_batch() -> None:
    """The first batch is performed, the second one never."""
    log = Log()
    batches = iter([None, LedgerError("The ledger is damaged.")])

    def intend(batch: Sequence[int]) -> None:
        if failure := next(batches):
            raise failure
        log.intend(batch)

    with pytest.raises(LedgerError):
        await work_through(
            range(2 * BATCH),
            Work(log.perform, intend, log.abandon),
            workers=3,
            stop=log.stop,
        )
    assert sorted(log.pieces("perform") + log.pieces("abandon")) == list(range(BATCH))


async def test_a_piece_that_cannot_be_abandoned_ends_as_one_error() -> None:
    """An error during the abandonment is raised alone, not as a group of errors."""
    log = Log(failing={0: StorageError("The disk is full.")})

    def abandon(piece: int) -> None:
        raise LedgerError("The ledger is damaged.")

    with pytest.raises(StorageError):
        await work_through(
            range(10),
            Work(log.perform, log.intend, abandon),
            workers=1,
            stop=log.stop,
        )


async def test_the_next_batch_is_intended_while_the_last_is_running() -> None:
    """A straggler keeps one worker busy, and the others continue."""
    log = Log()
    straggling = asyncio.Event()

    async def perform(piece: int) -> None:
        if piece == 0:
            await straggling.wait()
        await log.perform(piece)
        if piece == 3 * BATCH - 1:
            straggling.set()

    async with asyncio.timeout(patience()):
        await work_through(
            range(3 * BATCH),
            Work(perform, log.intend, log.abandon),
            workers=2,
            stop=log.stop,
        )
    assert log.pieces("done")[-1] == 0
    assert sorted(log.pieces("done")) == list(range(3 * BATCH))


async def test_no_more_is_intended_than_can_soon_be_begun() -> None:
    """A killed run leaves few intents to settle: two batches and what is in flight."""
    log = Log()

    async def perform(piece: int) -> None:
        ahead = len(log.pieces("intend")) - len(log.pieces("perform"))
        assert ahead <= 2 * BATCH
        await log.perform(piece)

    await work_through(
        range(10 * BATCH),
        Work(perform, log.intend, log.abandon),
        workers=4,
        stop=log.stop,
    )


async def test_a_pool_is_idle_as_soon_as_one_worker_has_nothing_to_begin() -> None:
    """The next work may begin during a straggler; a single worker is never idle."""
    for workers, running in ((2, [0]), (1, [])):
        log = Log()
        straggling = asyncio.Event()

        async def perform(
            piece: int, log: Log = log, until: asyncio.Event = straggling
        ) -> None:
            if piece == 0:
                await until.wait()
            await log.perform(piece)

        work = Work(perform, log.intend, log.abandon)
        async with asyncio.timeout(patience()), WorkerPool(workers, log.stop) as pool:
            await pool.take(work, [0, 1, 2])
            if workers == 1:
                straggling.set()
            await pool.idle()
            assert sorted({0, 1, 2} - set(log.pieces("done"))) == running
            straggling.set()
            await pool.done()
            assert sorted(log.pieces("done")) == [0, 1, 2]
            await pool.take(work, [3])
        assert sorted(log.pieces("done")) == [0, 1, 2, 3]


async def test_an_error_of_the_body_ends_the_work() -> None:
    """What was taken before is performed or abandoned; the error comes out as it is."""
    log = Log()

    async def work() -> None:
        async with WorkerPool(2, log.stop) as pool:
            await pool.take(Work(log.perform, log.intend, log.abandon), [0, 1, 2, 3])
            raise LedgerError("The ledger is damaged.")

    with pytest.raises(LedgerError):
        await work()
    begun, abandoned = log.pieces("perform"), log.pieces("abandon")
    assert sorted(begun + abandoned) == [0, 1, 2, 3]
