"""Several processes with one budget, a service that counts, and a model of freezes.

Dice decide on delays, cancelled callers, processes that die, and clocks set back.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from cmsmig.wire.budget import Budget, Release
from tests.support.wire.virtual_time import VirtualTime

NETWORK = 0.005
"""Seconds by which one request travels longer than another at most."""
PROBE_SECONDS = 30.0
LONGEST_PAUSE = 20.0


@dataclass(frozen=True)
class Terms:
    """What the service allows and how it is used."""

    limit: int
    window: float
    spaced: bool

    @property
    def shortest_pause(self) -> float:
        return self.window if self.window <= 5 else self.window / 20


@dataclass
class Frozen:
    """The model of a freeze: who may send after a 429, and when."""

    terms: Terms
    since: float | None = None
    asked: float | None = None
    """The pause that the last 429 asked for."""
    before: int = 0
    """Releases up to this number were sent before the freeze."""
    level: int = 0
    probe: int | None = None
    probed: float = 0.0

    def released(self, release: Release, now: float) -> None:
        """Check that a release may be just now."""
        assert release.probe == (self.since is not None)
        if self.since is None:
            return
        pause = min(self.terms.shortest_pause * 2 ** (self.level - 1), LONGEST_PAUSE)
        if self.asked is not None:
            # The first pause is what the service asks for, later ones no shorter.
            pause = max(pause if self.level > 1 else 0.0, self.asked)
        assert now - self.since >= pause
        assert self.probe is None or now - self.probed >= PROBE_SECONDS
        self.probe, self.probed = release.number, now

    def refused(
        self, release: Release, now: float, asked: float | None, latest: int
    ) -> None:
        """Take note of a 429; those sent before a freeze say nothing new."""
        self.silent(release)
        if release.number <= self.before:
            return
        self.since, self.asked, self.before = now, asked, latest
        self.level += 1

    def answered(self, release: Release) -> None:
        """Take note of an answer; that of a probe ends the freeze."""
        self.silent(release)
        if self.since is not None and release.number > self.before:
            self.since, self.level = None, 0

    def silent(self, release: Release) -> None:
        """Record that a release is no longer in flight."""
        if self.probe == release.number:
            self.probe = None


@dataclass
class World:
    """A service, the processes that ask it, and what happens to them."""

    terms: Terms
    folder: Path
    dice: random.Random
    late: float = 0.0
    """Seconds by which a process wakes later than it asked, at most."""
    stall: float = 0.0
    """Seconds from a release to its last byte, at most."""
    latency: float = 0.02
    in_flight: int | None = None
    refusing: Callable[[float], float | None] = lambda now: None
    """Which pause a 429 asks for at a time; negative: none, None: no 429."""
    skew: float = 0.0
    """What is wrong with the clock of the machine."""
    arrivals: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    waiting: dict[int, float] = field(default_factory=dict)
    shares: Counter[int] = field(default_factory=Counter)
    latest: int = 0
    open_calls: int = 0
    most_open_calls: int = 0

    def __post_init__(self) -> None:
        self.time = VirtualTime(late=self._late)
        self.frozen = Frozen(self.terms)
        self.dead: set[int] = set()
        self.tickets = count()
        self.budgets: dict[int, Budget] = {}

    def _late(self) -> float:
        return self.dice.choice((0.0, 0.0, self.dice.random())) * self.late

    def budget(self, process: int) -> Budget:
        """Return a process's budget."""
        if process not in self.budgets:
            self.budgets[process] = Budget(
                "key",
                limit=self.terms.limit,
                window=self.terms.window,
                spaced=self.terms.spaced,
                folder=self.folder,
                in_flight=self.in_flight,
                clock=lambda: self.time.now + self.skew,
                sleep=lambda seconds: self.sleep(process, seconds),
                random=self.dice.random,
            )
        return self.budgets[process]

    async def sleep(self, process: int, seconds: float) -> None:
        """Sleep as a process does: it never wakes when it has died."""
        await self.time.sleep(seconds)
        if process in self.dead:
            await asyncio.get_running_loop().create_future()

    async def calls(self, process: int, left: int) -> None:
        """Ask the service so many times, again after each 429."""
        while left:
            left -= await self.call(process)

    async def call(self, process: int) -> bool:
        """Ask once; return whether the service took it."""
        shared, ticket = self.budget(process), next(self.tickets)
        self.waiting[ticket] = self.time.now
        try:
            release = await shared.acquire()
        finally:
            since = self.waiting.pop(ticket)
        self.waits.append(self.time.now - since)
        self.shares[process] += 1
        self.latest = max(self.latest, release.number)
        self.frozen.released(release, self.time.now)
        self.open_calls += 1
        self.most_open_calls = max(self.most_open_calls, self.open_calls)
        pause: float | None = None
        try:
            if self.stall:
                await self.sleep(process, self.dice.random() * self.stall)
            await shared.sent(release)
            await self.time.pass_by(self.latency + self.dice.random() * NETWORK)
            pause = self.refusing(self.time.now)
            self.arrivals.append(self.time.now)
            await self.sleep(process, self.latency)
        except asyncio.CancelledError:
            await shared.unanswered(release)
            self.frozen.silent(release)
            raise
        finally:
            self.open_calls -= 1
        if pause is None:
            await shared.answered(remaining=None, limit=None, release=release)
            self.frozen.answered(release)
            return True
        asked_for = None if pause < 0 else pause
        self.frozen.refused(release, self.time.now, asked_for, self.latest)
        await shared.refused(
            attempt=1, retry_after=asked_for, named_limit=None, release=release
        )
        return False

    def start(
        self, processes: int, callers: int, calls: int, mishaps: str = "", most: int = 8
    ) -> None:
        """Let so many processes begin, with so many callers each, and mishaps."""
        self.tasks = [
            (process, asyncio.ensure_future(self.calls(process, calls)))
            for process in range(processes)
            for _ in range(callers)
        ]
        self._troubles = asyncio.ensure_future(self._mishaps(mishaps, most))

    async def pass_time(self, seconds: float) -> None:
        """Let time pass for all."""
        await self.time.run(self.time.pass_by(seconds))

    async def until_done(self) -> None:
        """Let time pass until those alive have made their calls."""
        latest = self.time.now + 100 * self.terms.window + 1000
        while any(
            not task.done() for process, task in self.tasks if process not in self.dead
        ):
            assert self.time.now < latest
            await self.pass_time(self.terms.window)

    async def end(self) -> None:
        """End what still runs; raise what a caller raised."""
        tasks = [self._troubles, *(task for _, task in self.tasks)]
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for shared in self.budgets.values():
            shared.close()
        for each in ended:
            if isinstance(each, Exception):
                raise each

    async def _mishaps(self, kinds: str, most: int) -> None:
        """Now and then cancel a caller, end a process (never the first), or set
        the clock back."""
        for _ in range(most if kinds else 0):
            await self.time.pass_by(self.dice.uniform(0.1, 1.5) * self.terms.window)
            process, task = self.dice.choice(self.tasks)
            kind = self.dice.choice(kinds)
            if kind == "c":
                task.cancel()
            elif kind == "d" and process != 0:
                self.dead.add(process)
            elif kind == "b":
                # A machine that starts again counts from 0.
                self.skew -= self.dice.choice((0.5, 3600.0))


@asynccontextmanager
async def a_world(terms: Terms, seed: int, **more: Any) -> AsyncIterator[World]:
    """Make a world with a folder of its own, and end it."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(terms, Path(folder), random.Random(seed), **more)
        yield world
        await world.end()
