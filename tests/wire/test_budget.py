"""The request budget that processes share, rule by rule."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.errors import StorageError
from cmsmig.wire.answers import Request
from cmsmig.wire.budget import Budget
from cmsmig.wire.session import Session
from tests.support.cases import cases
from tests.support.timelimit import patience
from tests.support.wire.budgets import Budgets, Callers
from tests.support.wire.raw_host import RawHost
from tests.support.wire.virtual_time import VirtualTime, fullest_window


@cases(__file__, "budget.yaml")
async def test_when_callers_may_go(tmp_path: Path, case: dict[str, Any]) -> None:
    """Each case is steps in virtual time."""
    dice = random.Random(0)
    clock = VirtualTime(late=lambda: dice.random() * case.get("late", 0.0))
    budgets = Budgets(tmp_path, clock, **case.get("terms", {}))
    callers = Callers(budgets)
    await clock.run(callers.run(case["steps"]))
    budgets.close()
    then = case.get("then", {})
    if "fullest" in then:
        window = then.get("window", 1.0)
        assert fullest_window(callers.times, window) == then["fullest"]
    if "within" in then:
        assert callers.times[-1] - callers.times[0] <= then["within"]
    for number, (least, most) in then.get("gaps", {}).items():
        numbers = range(len(callers.times) - 1) if number == "every" else [number]
        assert all(least <= callers.gap(each) <= most for each in numbers)


@pytest.mark.parametrize(
    ("limit", "every", "stall", "slower"),
    [
        *((limit, 1.3, 0.02, 1.03) for limit in (3, 20, 60)),
        *((limit, 1.3, 0.05, 1.045) for limit in (3, 6, 60)),
        *((limit, 7.3, 0.2, 1.12) for limit in (3, 20)),
    ],
)
async def test_requests_that_are_held_up_overfill_no_second(
    budgets: Budgets, limit: int, every: float, stall: float, slower: float
) -> None:
    """Every few seconds the network holds all of them up for a while.

    The service counts what arrives late in the next second, which holds it. The whole
    takes `slower` times what the limit takes at most.
    """
    budgets.terms["limit"] = limit
    clock, arrivals = budgets.clock, []

    async def caller() -> None:
        for _ in range(6 * limit + 12):
            release = await budgets["one"].acquire()
            since = clock.now % every
            await clock.pass_by(stall - since + 0.002 if since < stall else 0.002)
            arrivals.append(clock.now)
            await budgets["one"].answered(remaining=None, limit=None, release=release)

    await asyncio.gather(*(caller() for _ in range(6)))
    assert fullest_window(arrivals, 1.0) <= limit
    assert max(arrivals) - min(arrivals) <= slower * len(arrivals) / limit


async def test_what_no_window_holds_is_forgotten(budgets: Budgets) -> None:
    """The log of releases does not grow with the days that a migration takes."""
    kept: list[int] = []
    callers = Callers(budgets)
    for _ in range(400):
        await callers.take(1)
        with closing(sqlite3.connect(budgets.path)) as db:
            kept += db.execute("SELECT count(*) FROM release").fetchone()
    assert max(kept[200:]) <= max(kept[:200]) < 100


@pytest.mark.parametrize(
    "content",
    [b"", b"not a database at all" * 99, b"SQLite format 3\0" + b"x" * 9000],
)
async def test_a_damaged_file_is_replaced(budgets: Budgets, content: bytes) -> None:
    """Whatever is in its place, the budget works."""
    await Callers(budgets).take(2)
    budgets.close()
    budgets.path.write_bytes(content)
    after = Callers(budgets)
    await after.take(12, by="another")
    assert fullest_window(after.times, 1.0) <= 6


async def test_a_folder_that_cannot_be_is_one_sentence(budgets: Budgets) -> None:
    """The path and the way out are named."""
    budgets.folder.write_text("a file")
    with pytest.raises(StorageError, match=r"request budget .* cannot be used"):
        await budgets["one"].acquire()


SHARER = """
import asyncio, sys, time
from pathlib import Path
from cmsmig.wire.budget import Budget

async def main():
    shared = Budget("real", limit=20, window=1.0, spaced=True, folder=Path(sys.argv[1]))
    for _ in range(15):
        release = await shared.acquire()
        print(repr(time.time()), flush=True)
        await shared.answered(remaining=None, limit=None, release=release)
    shared.close()

asyncio.run(main())
"""


def test_two_processes_share_one_budget(tmp_path: Path) -> None:
    """Their releases together keep to the limit."""
    command = [sys.executable, "-c", SHARER, str(tmp_path)]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    lines = [child.communicate(timeout=patience())[0].split() for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert [len(each) for each in lines] == [15, 15]
    times = [float(line) for each in lines for line in each]
    assert fullest_window(times, 1.0) <= 20


@pytest.mark.processor_time(5)
async def test_a_transaction_is_quick(tmp_path: Path) -> None:
    """A thousand releases of a wide budget cost a few milliseconds each at most."""
    shared = Budget("quick", limit=100_000, window=1.0, spaced=False, folder=tmp_path)
    for _ in range(1000):
        await shared.acquire()
    shared.close()


class SlowConnections(httpx.AsyncHTTPTransport):
    """Real connections, the first of which takes a while to get."""

    def __init__(self, clock: VirtualTime, seconds: float) -> None:
        super().__init__()
        self.clock, self.seconds = clock, seconds

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Let time pass, then send."""
        self.clock.now += self.seconds
        self.seconds = 0.0
        return await super().handle_async_request(request)


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_request_counts_from_its_last_byte(tmp_path: Path, method: str) -> None:
    """A connection that took long to get brings it into the next second."""
    clock = VirtualTime()
    received: list[float] = []

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        received.append(clock.now)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    async def sleep(seconds: float) -> None:
        clock.now += seconds

    async with RawHost(*[answer] * 5).listening() as host:
        session = Session(
            "destination",
            authorization=None,
            budget=Budget(
                "key",
                limit=2,
                window=1.0,
                spaced=True,
                folder=tmp_path,
                clock=clock.clock,
                sleep=sleep,
            ),
            in_flight=1,
            transport=SlowConnections(clock, 0.6),
        )
        body = {} if method == "POST" else None
        async with session:
            for _ in range(5):
                await session.send(Request(method, host.url, json=body))
    assert len(received) == 5
    assert fullest_window(received, 1.0) == 2
