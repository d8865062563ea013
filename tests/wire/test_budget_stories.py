"""Generated stories of processes with one budget, beside a simple model.

The service counts what arrives, and the model says who may send during a freeze.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.wire.budget_world import Terms, World
from tests.support.wire.virtual_time import fullest_window

DESTINATIONS = [Terms(limit, 1.0, True) for limit in (3, 6, 60)]
ORIGINS = [Terms(60, 60.0, False), Terms(600, 60.0, False)]


def told(story: Callable[[Path], Awaitable[None]]) -> None:
    """Run a story in a folder of its own."""

    async def whole(folder: Path) -> None:
        await story(folder)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(whole(Path(folder)))


@settings(max_examples=15, deadline=None)
@given(
    terms=st.sampled_from(DESTINATIONS + ORIGINS),
    processes=st.integers(1, 4),
    callers=st.integers(1, 4),
    late=st.sampled_from([0.0, 0.004, 0.1]),
    stall=st.sampled_from([0.0, 0.1, 0.8]),
    kinds=st.sampled_from(["c", "cd", "cdb", "b"]),
    seed=st.integers(0, 2**32),
)
def test_no_window_is_overfilled_whatever_happens(
    terms: Terms,
    processes: int,
    callers: int,
    late: float,
    stall: float,
    kinds: str,
    seed: int,
) -> None:
    """As the service counts, in windows that begin anywhere."""

    async def story(folder: Path) -> None:
        world = World(terms, folder, random.Random(seed), late, stall)
        world.start(processes, callers, max(4, min(3 * terms.limit, 90) // callers))
        troubles = asyncio.ensure_future(world.mishaps(kinds))
        await world.until_done()
        troubles.cancel()
        await world.end()
        assert world.arrivals
        assert fullest_window(world.arrivals, terms.window) <= terms.limit

    told(story)


@settings(max_examples=10, deadline=None)
@given(
    terms=st.sampled_from(DESTINATIONS),
    processes=st.integers(2, 4),
    callers=st.integers(3, 6),
    late=st.sampled_from([0.0, 0.004, 0.02]),
    mishap=st.sampled_from(["", "c", "d"]),
    seed=st.integers(0, 2**32),
)
def test_no_slower_than_necessary_and_nobody_starves(
    terms: Terms, processes: int, callers: int, late: float, mishap: str, seed: int
) -> None:
    """While callers wait the rate is used, and processes share it equally.

    A cancelled caller costs one place at most, and a process that dies four.
    """
    seconds = 3.0 if terms.limit == 60 else 12.0
    gap, lost = terms.window / terms.limit, 2 * len(mishap)
    dying = 4 if mishap == "d" else 1

    async def story(folder: Path) -> None:
        world = World(terms, folder, random.Random(seed), late)
        world.start(processes, callers, 10**6)
        troubles = asyncio.ensure_future(world.mishaps(mishap, lost))
        await world.time.run(world.time.pass_by(seconds))
        used, waits = len(world.waits), [*world.waits]
        if not world.dead:
            waits += [world.time.now - since for since in world.waiting.values()]
        shares = [world.shares[each] for each in range(processes)]
        troubles.cancel()
        await world.end()
        assert used >= 0.98 * seconds / gap - 2 - lost * dying
        assert max(waits) <= 1.25 * gap * (processes * (callers + 2) + lost) + 2 * late
        if not mishap:
            assert min(shares) >= 0.8 * max(shares) - 2

    told(story)


@settings(max_examples=20, deadline=None)
@given(
    terms=st.sampled_from([*DESTINATIONS, ORIGINS[0]]),
    processes=st.integers(1, 4),
    callers=st.integers(1, 4),
    late=st.sampled_from([0.0, 0.004, 0.3]),
    latency=st.sampled_from([0.02, 0.4]),
    kinds=st.sampled_from(["", "c", "cd", "cdb"]),
    storms=st.lists(
        st.tuples(
            st.floats(0, 3), st.floats(0.05, 4), st.sampled_from([-1.0, 0.0, 2.0, 7.0])
        ),
        min_size=1,
        max_size=3,
    ),
    seed=st.integers(0, 2**32),
)
def test_a_freeze_lets_one_probe_go_at_a_time(
    terms: Terms,
    processes: int,
    callers: int,
    late: float,
    latency: float,
    kinds: str,
    storms: list[tuple[float, float, float]],
    seed: int,
) -> None:
    """The model checks each release: nobody goes before a pause is over, then one.

    Storms begin so many windows after the start or the storm before, take so many
    windows, and ask for a pause or (negative) for none. All calls are made in the end.
    """

    async def story(folder: Path) -> None:
        world = World(terms, folder, random.Random(seed), late, latency=latency)
        begin, periods = world.time.now, []
        for start, length, asked in storms:
            begin += start * terms.window
            periods.append((begin, begin + length * terms.window, asked))
            begin += length * terms.window
        world.refusing = lambda now: next(
            (asked for start, end, asked in periods if start <= now < end), None
        )
        world.start(processes, callers, max(2, 5 * terms.limit // callers // processes))
        troubles = asyncio.ensure_future(world.mishaps(kinds, len(kinds) and 8))
        await world.until_done()
        troubles.cancel()
        await world.end()
        assert fullest_window(world.arrivals, terms.window) <= terms.limit

    told(story)


@settings(max_examples=8, deadline=None)
@given(
    cap=st.integers(1, 8),
    processes=st.integers(1, 4),
    latency=st.sampled_from([0.3, 0.8]),
    kinds=st.sampled_from(["", "c"]),
    seed=st.integers(0, 2**32),
)
def test_no_more_under_way_than_the_service_takes(
    cap: int, processes: int, latency: float, kinds: str, seed: int
) -> None:
    """Over all processes, however slow the service is, and no fewer than that."""

    async def story(folder: Path) -> None:
        terms = Terms(60, 1.0, True)
        world = World(
            terms, folder, random.Random(seed), latency=latency, in_flight=cap
        )
        world.start(processes, 12, 10**6)
        troubles = asyncio.ensure_future(world.mishaps(kinds, len(kinds) and 4))
        await world.time.run(world.time.pass_by(6 * latency))
        made, lost = len(world.waits), 4 * len(kinds)
        troubles.cancel()
        await world.end()
        assert world.most_under_way <= cap
        assert made >= 0.9 * cap * 6 * latency / (2 * latency + 0.06) - cap - lost

    told(story)
