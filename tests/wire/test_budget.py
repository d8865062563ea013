"""The request budget that processes share, rule by rule; a file with odd values."""

from __future__ import annotations

import asyncio
import json
import math
import random
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cmsmig.errors import StorageError
from cmsmig.wire.answers import Request
from cmsmig.wire.bounds import LONGEST_PAUSE
from cmsmig.wire.budget import Budget
from cmsmig.wire.budget_file import BudgetState
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


NAMES = tuple(BudgetState.__dataclass_fields__)
ABSENT = "(absent)"
ODD: tuple[Any, ...] = (
    *(0, 1, -1, 5, 2**40, 2**70, 10**40, 0.0, 0.5, -3.5, 1e12, -1e12, 1e300),
    *(math.nan, math.inf, None, True, "1", [], {}, 999_999.0, 1_000_050.0, ABSENT),
)


def write_state(path: Path, rows: list[Any], changed: dict[str, Any]) -> None:
    """Change values of the state, and log releases in flight at these times."""
    with closing(sqlite3.connect(path)) as db, db:
        (text,) = db.execute("SELECT state FROM budget").fetchone()
        state = json.loads(text) | changed
        state = {name: value for name, value in state.items() if value != ABSENT}
        if rows and "in_flight" not in changed:
            # As far ahead or behind as a state may say.
            times = (max(-1e9, min(at, 1e9)) for at in rows)
            state["in_flight"] = dict(enumerate(times, start=2))
        db.execute("UPDATE budget SET state = ?", (json.dumps(state),))
        for number, at in enumerate(rows, start=2):
            db.execute("INSERT OR REPLACE INTO release VALUES (?, ?)", (number, at))


async def seconds_for(
    count: int, rows: list[Any], changed: dict[str, Any], **terms: Any
) -> float:
    """Return how long requests take after the file of one release was changed."""
    clock = VirtualTime()
    with tempfile.TemporaryDirectory() as folder:
        first = Budgets(Path(folder), clock)
        await clock.run(Callers(first).take(1))
        first.close()
        write_state(first.path, rows, changed)
        budgets, began = Budgets(Path(folder), clock, **terms), clock.now
        await clock.run(Callers(budgets).take(count))
        budgets.close()
    return clock.now - began


@pytest.mark.parametrize(
    ("changed", "rows", "count", "least", "most"),
    [
        # No pause is longer than the longest that any service can ask for.
        *(
            ({"level": 3, name: value}, [], 3, 0, 2 * LONGEST_PAUSE + 30)
            for name in ("frozen_until", "next_slot", "probe_until")
            for value in (1e12, 2e6, 9e9)
        ),
        # A pace that is none is forgotten, and the rate is kept.
        *(({"pace": pace}, [], 7, 0.9, 10) for pace in (0, 0.0, -1.0, 1e-9, 1e9)),
        ({"pace": "fast", "released": ABSENT}, [], 7, 0.9, 10),
        # Releases of the future would fill every window there is.
        ({"released": 41}, [1e12] * 40, 12, 0, 10),
    ],
)
async def test_a_value_that_makes_no_sense_stops_no_request(
    changed: dict[str, Any], rows: list[Any], count: int, least: float, most: float
) -> None:
    """Requests take so many seconds, whatever the file says."""
    assert least <= await seconds_for(count, rows, changed) <= most


@settings(max_examples=50, deadline=None)
@given(
    changed=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(ODD), min_size=1),
    rows=st.lists(st.sampled_from([1e12, -1e12, 1e300, 1_000_000.0]), max_size=30),
    window=st.sampled_from([(6, 1.0, True), (60, 60.0, False)]),
    adopt=st.booleans(),
)
@example(dict.fromkeys(NAMES, ABSENT), [], (6, 1.0, True), False)
async def test_whatever_the_file_holds_requests_go_on(
    changed: dict[str, Any],
    rows: list[float],
    window: tuple[int, float, bool],
    adopt: bool,
) -> None:
    """In minutes, without a crash, whatever is in the state or the log."""
    limit, seconds, spaced = window
    terms = {"limit": limit, "window": seconds, "spaced": spaced, "adopt": adopt}
    assert await seconds_for(3, rows, changed, in_flight=28, **terms) < 1000


@pytest.mark.parametrize("end", ["", ".lock"])
async def test_what_is_no_file_is_one_sentence(budgets: Budgets, end: str) -> None:
    """The sentence names the path."""
    await budgets["one"].acquire()
    budgets.close()
    path = budgets.path
    place = path.with_suffix(".lock") if end == ".lock" else Path(f"{path}{end}")
    if end == ".lock":
        path.write_bytes(b"no database at all, however long it is looked at" * 100)
    place.unlink(missing_ok=True)
    place.mkdir()
    with pytest.raises(StorageError, match=f"request budget {path} cannot be used"):
        await budgets["one"].acquire()
