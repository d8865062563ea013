"""Rate windows and the cap on concurrent requests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class SecondWindow:
    """At most `limit` calls in each second of the clock.

    The count starts again when the second rolls over, as a counter in a shared
    store does; twice the limit fits around the turn of a second.
    """

    limit: int
    clock: Callable[[], float]
    second: int = -1
    taken: float = 0
    peak: float = 0
    """The most calls of one second, those refused included."""

    def admit(self, cost: float = 1) -> bool:
        """Count one call of this cost; False when this second is used up."""
        second = math.floor(self.clock())
        if second != self.second:
            self.second, self.taken = second, 0
        self.taken += cost
        self.peak = max(self.peak, self.taken)
        return self.taken <= self.limit + 1e-9


@dataclass(slots=True)
class TokenWindows:
    """A `SecondWindow` for each token."""

    limit: int
    clock: Callable[[], float]
    windows: dict[str, SecondWindow] = field(default_factory=dict)

    def admit(self, token: str) -> bool:
        """Count one call of a token; False when its second is used up."""
        fresh = SecondWindow(self.limit, self.clock)
        return self.windows.setdefault(token, fresh).admit()

    @property
    def peak(self) -> float:
        """Return the most calls of one second that one count has seen."""
        return max((window.peak for window in self.windows.values()), default=0)


@dataclass(slots=True)
class MinuteWindow:
    """At most `limit` calls in the 60 seconds that the first of them opens."""

    limit: int
    clock: Callable[[], float]
    opened: float = -math.inf
    taken: int = 0

    def admit(self) -> bool:
        """Count one call; False when this window is used up."""
        now = self.clock()
        if now - self.opened >= 60:
            self.opened, self.taken = now, 0
        self.taken += 1
        return self.taken <= self.limit

    @property
    def remaining(self) -> int:
        """Return how many calls the window still takes."""
        return max(0, self.limit - self.taken)

    @property
    def reopens_in(self) -> int:
        """Return the whole seconds until the next window, at least 1."""
        return max(1, math.ceil(self.opened + 60 - self.clock()))


@dataclass(slots=True)
class InFlight:
    """How many requests are being answered, and the most there have been."""

    cap: int
    now: int = 0
    peak: int = 0

    @contextmanager
    def entered(self) -> Iterator[bool]:
        """Hold a place while a request is answered; False beyond the cap."""
        self.now += 1
        self.peak = max(self.peak, self.now)
        try:
            yield self.now <= self.cap
        finally:
            self.now -= 1
