"""Single rules of the budget, each beside what would go wrong without it."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cmsmig.wire.answers import Request
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session
from tests.support.wire.virtual_time import VirtualTime, fullest_window


def budget(folder: Path, clock: VirtualTime, **more: Any) -> Budget:
    """Return one process's budget: 6 per second, evenly, unless told otherwise."""
    values: dict[str, Any] = {
        "limit": 6,
        "window": 1.0,
        "spaced": True,
        "clock": clock.clock,
        "sleep": clock.sleep,
        "random": lambda: 0.5,
    }
    return Budget("key", folder=folder, **(values | more))


async def frozen(shared: Budget) -> None:
    """Let a request be refused."""
    release = await shared.acquire()
    await shared.refused(attempt=1, retry_after=None, named_limit=None, release=release)


async def test_a_cancelled_caller_leaves_its_place(tmp_path: Path) -> None:
    """The next one goes when the cancelled one would have."""
    clock = VirtualTime()
    one, two = budget(tmp_path, clock), budget(tmp_path, clock)

    async def story() -> None:
        first = await one.acquire()
        for _ in range(5):
            waiting = asyncio.ensure_future(one.acquire())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        second = await two.acquire()
        assert second.at - first.at < 1.02 / 6

    await clock.run(story())
    one.close()
    two.close()


async def test_what_no_window_holds_is_forgotten(tmp_path: Path) -> None:
    """The log of releases does not grow with the days that a migration takes."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)
    held: list[int] = []

    async def story() -> None:
        for _ in range(400):
            release = await shared.acquire()
            await shared.answered(remaining=None, limit=None, release=release)
            (path,) = tmp_path.glob("*.sqlite")
            with closing(sqlite3.connect(path)) as db:
                held.extend(db.execute("SELECT count(*) FROM release").fetchone())

    await clock.run(story())
    shared.close()
    assert max(held[200:]) <= max(held[:200]) < 100


async def test_one_caller_beside_many_has_its_turn(tmp_path: Path) -> None:
    """A process with fifty callers keeps one with a single caller waiting briefly."""
    clock = VirtualTime()
    many, single = budget(tmp_path, clock), budget(tmp_path, clock)

    async def story() -> None:
        crowd = [asyncio.ensure_future(many.acquire()) for _ in range(50)]
        await clock.sleep(1.0)
        asked = clock.now
        await single.acquire()
        assert clock.now - asked <= 4 * 1.02 / 6
        await asyncio.gather(*crowd)

    await clock.run(story())
    many.close()
    single.close()


async def test_a_short_stall_is_made_up_for(tmp_path: Path) -> None:
    """Twenty seconds later no call is lost, and no second held more than allowed."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock, limit=60)
    times: list[float] = []

    async def story() -> None:
        for number in range(1261):
            if number == 60:
                await clock.sleep(0.1)
            times.append((await shared.acquire()).at)

    await clock.run(story())
    shared.close()
    assert times[-1] - times[0] <= 1260 * 1.012 / 60 + 0.005
    assert fullest_window(times, 1.0) == 60


async def test_a_probe_given_up_for_dead_ends_no_other_probe(tmp_path: Path) -> None:
    """Its failure says nothing about the one that is under way now."""
    clock = VirtualTime()
    slow, quick, third = (budget(tmp_path, clock) for _ in range(3))

    async def story() -> None:
        await frozen(slow)
        late = await slow.acquire()
        await clock.sleep(31)
        probe = await quick.acquire()
        assert late.probe
        assert probe.probe
        await slow.unanswered(late)
        waiting = asyncio.ensure_future(third.acquire())
        await clock.sleep(5)
        assert not waiting.done()
        await quick.answered(remaining=None, limit=None, release=probe)
        assert not (await waiting).probe

    await clock.run(story())
    for shared in (slow, quick, third):
        shared.close()


