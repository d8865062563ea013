"""The request budget that all processes share to stay below a service's rate."""

from __future__ import annotations

import asyncio
import random as _random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from cmsmig.errors import StorageError
from cmsmig.events import BudgetWaited, Observer, unobserved
from cmsmig.wire.budget_file import (
    PACE_FLOOR,
    BudgetBusyError,
    BudgetFile,
    BudgetState,
    BudgetTransaction,
    shared_name,
)
from cmsmig.wire.pacing import Pacing, bound_pause

_Result = TypeVar("_Result")

_ABANDONED_SECONDS = 90.0
"""A request in flight that reports nothing for so long is not counted any more."""
_PROBE_SECONDS = 30.0
"""A probe that says nothing for so long is taken for dead."""
_CROWDED_SECONDS = 0.05
_PACE_FALL, _PACE_STEP = 0.8, 0.004
_AT_ONCE = 0.0005
_PROMPT = 0.002
"""Seconds from a release to its last byte that need no correction."""
_BUSY_TRIES = 3000
_BUSY_SECONDS = 0.005
_FORGOTTEN_AT_ONCE = 16
"""Releases after which what no window can hold is dropped from the log."""


@dataclass(frozen=True, slots=True)
class Release:
    """Permission to send one request; give it back with the outcome."""

    number: int
    at: float
    """When, by the clock that the budget was given."""
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
    the others may go at once until the window is full. No more than `in_flight`
    requests are in flight at a time. `adopt` takes over the limit that the service
    names in its answers, upwards too; without it a named limit only ever lowers.
    Spec: import rule 6, Budget rules.

    Processes take turns: each has few places in the shared queue (two at 6 a
    second), and its other callers wait behind them. So a process with many callers
    does not starve one with a single caller, and a process that dies leaves few
    reservations. `clock` has to be the same in all processes and to know no steps.
    """

    def __init__(
        self,
        key: str,
        *,
        limit: int,
        window: float,
        spaced: bool,
        folder: Path,
        in_flight: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = _random.random,
        observer: Observer = unobserved,
        service: str = "",
        adopt: bool = False,
    ) -> None:
        self._file = BudgetFile(folder / f"budget-{shared_name(key)}.sqlite")
        self._pacing = Pacing(max(1, limit), window, spaced, adopt)
        self._most_in_flight = in_flight
        self._places = asyncio.Semaphore(self._pacing.places)
        self._clock = clock
        self._sleep = sleep
        self._random = random
        self._observer = observer
        self._service = service

    async def acquire(self) -> Release:
        """Wait for the next release, which counts as used from then on.

        A caller that wakes checks again before it returns, so neither a late wake-up
        nor a freeze in the meantime can overfill a window.
        """
        async with self._places:
            slot: _Slot | None = None
            while True:
                step = await self._change(partial(self._claim, slot=slot))
                if isinstance(step, Release):
                    return step
                slot = step.slot
                waited = BudgetWaited(self._service, step.seconds, step.reason)
                self._observer(waited)
                await self._sleep(step.seconds)

    async def sent(self, release: Release) -> None:
        """Take note that the last byte of a request has just gone out.

        The service counts it now, however long it took to get a connection.
        """
        at = self._clock()
        if not 0 <= at - release.at <= _PROMPT:
            self._note(lambda book: book.move(release.number, self._moment(book, at)))

    async def refused(
        self,
        *,
        attempt: int,
        retry_after: float | None,
        named_limit: int | None,
        release: Release,
    ) -> None:
        """Freeze the budget for all after a 429.

        `attempt` counts the tries of this request, from 1. Returns at once:
        the next `acquire` waits, and the first to wake is the only probe.
        """
        await self._change(
            partial(self._freeze, attempt, retry_after, named_limit, release)
        )
        self._write_notes()

    async def answered(
        self,
        *,
        remaining: int | None,
        limit: int | None,
        release: Release,
    ) -> None:
        """Take note of an answer that was no 429: it thaws, and the pace recovers.

        `remaining` and `limit` are the service's own count, if it gives one.
        """
        self._note(partial(self._settle, self._clock(), remaining, limit, release))

    async def unanswered(self, release: Release) -> None:
        """Take note that no answer came, so that another caller may probe."""
        await self._change(partial(self._end, release=release))
        self._write_notes()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with suppress(StorageError):
            self._file.write_notes()
        self._file.close()

    def _note(self, work: Callable[[BudgetTransaction], object]) -> None:
        """Change the file with the next release, and at the latest when nothing else is
        due: what got an answer sends the next request at once."""
        self._file.note(work)
        asyncio.get_running_loop().call_soon(self._write_notes)

    def _write_notes(self) -> None:
        try:
            self._file.write_notes()
        except BudgetBusyError:
            loop = asyncio.get_running_loop()
            loop.call_later(_BUSY_SECONDS, self._write_notes)
        except StorageError:
            pass  # The next release finds it out, and raises it.

    def _moment(self, book: BudgetTransaction, clock: float) -> float:
        """Return the budget's time at a moment that may be past."""
        book.now(self._clock())
        return min(clock + book.state.offset, book.state.seen)

    async def _change(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        for _ in range(_BUSY_TRIES):
            try:
                return self._file.change(work)
            except BudgetBusyError:
                await self._sleep(0.001 + 0.009 * self._random())
        raise StorageError(
            f"Another process has held the request budget {self._file.path} for too"
            " long; end it, then run again."
        )

    def _claim(self, book: BudgetTransaction, slot: _Slot | None) -> Release | _Pause:
        state = book.state
        now = book.now(self._clock())
        if now < state.frozen_until:
            return _pause(state.frozen_until - now, "the service asked for a pause")
        if state.level and now < state.probe_until:
            seconds = min(state.probe_until - now, self._pacing.window / 4, 1.0)
            return _pause(seconds, "another request finds out whether to go on")
        in_flight = book.in_flight(now - _ABANDONED_SECONDS)
        if self._pacing.exhausted(book, now, in_flight):
            # Requests in flight may bring word of more.
            rest = self._pacing.reopens(state) - now
            return _pause(_CROWDED_SECONDS if in_flight else rest, "pace", slot)
        if self._pacing.spaced and not state.level:
            slot = self._slot(state, slot, now)
            if slot.at > now + _AT_ONCE:
                return _pause(slot.at - now, "pace", slot)
        wait = self._pacing.until_free(book, now)
        if wait > 0:
            return _pause(wait, "pace", slot)
        if self._most_in_flight is not None and in_flight >= self._most_in_flight:
            return _pause(_CROWDED_SECONDS, "too many requests are in flight", slot)
        return self._release(book, now)

    def _release(self, book: BudgetTransaction, now: float) -> Release:
        state = book.state
        number = book.begin(now)
        book.log(number, now)
        if number % _FORGOTTEN_AT_ONCE == 0:
            book.forget_before(now - self._pacing.memory)
        if state.level:
            # The one that finds out whether the service takes requests again.
            state.probe, state.probe_until = number, now + _PROBE_SECONDS
            state.next_slot = now + self._pacing.gap(state, now)
        return Release(number, now - state.offset, probe=state.level > 0)

    def _slot(self, state: BudgetState, slot: _Slot | None, now: float) -> _Slot:
        if slot is not None and slot.generation == state.generation:
            return slot
        at = self._pacing.next_slot(state, now)
        state.next_slot = at + self._pacing.gap(state, now)
        return _Slot(at, state.generation)

    def _freeze(
        self,
        attempt: int,
        retry_after: float | None,
        named_limit: int | None,
        release: Release,
        book: BudgetTransaction,
    ) -> None:
        state = book.state
        now = book.now(self._clock())
        lowered = self._pacing.learn(state, named_limit, now)
        asked = bound_pause(retry_after)
        self._end(book, release)
        if release.number <= state.frozen_number:
            # One of many that were in flight together: one pause serves them all,
            # and none is due when a probe has found out since.
            if state.level:
                state.frozen_until = max(state.frozen_until, now + asked)
            return
        if state.level == 0 and not lowered:
            state.pace = max(PACE_FLOOR, state.pace * _PACE_FALL)
        delay = self._pacing.backoff(
            max(state.level, attempt - 1), retry_after, self._random
        )
        state.level += 1
        state.frozen_until = max(state.frozen_until, now + delay)
        state.frozen_number = state.released
        state.generation += 1
        state.next_slot = 0.0

    def _settle(
        self,
        at: float,
        remaining: int | None,
        limit: int | None,
        release: Release,
        book: BudgetTransaction,
    ) -> None:
        state = book.state
        now = self._moment(book, at)
        if self._pacing.spaced:
            self._pacing.count_delay(book, release.number, now)
        sent = book.time_of(release.number) or 0.0
        self._end(book, release)
        if limit is not None and limit > 0:
            state.named = limit
        if state.level and release.number > state.frozen_number:
            state.level = 0
            state.frozen_until = 0.0
        if state.level == 0:
            state.pace = min(1.0, state.pace + _PACE_STEP)
        if remaining is not None:
            in_flight = book.in_flight(now - _ABANDONED_SECONDS)
            self._pacing.count_remaining(book, remaining, sent, now, in_flight)

    def _end(self, book: BudgetTransaction, release: Release) -> None:
        book.end(release.number)
        if book.state.probe == release.number:
            book.state.probe, book.state.probe_until = 0, 0.0


def _pause(seconds: float, reason: str, slot: _Slot | None = None) -> _Pause:
    return _Pause(max(seconds, _AT_ONCE), reason, slot)
