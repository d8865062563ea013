"""A budget's file that nobody can have written so: not believed, never a crash."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.errors import StorageError
from cmsmig.wire.bounds import LONGEST_PAUSE
from cmsmig.wire.budget import Budget
from cmsmig.wire.budget_file import BudgetState
from tests.support.wire.virtual_time import VirtualTime
from tests.wire.test_budget import KEY, budget, take

NAMES = tuple(BudgetState.__dataclass_fields__)
ODD: tuple[Any, ...] = (
    *(0, 1, -1, 5, 2**40, 2**70, 10**40, 0.0, 0.5, -3.5, 1e12, -1e12, 1e300),
    *(float("nan"), float("inf"), None, True, "1", [], {}, 999_999.0, 1_000_050.0),
)


async def write_state(folder: Path, rows: list[Any], **changed: Any) -> Path:
    """Write a budget's file as it is after one release, and change values in it."""
    clock = VirtualTime()
    shared = budget(folder, clock)
    await clock.run(take(shared, clock, 1, []))
    shared.close()
    (path,) = folder.glob("budget-*.sqlite")
    change(path, rows, **changed)
    return path


def change(path: Path, rows: list[Any], **changed: Any) -> None:
    """Change values of the state, and log releases under way at these times."""
    with sqlite3.connect(path) as db:
        (text,) = db.execute("SELECT state FROM budget").fetchone()
        state = json.loads(text) | changed
        db.execute("UPDATE budget SET state = ?", (json.dumps(state),))
        for number, at in enumerate(rows, start=2):
            db.execute("INSERT OR REPLACE INTO release VALUES (?, ?)", (number, at))
            db.execute("INSERT OR REPLACE INTO under_way VALUES (?, ?)", (number, at))
    db.close()


async def seconds_for(folder: Path, count: int, **more: Any) -> float:
    """Return how long `count` requests take, by the clock of everybody."""
    clock = VirtualTime()
    shared = budget(folder, clock, **more)
    began = clock.now
    await clock.run(take(shared, clock, count, []))
    shared.close()
    return clock.now - began


@pytest.mark.parametrize("name", ["frozen_until", "next_slot", "probe_until"])
@pytest.mark.parametrize("value", [1e12, 2e6, 9e9])
async def test_nobody_freezes_everybody_for_good(
    tmp_path: Path, name: str, value: float
) -> None:
    """No pause is longer than the longest that any service's word would bring."""
    await write_state(tmp_path, [], level=3, **{name: value})
    took = await seconds_for(tmp_path, 3)
    assert took <= 2 * LONGEST_PAUSE + 30


async def test_a_pause_that_a_service_asked_for_is_kept(tmp_path: Path) -> None:
    """A freeze of two minutes is a freeze of two minutes, in a new process too."""
    clock = VirtualTime()
    first = budget(tmp_path, clock)
    release = await first.acquire()
    await first.refused(attempt=1, retry_after=120.0, named_limit=None, release=release)
    first.close()
    took = await seconds_for(tmp_path, 1)
    assert LONGEST_PAUSE <= took <= LONGEST_PAUSE + 5


@pytest.mark.parametrize("pace", [0, 0.0, -1.0, 1e-9, 1e9])
async def test_a_pace_that_is_none_is_forgotten(tmp_path: Path, pace: float) -> None:
    """The file is made anew; the rate is kept."""
    await write_state(tmp_path, [], pace=pace)
    assert await seconds_for(tmp_path, 7) >= 0.9


async def test_releases_of_the_future_are_forgotten(tmp_path: Path) -> None:
    """They would fill every window there is."""
    await write_state(tmp_path, [1e12] * 40, released=41)
    assert await seconds_for(tmp_path, 12) < 10


@settings(max_examples=50, deadline=None)
@given(
    changed=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(ODD), min_size=1),
    rows=st.lists(st.sampled_from([1e12, -1e12, 1e300, 1_000_000.0]), max_size=30),
    window=st.sampled_from([(6, 1.0, True), (60, 60.0, False)]),
    adopt=st.booleans(),
)
def test_whatever_the_file_holds_requests_go_on(
    changed: dict[str, Any],
    rows: list[float],
    window: tuple[int, float, bool],
    adopt: bool,
) -> None:
    """In minutes, without a crash, whatever stands in the state or the log."""
    limit, seconds, spaced = window
    more: dict[str, Any] = {"limit": limit, "window": seconds, "spaced": spaced}
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(write_state(Path(folder), rows, **changed))
        took = asyncio.run(
            seconds_for(Path(folder), 3, in_flight=28, adopt=adopt, **more)
        )
    assert took < 1000


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop"])
@pytest.mark.parametrize("end", ["", "-wal", ".lock"])
async def test_what_is_no_file_is_one_sentence(
    tmp_path: Path, kind: str, end: str
) -> None:
    """Nothing waits for a pipe; the sentence names the path."""
    shared = Budget(
        KEY, limit=6, window=1.0, spaced=True, folder=tmp_path, sleep=asyncio.sleep
    )
    await shared.acquire()
    shared.close()
    (path,) = tmp_path.glob("budget-*.sqlite")
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
        await shared.acquire()
