"""A budget's file with values that no budget writes: not believed, never a crash."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cmsmig.errors import StorageError
from cmsmig.wire.bounds import LONGEST_PAUSE
from cmsmig.wire.budget_file import BudgetState
from tests.support.wire.budgets import Budgets, Callers
from tests.support.wire.virtual_time import VirtualTime

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
        db.execute("UPDATE budget SET state = ?", (json.dumps(state),))
        for number, at in enumerate(rows, start=2):
            db.execute("INSERT OR REPLACE INTO release VALUES (?, ?)", (number, at))
            db.execute("INSERT OR REPLACE INTO under_way VALUES (?, ?)", (number, at))


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


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop"])
@pytest.mark.parametrize("end", ["", "-wal", ".lock"])
async def test_what_is_no_file_is_one_sentence(
    budgets: Budgets, kind: str, end: str
) -> None:
    """Nothing waits for a pipe; the sentence names the path."""
    await budgets["one"].acquire()
    budgets.close()
    path = budgets.path
    place = path.with_suffix(".lock") if end == ".lock" else Path(f"{path}{end}")
    if end == ".lock":
        path.write_bytes(b"no database at all, however long it is looked at" * 100)
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero" if kind == "device" else place.name)
    with pytest.raises(StorageError, match=f"request budget {path} cannot be used"):
        await budgets["one"].acquire()