async def test_a_429_from_before_a_freeze_is_old_news_after_it(tmp_path: Path) -> None:
    """A probe has found out since that the service takes requests."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)

    async def story() -> None:
        slow = await shared.acquire()
        await frozen(shared)
        probe = await shared.acquire()
        await shared.answered(remaining=None, limit=None, release=probe)
        await shared.refused(attempt=1, retry_after=9.0, named_limit=None, release=slow)
        asked = clock.now
        assert not (await shared.acquire()).probe
        assert clock.now - asked < 1

    await clock.run(story())
    shared.close()


async def test_requests_of_a_dead_process_count_for_a_while(tmp_path: Path) -> None:
    """They may be under way; after a minute and a half nobody waits for them."""
    clock = VirtualTime()
    dying = budget(tmp_path, clock, in_flight=3)
    living = budget(tmp_path, clock, in_flight=3)

    async def story() -> None:
        for _ in range(3):
            await dying.acquire()
        asked = clock.now
        await living.acquire()
        assert 80 <= clock.now - asked <= 91

    await clock.run(story())
    dying.close()
    living.close()


@settings(max_examples=8, deadline=None)
@given(
    limit=st.sampled_from([60, 120]),
    callers=st.integers(1, 6),
    latency=st.sampled_from([0.02, 0.6]),
    alone=st.booleans(),
    seed=st.integers(0, 2**32),
)
@example(limit=120, callers=2, latency=0.6, alone=False, seed=306918)
def test_what_others_use_of_a_minute_is_left_to_them(
    limit: int, callers: int, latency: float, alone: bool, seed: int
) -> None:
    """A service that counts from the first call on, and tells what remains.

    Others use some of each minute at its start; nobody is ever refused, and the
    limit is the service's own, which nobody told. What remains is used.
    """
    dice = random.Random(seed)
    clock = VirtualTime()
    opened, taken, refused = -60.0, 0, 0
    left = [3 * limit // callers] * callers
    used: list[int] = []

    async def call(shared: Budget) -> None:
        nonlocal opened, taken, refused
        release = await shared.acquire()
        await shared.sent(release)
        await clock.pass_by(latency * (1 + dice.random()))
        if clock.now - opened >= 60:
            used.append(taken)
            opened, taken = clock.now, 0
            taken = 0 if alone else dice.randrange(limit - callers)
        taken += 1
        refused += taken > limit
        remaining = max(0, limit - taken)
        await clock.pass_by(latency * (1 + dice.random()))
        await shared.answered(remaining=remaining, limit=limit, release=release)

    async def caller(shared: Budget, calls: int) -> None:
        for _ in range(calls):
            await call(shared)

    async def story(folder: Path) -> None:
        shared = budget(folder, clock, limit=60, window=60.0, spaced=False, adopt=True)
        begun = clock.now
        await clock.run(*(caller(shared, calls) for calls in left))
        shared.close()
        assert refused == 0
        assert used[1:]
        if latency < 0.1:
            assert set(used[1:]) == {limit}
        if alone and latency < 0.1:
            assert clock.now - begun <= 122 + 4 * latency * limit / callers

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(story(Path(folder)))


class SlowConnections(httpx.AsyncBaseTransport):
    """Real connections, each of which takes a while to get."""

    def __init__(self, clock: VirtualTime, seconds: float) -> None:
        self.clock, self.seconds = clock, seconds
        self.inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Let time pass, then send."""
        self.clock.now += self.seconds
        self.seconds = 0.0
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.inner.aclose()


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_request_counts_from_its_last_byte(tmp_path: Path, method: str) -> None:
    """A connection that took long to get brings it beside the next second's."""
    clock = VirtualTime()
    received: list[float] = []
    answered = asyncio.Event()

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        end = b"{}" if method == "POST" else b"\r\n\r\n"
        with suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(end):
                received.append(clock.now)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()
        await writer.wait_closed()
        answered.set()

    async def sleep(seconds: float) -> None:
        clock.now += seconds

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    request = Request(method, url, json={} if method == "POST" else None)
    session = Session(
        "destination",
        authorization=None,
        budget=budget(tmp_path, clock, limit=2, sleep=sleep),
        in_flight=1,
        transport=SlowConnections(clock, 0.6),
    )
    async with session:
        for _ in range(5):
            await session.send(request)
    server.close()
    await answered.wait()
    assert len(received) == 5
    assert fullest_window(received, 1.0) == 2


@pytest.mark.parametrize("limit", [3, 6, 20])
async def test_a_rare_long_hold_up_overfills_no_second(
    tmp_path: Path, limit: int
) -> None:
    """A machine that stands still for a while brings what it held beside the next."""
    clock = VirtualTime()
    arrivals: list[float] = []
    shared = budget(tmp_path, clock, limit=limit)

    async def caller() -> None:
        for _ in range(12 * limit):
            release = await shared.acquire()
            since = clock.now % 7.3
            await clock.pass_by(0.2 - since if since < 0.2 else 0.002)
            arrivals.append(clock.now)
            await shared.answered(remaining=None, limit=None, release=release)

    await clock.run(*(caller() for _ in range(5)))
    shared.close()
    assert fullest_window(arrivals, 1.0) <= limit
