"""The shared budget beside the simplest model of a service that counts."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.errors import StorageError
from cmsmig.wire.budget import Budget, Release
from tests.support.timelimit import patience
from tests.support.wire.virtual_time import VirtualTime, fullest_window

KEY = "https://mapi.test/v1 123"


def budget(folder: Path, clock: VirtualTime, **more: Any) -> Budget:
    """Return one sharer's budget: 6 per second, evenly, unless told otherwise."""
    values: dict[str, Any] = {
        "limit": 6,
        "window": 1.0,
        "spaced": True,
        "clock": clock.clock,
        "sleep": clock.sleep,
        "random": lambda: 0.5,
    }
    return Budget(KEY, folder=folder, **(values | more))


async def take(
    shared: Budget, clock: VirtualTime, count: int, times: list[float]
) -> None:
    """Release `count` requests that are answered at once."""
    for _ in range(count):
        release = await shared.acquire()
        times.append(clock.now)
        await shared.answered(remaining=None, limit=None, release=release)


@settings(max_examples=40, deadline=None)
@given(
    limit=st.integers(1, 12),
    window=st.sampled_from([1.0, 60.0]),
    spaced=st.booleans(),
    sharers=st.integers(1, 4),
    workers=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    lateness=st.sampled_from([0.0, 0.003, 0.3, 2.0]),
)
def test_no_window_is_ever_overfilled(
    limit: int,
    window: float,
    spaced: bool,
    sharers: int,
    workers: int,
    seed: int,
    lateness: float,
) -> None:
    """However many share it and however late they wake, the limit holds."""
    dice = random.Random(seed)
    clock = VirtualTime(late=lambda: dice.choice((0.0, dice.random())) * lateness)
    times: list[float] = []

    async def story(folder: Path) -> None:
        shared = [
            budget(folder, clock, limit=limit, window=window, spaced=spaced)
            for _ in range(sharers)
        ]
        await clock.run(
            *(take(each, clock, 6, times) for each in shared for _ in range(workers))
        )
        for each in shared:
            each.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(story(Path(folder)))
    assert len(times) == sharers * workers * 6
    assert fullest_window(times, window) <= limit


