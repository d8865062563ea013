"""The rules of a budget: how many releases a window holds, and how long pauses are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from cmsmig.wire.bounds import LONGEST_PAUSE
from cmsmig.wire.budget_file import BudgetState, BudgetTransaction

GUARD = 0.012
"""How much slower than the pure rate releases are planned, as a share."""
_STRICT = 0.006
"""The part of the guard that late wake-ups may not use up: it is the network's."""
_CATCH_UP = 0.8
"""Releases that come late follow each other no closer than this share of the gap."""
_LATE, _LATEST = 0.05, 0.25
"""By how much of a window at most a held-up request is logged later: one whose answer
took longer than half of them, and one whose took longer than nine in ten."""
_TYPICAL_STEP = 1.02
_USUAL_UP, _USUAL_DOWN = 1.09, 1 / 1.01
"""Steps that settle where one answer in ten is slower."""
_LATE_WAKING = 0.05
"""Seconds of releases that a process may have reserved besides the next one.

With a single reservation, a process that wakes late would let the rate fall.
"""
_LONGEST_BACKOFF = 20.0
_LEARNED_SECONDS = 3600.0
"""A limit learned from a 429 is doubted after so long: plans do get upgraded."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """The rate settings of one process; all else is in the shared state."""

    configured: int
    """Releases per window, from the settings."""
    window: float
    """Seconds."""
    spaced: bool
    adopt: bool
    """Whether a higher limit that the service names counts too."""

    @property
    def memory(self) -> float:
        """Return for how many seconds releases are remembered."""
        return 2 * self.window

    @property
    def places(self) -> int:
        """Return how many callers of a process may be in the shared queue."""
        return 1 + math.ceil(_LATE_WAKING * self.configured / self.window)

    def until_free(self, book: BudgetTransaction, now: float) -> float:
        """Return the seconds until one more release fits every window."""
        strict = _STRICT if self.spaced else GUARD
        oldest, last = book.newest(self.limit(book.state, now))
        free = now if oldest is None else oldest + self.window * (1 + strict)
        if self.spaced and last is not None:
            free = max(free, last + self.gap(book.state, now) * _CATCH_UP)
        return free - now

    def gap(self, state: BudgetState, now: float) -> float:
        """Return the seconds between two evenly spaced releases."""
        limit = self.named_limit(state, now)
        return self.window * (1 + GUARD) / (limit * state.pace)

    def next_slot(self, state: BudgetState, now: float) -> float:
        """Return when the next evenly spaced release is due.

        It may be past: a short stall is compensated as far as windows allow, a rest is
        not. A time that no process can have reserved is ignored.
        """
        ahead = state.next_slot - now
        possible = -self.window <= ahead <= max(LONGEST_PAUSE, 10 * self.window)
        return state.next_slot if possible else now

    def limit(self, state: BudgetState, now: float) -> int:
        """Return how many releases a window may hold."""
        limit = self.named_limit(state, now)
        return limit if self.spaced else max(1, int(limit * state.pace))

    def named_limit(self, state: BudgetState, now: float) -> int:
        """Return the limit, from settings and from what the service said."""
        limit = self.configured
        if state.named:
            limit = state.named if self.adopt else min(limit, state.named)
        if state.learned and now - state.learned_at < _LEARNED_SECONDS:
            limit = min(limit, state.learned)
        return limit

    def learn(self, state: BudgetState, named: int | None, now: float) -> bool:
        """Keep a lower limit that a 429 named; return whether it was lower."""
        if named is None or not 0 < named < self.named_limit(state, now):
            return False
        state.learned, state.learned_at = named, now
        return True

    def backoff(
        self,
        exponent: int,
        retry_after: float | None,
        random: Callable[[], float],
    ) -> float:
        """Return how long to leave the service alone, longer each time."""
        shortest = self.window if self.window <= 5 else self.window / 20
        grown = min(shortest * 2.0 ** min(exponent, 16), _LONGEST_BACKOFF)
        jitter = 1 + 0.5 * random()
        if retry_after is None:
            return grown * jitter
        asked = bound_pause(retry_after) + 0.1 * shortest * jitter
        return asked if exponent == 0 else max(asked, grown * jitter)

    def count_delay(self, book: BudgetTransaction, number: int, now: float) -> None:
        """Log a release as later whose answer took longer than most.

        It may have been delayed on its way, and the service counts it when it arrives:
        with the releases of the next window. Or the service took longer, so a delay
        that is not much longer than usual does not count in full.
        """
        at = book.time_of(number)
        if at is None:
            return
        state, took = book.state, max(now - at, 1e-4)
        slower = took - (state.typical or took)
        slowest = took - (state.usual or took)
        # Steps of equal size settle where as many answers are slower as faster.
        step = _TYPICAL_STEP if slower > 0 else 1 / _TYPICAL_STEP
        state.typical = (state.typical or took / step) * step
        step = _USUAL_UP if slowest > 0 else _USUAL_DOWN
        state.usual = (state.usual or took / step) * step
        late = max(
            min(slower, _LATE * self.window), min(slowest, _LATEST * self.window)
        )
        if late > _STRICT * self.window:
            book.move(number, at + late)

    def reopens(self, state: BudgetState) -> float:
        """Return when the service's own window is over at the latest."""
        return state.opened + self.window * (1 + GUARD)

    def exhausted(self, book: BudgetTransaction, now: float, in_flight: int) -> bool:
        """Return whether what the service said to remain may be used up.

        It is not known which of those in flight it has counted, so all are.
        """
        known = book.state.remaining >= 0 and now < self.reopens(book.state)
        return known and book.state.remaining <= in_flight

    def count_remaining(
        self,
        book: BudgetTransaction,
        remaining: int,
        released: float,
        now: float,
        in_flight: int,
    ) -> None:
        """Keep how many calls the service still takes, those of other clients included.

        Its window begins with some call, and what remains only falls until it is
        over. Answers may come in another order than they were counted in.
        """
        state = book.state
        others = state.remaining - remaining > state.released - state.told_number
        new = state.remaining < 0 or released >= self.reopens(state)
        # The next window may hide behind what others have used of it already.
        new = new or (others and now >= state.began + self.window)
        if new or (remaining > state.remaining and released >= state.told):
            state.began, state.opened = released, now
        elif remaining >= state.remaining:
            return
        state.remaining, state.told = remaining, now
        state.told_number = state.released - in_flight


def bound_pause(retry_after: float | None) -> float:
    """Return the seconds that a service asked for, within reason."""
    if retry_after is None or not retry_after > 0:
        return 0.0
    return min(retry_after, LONGEST_PAUSE)
