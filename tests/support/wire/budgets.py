"""Budgets that share one folder in virtual time, and steps of their callers."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

from cmsmig.wire.budget import Budget, Release
from tests.support.wire.virtual_time import VirtualTime


class Budgets:
    """One budget for each process, by its name: 6 per second, evenly, by default."""

    def __init__(self, folder: Path, clock: VirtualTime, **terms: Any) -> None:
        self.folder, self.clock = folder, clock
        self.terms = {"limit": 6, "window": 1.0, "spaced": True, **terms}
        self._opened: dict[str, Budget] = {}

    def __getitem__(self, process: str) -> Budget:
        if process not in self._opened:
            self._opened[process] = Budget(
                "key",
                folder=self.folder,
                clock=self.clock.clock,
                sleep=self.clock.sleep,
                random=lambda: 0.5,
                **self.terms,
            )
        return self._opened[process]

    @property
    def path(self) -> Path:
        """Return the file that they share."""
        (path,) = self.folder.glob("budget-*.sqlite")
        return path

    def close(self) -> None:
        """Close all; the next use opens the file again."""
        for each in self._opened.values():
            each.close()


class Callers:
    """The verbs of `budget.yaml`: each is done by a process, `one` by default.

    Releases have names, so that a later step can say what its request met.
    """

    def __init__(self, budgets: Budgets) -> None:
        self.budgets, self.clock = budgets, budgets.clock
        self.times: list[float] = []
        """When each request of `take` was released."""
        self._given: dict[str, Release] = {}
        self._waiting: dict[str, asyncio.Task[Release]] = {}

    async def run(self, steps: list[dict[str, Any]]) -> None:
        """Do the steps in turn: the first key of each is its verb."""
        for step in steps:
            (verb, subject), *more = step.items()
            await getattr(self, verb)(subject, **dict(more))
        await asyncio.gather(*self._waiting.values(), return_exceptions=True)

    async def acquire(
        self,
        name: str,
        by: str = "one",
        probe: bool = False,
        after: float = 0.0,
        within: float = math.inf,
    ) -> None:
        """Wait for a release, which comes so many seconds later."""
        began = self.clock.now
        self._given[name] = release = await self.budgets[by].acquire()
        assert release.probe == probe
        assert after <= self.clock.now - began <= within

    async def take(
        self,
        count: int,
        by: str = "one",
        callers: int = 1,
        after: float = 0.0,
        within: float = math.inf,
    ) -> None:
        """Let callers take so many in all, answered at once; the last is `taken`."""
        began = self.clock.now
        each = count // callers
        await asyncio.gather(*(self._take(each, by) for _ in range(callers)))
        assert after <= self.clock.now - began <= within

    async def _take(self, count: int, by: str) -> None:
        for _ in range(count):
            self._given["taken"] = release = await self.budgets[by].acquire()
            self.times.append(self.clock.now)
            await self.budgets[by].answered(remaining=None, limit=None, release=release)

    async def answered(
        self,
        name: str,
        by: str = "one",
        remaining: int | None = None,
        limit: int | None = None,
    ) -> None:
        """Report an answer, with the service's own count."""
        await self.budgets[by].answered(
            remaining=remaining, limit=limit, release=self._given[name]
        )

    async def refused(
        self,
        name: str,
        by: str = "one",
        attempt: int = 1,
        retry_after: float | None = None,
        named_limit: int | None = None,
    ) -> None:
        """Report a 429."""
        await self.budgets[by].refused(
            attempt=attempt,
            retry_after=retry_after,
            named_limit=named_limit,
            release=self._given[name],
        )

    async def unanswered(self, name: str, by: str = "one") -> None:
        """Report that no answer came."""
        await self.budgets[by].unanswered(self._given[name])

    async def wait(self, names: list[str], by: str = "one") -> None:
        """Begin to wait for a release, one caller for each name."""
        for name in names:
            self._waiting[name] = asyncio.create_task(self.budgets[by].acquire())
            await asyncio.sleep(0)

    async def crowd(self, count: int, by: str = "one") -> None:
        """Let so many callers begin to wait."""
        await self.wait([f"caller {number}" for number in range(count)], by)

    async def still_wait(self, names: list[str]) -> None:
        """These have no release yet."""
        assert not [name for name in names if self._waiting[name].done()]

    async def gets(self, name: str, probe: bool = False, within: float = 0.0) -> None:
        """One that waited gets its release."""
        began = self.clock.now
        self._given[name] = release = await self._waiting[name]
        assert release.probe == probe
        assert self.clock.now - began <= within

    async def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        await self.clock.pass_by(seconds)

    async def set_back(self, seconds: float) -> None:
        """Set the clock back."""
        self.clock.now -= seconds

    def gap(self, number: int) -> float:
        """Return the seconds between two releases of `take` that follow each other."""
        gaps = [later - earlier for earlier, later in pairwise(self.times)]
        return gaps[number]