@settings(max_examples=15, deadline=None)
@given(
    limit=st.sampled_from([3, 6, 60]),
    workers=st.integers(1, 12),
    lateness=st.sampled_from([0.0, 0.001, 0.005]),
    seed=st.integers(0, 2**32),
)
def test_no_slower_than_necessary(
    limit: int, workers: int, lateness: float, seed: int
) -> None:
    """The whole takes at most 1.02 of calls over rate."""
    dice = random.Random(seed)
    clock = VirtualTime(late=lambda: dice.random() * lateness)
    times: list[float] = []
    calls = -(-240 // workers) * workers

    async def story(folder: Path) -> None:
        shared = budget(folder, clock, limit=limit)
        jobs = (take(shared, clock, calls // workers, times) for _ in range(workers))
        await clock.run(*jobs)
        shared.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(story(Path(folder)))
    assert max(times) - min(times) <= 1.02 * calls / limit
    assert fullest_window(times, 1.0) <= limit


async def take_held_up(
    shared: Budget, clock: VirtualTime, count: int, arrivals: list[float], stall: float
) -> None:
    """Send `count` requests; every 1.3 seconds all of them are held up for a while."""
    for _ in range(count):
        release = await shared.acquire()
        since = clock.now % 1.3
        await clock.sleep(stall - since + 0.002 if since < stall else 0.002)
        arrivals.append(clock.now)
        await shared.answered(remaining=None, limit=None, release=release)


@pytest.mark.parametrize("limit", [3, 6, 20, 60])
@pytest.mark.parametrize("stall", [0.0, 0.02, 0.05])
def test_requests_that_are_held_up_overfill_no_second(
    tmp_path: Path, limit: int, stall: float
) -> None:
    """The service counts what arrives late in the next second, which holds it."""
    clock = VirtualTime()
    arrivals: list[float] = []

    async def story() -> None:
        shared = budget(tmp_path, clock, limit=limit)
        jobs = [take_held_up(shared, clock, 60, arrivals, stall) for _ in range(10)]
        await clock.run(*jobs)
        shared.close()

    asyncio.run(story())
    assert fullest_window(arrivals, 1.0) <= limit
    assert max(arrivals) - min(arrivals) <= (1.02 + stall / 2) * 600 / limit


async def test_releases_are_even_without_a_burst(tmp_path: Path) -> None:
    """Even after a long rest the first ones come one by one."""
    clock = VirtualTime()
    times: list[float] = []
    shared = budget(tmp_path, clock)
    clock.now += 3600
    await clock.run(*(take(shared, clock, 2, times) for _ in range(6)))
    shared.close()
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) > 0.99 / 6
    assert max(gaps) < 1.02 / 6


async def test_a_burst_up_to_the_limit_then_the_window(tmp_path: Path) -> None:
    """Unspaced releases go at once until the window is full."""
    clock = VirtualTime()
    times: list[float] = []
    shared = budget(tmp_path, clock, limit=60, window=60.0, spaced=False)
    await clock.run(take(shared, clock, 61, times))
    shared.close()
    assert times[59] == times[0]
    assert 60 <= times[60] - times[0] <= 61.2


async def test_an_exhausted_service_is_left_alone_for_its_window(
    tmp_path: Path,
) -> None:
    """When others used the quota up, `remaining: 0` waits for the window."""
    clock = VirtualTime()
    start = clock.now
    shared = budget(tmp_path, clock, limit=60, window=60.0, spaced=False)

    async def story() -> None:
        release = await shared.acquire()
        await shared.answered(remaining=0, limit=60, release=release)
        await shared.acquire()
        assert clock.now - start >= 60

    await clock.run(story())
    shared.close()


@pytest.mark.parametrize(("adopt", "burst"), [(True, 120), (False, 60)])
async def test_the_limit_that_the_service_names(
    tmp_path: Path, adopt: bool, burst: int
) -> None:
    """It is adopted only where nobody set one."""
    clock = VirtualTime()
    times: list[float] = []
    shared = budget(tmp_path, clock, limit=60, window=60.0, spaced=False, adopt=adopt)
    await clock.run(take(shared, clock, 1, times))
    await shared.answered(remaining=119, limit=120)
    await clock.run(take(shared, clock, 130, times))
    shared.close()
    assert fullest_window(times, 60.0) == burst


async def test_a_lower_limit_of_the_service_always_counts(tmp_path: Path) -> None:
    """A limit below ours holds whether adopted or not."""
    clock = VirtualTime()
    times: list[float] = []
    shared = budget(tmp_path, clock, limit=60, window=60.0, spaced=False)
    await shared.answered(remaining=20, limit=20)
    await clock.run(take(shared, clock, 50, times))
    shared.close()
    assert fullest_window(times, 60.0) == 20


async def test_a_429_freezes_all_until_one_probe_succeeds(tmp_path: Path) -> None:
    """After the pause one request goes; the others wait for its answer."""
    clock = VirtualTime()
    one, two = budget(tmp_path, clock), budget(tmp_path, clock)
    sent: list[tuple[float, Release]] = []

    async def probing(shared: Budget) -> None:
        release = await shared.acquire()
        sent.append((clock.now, release))
        if release.probe:
            await clock.sleep(5)
        await shared.answered(remaining=None, limit=None, release=release)

    async def story() -> None:
        release = await one.acquire()
        await one.refused(
            attempt=1, retry_after=None, named_limit=None, release=release
        )
        await asyncio.gather(*(probing(shared) for shared in (one, two, one, two)))

    start = clock.now
    await clock.run(story())
    one.close()
    two.close()
    assert [release.probe for _, release in sent] == [True, False, False, False]
    assert sent[0][0] - start >= 1.0
    assert sent[1][0] - sent[0][0] >= 5.0


async def test_refused_probes_wait_longer_and_longer(tmp_path: Path) -> None:
    """Each pause is longer than the one before, up to half a minute."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)
    times: list[float] = []

    async def story() -> None:
        for attempt in range(1, 10):
            release = await shared.acquire()
            times.append(clock.now)
            await shared.refused(
                attempt=attempt, retry_after=None, named_limit=None, release=release
            )

    await clock.run(story())
    shared.close()
    pauses = [b - a for a, b in pairwise(times)]
    assert pauses == sorted(pauses)
    assert pauses[0] >= 1
    assert 20 <= pauses[-1] <= 31


async def test_a_storm_counts_as_one_refusal(tmp_path: Path) -> None:
    """Requests under way together that are all refused cause one pause."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)

    async def story() -> None:
        releases = [await shared.acquire() for _ in range(5)]
        for release in releases:
            await shared.refused(
                attempt=1, retry_after=None, named_limit=None, release=release
            )
        start = clock.now
        await shared.acquire()
        assert clock.now - start < 2

    await clock.run(story())
    shared.close()


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [(7.0, 7.0, 8.0), (1e9, 120.0, 121.0), (-5.0, 0.0, 1.0), (float("nan"), 0.0, 1.0)],
)
async def test_the_pause_that_the_service_asks_for(
    tmp_path: Path, asked: float, least: float, most: float
) -> None:
    """It is honoured within reason."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)

    async def story() -> None:
        release = await shared.acquire()
        await shared.refused(
            attempt=1, retry_after=asked, named_limit=None, release=release
        )
        start = clock.now
        await shared.acquire()
        assert least <= clock.now - start <= most

    await clock.run(story())
    shared.close()


async def test_the_limit_in_a_429_is_learned_downwards_by_all(tmp_path: Path) -> None:
    """A named 3 slows every sharer down; a named 50 speeds nobody up."""
    clock = VirtualTime()
    one, two = budget(tmp_path, clock), budget(tmp_path, clock)
    times: list[float] = []

    async def story() -> None:
        for named in (50, 3):
            release = await one.acquire()
            await one.refused(
                attempt=1, retry_after=None, named_limit=named, release=release
            )
        await take(two, clock, 30, times)

    await clock.run(story())
    one.close()
    two.close()
    assert fullest_window(times[1:], 1.0) == 3


async def test_the_pace_falls_and_recovers(tmp_path: Path) -> None:
    """After an unexplained 429 releases are slower, and as fast again later."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)
    times: list[float] = []

    async def story() -> None:
        release = await shared.acquire()
        await shared.refused(
            attempt=1, retry_after=None, named_limit=None, release=release
        )
        await take(shared, clock, 120, times)

    await clock.run(story())
    shared.close()
    assert times[3] - times[2] > 1.15 / 6
    assert times[-1] - times[-2] < 1.02 / 6


async def test_a_probe_whose_process_died_is_replaced(tmp_path: Path) -> None:
    """Nobody waits forever for an outcome that nobody will tell."""
    clock = VirtualTime()
    dying, living = budget(tmp_path, clock), budget(tmp_path, clock)

    async def story() -> None:
        release = await dying.acquire()
        await dying.refused(
            attempt=1, retry_after=None, named_limit=None, release=release
        )
        assert (await dying.acquire()).probe
        start = clock.now
        assert (await living.acquire()).probe
        assert clock.now - start <= 31

    await clock.run(story())
    dying.close()
    living.close()


async def test_an_unanswered_probe_hands_over_at_once(tmp_path: Path) -> None:
    """A probe lost to the network lets the next one go."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock)

    async def story() -> None:
        release = await shared.acquire()
        await shared.refused(
            attempt=1, retry_after=None, named_limit=None, release=release
        )
        probe = await shared.acquire()
        start = clock.now
        await shared.unanswered(probe)
        assert (await shared.acquire()).probe
        assert clock.now - start <= 1

    await clock.run(story())
    shared.close()


async def test_a_clock_that_goes_back_neither_blocks_nor_bursts(
    tmp_path: Path,
) -> None:
    """An hour back is no pause, and the last releases still count."""
    clock = VirtualTime()
    shared = budget(tmp_path, clock, limit=60, window=60.0, spaced=False)
    times: list[float] = []
    await clock.run(take(shared, clock, 60, times))
    clock.now -= 3600
    back = clock.now
    await clock.run(take(shared, clock, 1, times))
    shared.close()
    assert 60 <= clock.now - back <= 61


@pytest.mark.parametrize(
    "bytes_there",
    [b"", b"not a database at all" * 99, b"SQLite format 3\0" + b"x" * 9000],
)
async def test_a_damaged_file_is_made_anew(tmp_path: Path, bytes_there: bytes) -> None:
    """Whatever stands in its place, the budget works."""
    clock = VirtualTime()
    times: list[float] = []
    first = budget(tmp_path, clock)
    await clock.run(take(first, clock, 2, times))
    first.close()
    (path,) = tmp_path.glob("*.sqlite")
    path.write_bytes(bytes_there)
    second = budget(tmp_path, clock)
    await clock.run(take(second, clock, 12, times))
    second.close()
    assert fullest_window(times[2:], 1.0) <= 6


async def test_a_state_that_makes_no_sense_is_made_anew(tmp_path: Path) -> None:
    """Numbers that no budget wrote do not stop the next one."""
    import sqlite3

    clock = VirtualTime()
    first = budget(tmp_path, clock)
    await clock.run(first.acquire())
    first.close()
    (path,) = tmp_path.glob("*.sqlite")
    connection = sqlite3.connect(path)
    connection.execute('UPDATE budget SET state = \'{"pace": "fast"}\'')
    connection.commit()
    connection.close()
    second = budget(tmp_path, clock)
    await clock.run(second.acquire())
    second.close()


async def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    """The path and the way out are named."""
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StorageError, match=r"request budget .* cannot be used"):
        await budget(tmp_path / "state", VirtualTime()).acquire()


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
    """Their releases together keep to the limit, and use it."""
    command = [sys.executable, "-c", SHARER, str(tmp_path)]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    times = [
        float(line)
        for child in children
        for line in child.communicate(timeout=patience())[0].splitlines()
    ]
    assert [child.returncode for child in children] == [0, 0]
    assert len(times) == 30
    assert fullest_window(times, 1.0) <= 20


async def test_a_transaction_is_quick(tmp_path: Path) -> None:
    """A thousand releases of a wide budget cost less than three milliseconds each."""
    shared = Budget("quick", limit=100_000, window=1.0, spaced=False, folder=tmp_path)
    start = time.process_time()
    for _ in range(1000):
        await shared.acquire()
    shared.close()
    assert time.process_time() - start < 3
