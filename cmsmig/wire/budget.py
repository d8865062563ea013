"""The shared budget: no faster than the service allows, whoever else is asking."""

from __future__ import annotations

import asyncio
import hashlib
import random as _random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from cmsmig.errors import StorageError
from cmsmig.events import BudgetWaited, Observer, unobserved
from cmsmig.wire.budget_file import Book, BudgetBusyError, BudgetFile, BudgetState
from cmsmig.wire.pacing import Pacing, bounded

_Result = TypeVar("_Result")

_PROBE_SECONDS = 30.0
"""A probe that says nothing for so long is taken for dead."""
_PACE_FALL, _PACE_FLOOR, _PACE_STEP = 0.8, 0.25, 0.004
_AT_ONCE = 0.0005
_BUSY_TRIES = 3000


@dataclass(frozen=True, slots=True)
class Release:
    """Leave to send one request; hand it back with the outcome."""

    number: int
    at: float
    """When, in the budget's own clock."""
    probe: bool = False
    """Whether all others wait for this request's outcome."""


@dataclass(frozen=True, slots=True)
class _Slot:
    at: float
    generation: int


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float
    reason: str
    slot: _Slot | None = None


class Budget:
    """One token bucket for all processes that use the same key and folder.

    No window of `window` seconds, however aligned, holds more than `limit`
    releases. `spaced` releases follow each other evenly, without a burst;
    the others may go at once until the window is full. `adopt` takes over the
    limit that the service names in its answers, upwards too; without it a
    named limit only ever lowers. Spec: import rule 6, Budget rules.
    """

    def __init__(
        self,
        key: str,
        *,
        limit: int,
        window: float,
        spaced: bool,
        folder: Path,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = _random.random,
        observer: Observer = unobserved,
        service: str = "",
        adopt: bool = False,
    ) -> None:
        name = hashlib.sha256(key.encode()).hexdigest()[:32]
        self._file = BudgetFile(folder / f"budget-{name}.sqlite")
        self._pacing = Pacing(max(1, limit), window, spaced, adopt)
        self._clock = clock
        self._sleep = sleep
        self._random = random
        self._observer = observer
        self._service = service

    async def acquire(self) -> Release:
        """Wait for the next release, which counts as used from then on.

        Whoever wakes checks again before going, so neither a late wake-up
        nor a freeze in the meantime can overfill a window.
        """
        slot: _Slot | None = None
        while True:
            step = await self._change(partial(self._claim, slot=slot))
            if isinstance(step, Release):
                return step
            slot = step.slot
            self._observer(BudgetWaited(self._service, step.seconds, step.reason))
            await self._sleep(step.seconds)

    async def refused(
        self,
        *,
        attempt: int,
        retry_after: float | None,
        named_limit: int | None,
        release: Release | None = None,
    ) -> None:
        """Freeze the budget for all after a 429.

        `attempt` counts the tries of this request, from 1. Returns at once:
        the next `acquire` waits, and the first to wake is the only probe.
        """
        await self._change(
            lambda book: self._freeze(book, attempt, retry_after, named_limit, release)
        )

    async def answered(
        self,
        *,
        remaining: int | None,
        limit: int | None,
        release: Release | None = None,
    ) -> None:
        """Take note of an answer that was no 429: it thaws, and the pace recovers.

        `remaining` and `limit` are the service's own count, if it gives one.
        """
        await self._change(lambda book: self._settle(book, remaining, limit, release))

    async def unanswered(self, release: Release) -> None:
        """Take note that no answer came, so that another caller may probe."""
        if release.probe:
            await self._change(_drop_probe)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    async def _change(self, work: Callable[[Book], _Result]) -> _Result:
        for _ in range(_BUSY_TRIES):
            try:
                return self._file.change(work)
            except BudgetBusyError:
                await self._sleep(0.001 + 0.009 * self._random())
        raise StorageError(
            f"Another process has held the request budget {self._file.path} for too"
            " long; end it, then run again."
        )

    def _claim(self, book: Book, slot: _Slot | None) -> Release | _Pause:
        state = book.state
        now = book.now(self._clock())
        if now < state.frozen_until:
            return _pause(state.frozen_until - now, "the service asked for a pause")
        if state.level:
            return self._claim_probe(book, now)
        if self._pacing.spaced:
            slot = self._slot(state, slot, now)
            if slot.at > now + _AT_ONCE:
                return _pause(slot.at - now, "pace", slot)
        wait = self._pacing.until_free(book, now)
        if wait > 0:
            return _pause(wait, "pace", slot)
        return self._release(book, now)

    def _claim_probe(self, book: Book, now: float) -> Release | _Pause:
        """Let one caller find out whether the service takes requests again."""
        if now < book.state.probe_until:
            seconds = min(book.state.probe_until - now, self._pacing.window / 4, 1.0)
            return _pause(seconds, "another request finds out whether to go on")
        wait = self._pacing.until_free(book, now)
        if wait > 0:
            return _pause(wait, "pace")
        book.state.probe_until = now + _PROBE_SECONDS
        book.state.next_slot = now + self._pacing.gap(book.state, now)
        return replace(self._release(book, now), probe=True)

    def _release(self, book: Book, now: float) -> Release:
        number = book.record(now)
        book.forget_before(now - self._pacing.memory)
        return Release(number, now)

    def _slot(self, state: BudgetState, slot: _Slot | None, now: float) -> _Slot:
        if slot is not None and slot.generation == state.generation:
            return slot
        at = max(now, state.next_slot)
        state.next_slot = at + self._pacing.gap(state, now)
        return _Slot(at, state.generation)

    def _freeze(
        self,
        book: Book,
        attempt: int,
        retry_after: float | None,
        named_limit: int | None,
        release: Release | None,
    ) -> None:
        state = book.state
        now = book.now(self._clock())
        lowered = self._pacing.learn(state, named_limit, now)
        asked = bounded(retry_after)
        if _sent_before_freeze(state, release, now):
            # One of many that were under way together: one pause serves them all.
            state.frozen_until = max(state.frozen_until, now + asked)
            return
        if state.level == 0 and not lowered:
            state.pace = max(_PACE_FLOOR, state.pace * _PACE_FALL)
        delay = self._pacing.backoff(
            max(state.level, attempt - 1), retry_after, self._random
        )
        state.level += 1
        state.frozen_until = max(state.frozen_until, now + delay)
        state.frozen_number = state.released
        state.generation += 1
        state.next_slot = 0.0
        state.probe_until = 0.0

    def _settle(
        self,
        book: Book,
        remaining: int | None,
        limit: int | None,
        release: Release | None,
    ) -> None:
        state = book.state
        now = book.now(self._clock())
        if limit is not None and limit > 0:
            state.named = limit
        if state.level and not _sent_before_freeze(state, release, now):
            state.level = 0
            state.frozen_until = state.probe_until = 0.0
        if state.level == 0:
            state.pace = min(1.0, state.pace + _PACE_STEP)
        if self._pacing.spaced and release is not None:
            self._pacing.count_delay(book, release.number, release.at, now)
        if remaining is not None:
            self._pacing.count_others(book, max(0, remaining), now)


def _pause(seconds: float, reason: str, slot: _Slot | None = None) -> _Pause:
    return _Pause(max(seconds, _AT_ONCE), reason, slot)


def _sent_before_freeze(
    state: BudgetState, release: Release | None, now: float
) -> bool:
    if state.level == 0:
        return False
    if release is None:
        return now < state.frozen_until
    return release.number <= state.frozen_number


def _drop_probe(book: Book) -> None:
    book.state.probe_until = 0.0
