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
from typing import TypeAlias, TypeVar

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
from cmsmig.wire.in_flight import ABANDONED_SECONDS, InFlightSlots
from cmsmig.wire.pacing import Pacing, bound_pause

_Result = TypeVar("_Result")
_Work: TypeAlias = Callable[[BudgetTransaction], object]

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
    slot: int = 0
    """The slot that it holds in flight; 0 where these are not counted."""


@dataclass(frozen=True, slots=True)
class _Slot:
    at: float
    following: float
    """The next slot after it."""
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
    requests of all budgets with the same `in_flight_key` (the key itself if empty)
    are in flight at a time. `adopt` takes over the
    limit that the service names in its answers, upwards too; without it a
    named limit only ever lowers. Spec: import rule 6, Budget rules.

    Processes take turns: each has few places in the shared queue (two at 6 a
    second), and its other callers stand behind them. So nobody with many callers
    starves those with one, and whoever dies leaves few reservations. `clock` has
    to be the same in all processes and to know no steps.
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
        in_flight_key: str = "",
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = _random.random,
        observer: Observer = unobserved,
        service: str = "",
        adopt: bool = False,
    ) -> None:
        self._file = BudgetFile(folder / f"budget-{shared_name(key)}.sqlite")
        self._pacing = Pacing(max(1, limit), window, spaced, adopt)
        self._slots: InFlightSlots | None = None
        if in_flight is not None:
            self._slots = InFlightSlots(in_flight_key or key, in_flight, folder)
        self._places = asyncio.Semaphore(self._pacing.places)
        self._clock = clock
        self._sleep = sleep
        self._random = random
        self._observer = observer
        self._service = service
        self._told: list[_Work] = []
        """What the next change notes as well, so that it is no change of its own."""
        self._calm = False
        """Whether requests flowed when the file was last looked at."""

    async def acquire(self) -> Release:
        """Wait for the next release, which counts as used from then on.

        Whoever wakes checks again before going, so neither a late wake-up
        nor a freeze in the meantime can overfill a window.
        """
        async with self._places:
            slot: _Slot | None = None
            try:
                while True:
                    step = await self._change(partial(self._claim, slot=slot))
                    if isinstance(step, Release):
                        return step
                    slot = step.slot
                    waited = BudgetWaited(self._service, step.seconds, step.reason)
                    self._observer(waited)
                    await self._sleep(step.seconds)
            except BaseException:
                # Cancelled: at once, since nobody may be there to wait for it.
                with suppress(StorageError):
                    self._write(partial(_give_back, slot=slot))
                raise

    async def sent(self, release: Release) -> None:
        """Take note that the last byte of a request has just gone out.

        The service counts it now, however long it took to get a connection.
        """
        now = self._clock()
        if not 0 <= now - release.at <= _PROMPT:
            await self._note(
                lambda book: book.move(release.number, self._time(book, now))
            )

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
        now = self._clock()
        await self._note(
            lambda book: self._settle(book, now, remaining, limit, release)
        )

    async def unanswered(self, release: Release) -> None:
        """Take note that no answer came, so that another caller may probe."""
        await self._change(partial(self._hand_back, release=release))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._told:
            with suppress(StorageError):
                self._write(lambda book: None)
            self._told.clear()
        self._file.close()
        if self._slots is not None:
            self._slots.close()

    async def _note(self, work: _Work) -> None:
        """Change the file at once, or while requests flow before anything else waits.

        Whoever got an answer sends the next request in the same breath: one change.
        """
        if not self._calm:
            await self._change(work)
            return
        if not self._told:
            asyncio.get_running_loop().call_soon(self._tell)
        self._told.append(work)

    def _tell(self) -> None:
        """Note what was put off; where the disk refuses, the next change raises it."""
        if not self._told:
            return
        try:
            self._write(lambda book: None)
        except BudgetBusyError:
            asyncio.get_running_loop().call_later(_BUSY_SECONDS, self._tell)
        except StorageError:
            pass

    def _write(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        told = tuple(self._told)

        def both(book: BudgetTransaction) -> _Result:
            for each in told:
                each(book)
            result = work(book)
            self._calm = book.state.level == 0
            return result

        result = self._file.change(both)
        del self._told[: len(told)]
        return result

    def _time(self, book: BudgetTransaction, clock: float) -> float:
        """Return the budget's time of a moment that may be past."""
        now = book.now(self._clock())  # First: a clock that went back moves the offset.
        return min(clock + book.state.offset, now)

    async def _change(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        for _ in range(_BUSY_TRIES):
            try:
                return self._write(work)
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
        under_way = book.under_way(now - ABANDONED_SECONDS)
        if self._pacing.exhausted(book, now, under_way):
            # Answers under way may tell that there is more.
            rest = self._pacing.reopens(state) - now
            return _pause(_CROWDED_SECONDS if under_way else rest, "pace", slot)
        if self._pacing.spaced and not state.level:
            slot = self._slot(state, slot, now)
            if slot.at > now + _AT_ONCE:
                return _pause(slot.at - now, "pace", slot)
        wait = self._pacing.until_free(book, now)
        if wait > 0:
            return _pause(wait, "pace", slot)
        taken = 0 if self._slots is None else self._slots.take(self._clock())
        if self._slots is not None and not taken:
            return _pause(_CROWDED_SECONDS, "too many requests are under way", slot)
        return self._release(book, now, taken)

    def _release(self, book: BudgetTransaction, now: float, taken: int) -> Release:
        state = book.state
        number = book.record(now)
        book.begin(number, now)
        if number % _FORGOTTEN_AT_ONCE == 0:
            book.forget_before(now - self._pacing.memory, now - ABANDONED_SECONDS)
        if state.level:
            # The one that finds out whether the service takes requests again.
            state.probe, state.probe_until = number, now + _PROBE_SECONDS
            state.next_slot = now + self._pacing.gap(state, now)
        return Release(number, now - state.offset, probe=state.level > 0, slot=taken)

    def _slot(self, state: BudgetState, slot: _Slot | None, now: float) -> _Slot:
        if slot is not None and slot.generation == state.generation:
            return slot
        at = self._pacing.next_slot(state, now)
        state.next_slot = at + self._pacing.gap(state, now)
        return _Slot(at, state.next_slot, state.generation)

    def _freeze(
        self,
        book: BudgetTransaction,
        attempt: int,
        retry_after: float | None,
        named_limit: int | None,
        release: Release | None,
    ) -> None:
        state = book.state
        now = book.now(self._clock())
        lowered = self._pacing.learn(state, named_limit, now)
        asked = bound_pause(retry_after)
        if release is not None:
            self._hand_back(book, release)
        if _sent_before_freeze(state, release, now):
            # One of many that were under way together: one pause serves them all,
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
        book: BudgetTransaction,
        clock: float,
        remaining: int | None,
        limit: int | None,
        release: Release | None,
    ) -> None:
        state = book.state
        now = self._time(book, clock)
        if release is not None:
            self._hand_back(book, release)
        if limit is not None and limit > 0:
            state.named = limit
        if state.level and not _sent_before_freeze(state, release, now):
            state.level = 0
            state.frozen_until = 0.0
        if state.level == 0:
            state.pace = min(1.0, state.pace + _PACE_STEP)
        if self._pacing.spaced and release is not None:
            self._pacing.count_delay(book, release.number, now)
        if remaining is not None:
            sent = book.time_of(release.number) if release is not None else now
            under_way = book.under_way(now - ABANDONED_SECONDS)
            self._pacing.count_remaining(book, remaining, sent or 0.0, now, under_way)

    def _hand_back(self, book: BudgetTransaction, release: Release) -> None:
        if self._slots is not None:
            self._slots.free(release.slot)
        book.end(release.number)
        if book.state.probe == release.number:
            book.state.probe, book.state.probe_until = 0, 0.0


def _pause(seconds: float, reason: str, slot: _Slot | None = None) -> _Pause:
    return _Pause(max(seconds, _AT_ONCE), reason, slot)


def _sent_before_freeze(
    state: BudgetState, release: Release | None, now: float
) -> bool:
    if release is None:
        return state.level > 0 and now < state.frozen_until
    return release.number <= state.frozen_number


def _give_back(book: BudgetTransaction, slot: _Slot | None) -> None:
    """Let the next caller have a slot that nobody uses, unless others stand behind."""
    state = book.state
    if slot is None or slot.generation != state.generation:
        return
    if state.next_slot == slot.following:
        state.next_slot = slot.at
