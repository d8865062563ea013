"""Generated stories of processes with one budget, compared with a simple model.

The service counts what arrives, and the model says who may send during a freeze.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.wire.budget_world import Terms, a_world
from tests.support.wire.budgets import Budgets
from tests.support.wire.virtual_time import VirtualTime, fullest_window

DESTINATIONS = [Terms(limit, 1.0, True) for limit in (3, 6, 60)]
ORIGINS = [Terms(60, 60.0, False), Terms(600, 60.0, False)]
SMALL = st.builds(
    Terms, st.integers(1, 12), st.sampled_from([1.0, 60.0]), st.booleans()
)


@settings(max_examples=24, deadline=None)
@given(
    terms=st.sampled_from(DESTINATIONS + ORIGINS) | SMALL,
    processes=st.integers(1, 4),
    callers=st.integers(1, 4),
    late=st.sampled_from([0.0, 0.004, 0.1, 2.0]),
    stall=st.sampled_from([0.0, 0.1, 0.8]),
    kinds=st.sampled_from(["", "c", "cd", "cdb", "b"]),
    seed=st.integers(0, 2**32),
)
async def test_no_window_is_overfilled_whatever_happens(
    terms: Terms,
    processes: int,
    callers: int,
    late: float,
    stall: float,
    kinds: str,
    seed: int,
) -> None:
    """As the service counts, in windows that begin anywhere."""
    async with a_world(terms, seed, late=late, stall=stall) as world:
        calls = max(4, min(3 * terms.limit, 90) // callers)
        world.start(processes, callers, calls, kinds, 1000)
        await world.until_done()
        made = processes * callers * calls
    assert world.arrivals if kinds else len(world.arrivals) == made
    assert fullest_window(world.arrivals, terms.window) <= terms.limit


@settings(max_examples=10, deadline=None)
@given(
    terms=st.sampled_from(DESTINATIONS),
    processes=st.integers(1, 4),
    callers=st.integers(3, 6),
    late=st.sampled_from([0.0, 0.004, 0.02]),
    mishap=st.sampled_from(["", "c", "d"]),
    seed=st.integers(0, 2**32),
)
async def test_no_slower_than_necessary_and_no_process_starves(
    terms: Terms, processes: int, callers: int, late: float, mishap: str, seed: int
) -> None:
    """While callers wait the rate is used, and processes share it equally.

    A cancelled caller costs one place at most, and a process that dies four.
    """
    seconds = 3.0 if terms.limit == 60 else 12.0
    gap, lost = terms.window / terms.limit, 2 * len(mishap)
    dying = 4 if mishap == "d" else 1
    async with a_world(terms, seed, late=late) as world:
        world.start(processes, callers, 10**6, mishap, lost)
        await world.pass_time(seconds)
        used, waits = len(world.waits), [*world.waits]
        if not world.dead:
            waits += [world.time.now - since for since in world.waiting.values()]
        shares = [world.shares[each] for each in range(processes)]
    if processes > 1:
        assert used >= 0.98 * seconds / gap - 2 - lost * dying
    assert max(waits) <= 1.25 * gap * (processes * (callers + 2) + lost) + 2 * late
    if not mishap:
        assert min(shares) >= 0.8 * max(shares) - 2


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
async def test_a_freeze_lets_one_probe_go_at_a_time(
    terms: Terms,
    processes: int,
    callers: int,
    late: float,
    latency: float,
    kinds: str,
    storms: list[tuple[float, float, float]],
    seed: int,
) -> None:
    """The model checks each release: none goes before a pause is over, then one.

    Storms begin so many windows after the start or the storm before, take so many
    windows, and ask for a pause or (negative) for none. All calls are made in the end.
    """
    async with a_world(terms, seed, late=late, latency=latency) as world:
        begin, periods = world.time.now, []
        for start, length, asked in storms:
            begin += start * terms.window
            periods.append((begin, begin + length * terms.window, asked))
            begin += length * terms.window
        world.refusing = lambda now: next(
            (asked for start, end, asked in periods if start <= now < end), None
        )
        calls = max(2, 5 * terms.limit // callers // processes)
        world.start(processes, callers, calls, kinds)
        await world.until_done()
    assert fullest_window(world.arrivals, terms.window) <= terms.limit


@settings(max_examples=8, deadline=None)
@given(
    cap=st.integers(1, 8),
    processes=st.integers(1, 4),
    latency=st.sampled_from([0.3, 0.8]),
    kinds=st.sampled_from(["", "c"]),
    seed=st.integers(0, 2**32),
)
async def test_no_more_in_flight_than_the_service_takes(
    cap: int, processes: int, latency: float, kinds: str, seed: int
) -> None:
    """Over all processes, however slow the service is, and no fewer than that."""
    terms, lost = Terms(60, 1.0, True), 4 * len(kinds)
    async with a_world(terms, seed, latency=latency, in_flight=cap) as world:
        world.start(processes, 12, 10**6, kinds, lost)
        await world.pass_time(6 * latency)
        made = len(world.waits)
    assert world.most_open_calls <= cap
    assert made >= 0.9 * cap * 6 * latency / (2 * latency + 0.06) - cap - lost


@settings(max_examples=8, deadline=None)
@given(
    limit=st.sampled_from([60, 120]),
    callers=st.integers(1, 6),
    latency=st.sampled_from([0.02, 0.6]),
    alone=st.booleans(),
    seed=st.integers(0, 2**32),
)
@example(limit=120, callers=2, latency=0.6, alone=False, seed=306918)
async def test_what_others_use_of_a_minute_is_left_to_them(
    limit: int, callers: int, latency: float, alone: bool, seed: int
) -> None:
    """A service that counts from the first call on, and tells what remains.

    Others use some of each minute at its start; no call is ever refused, and the
    limit is the service's own, which no setting names. What remains is used.
    """
    dice = random.Random(seed)
    clock = VirtualTime()
    opened, taken, refused = -60.0, 0, 0
    used: list[int] = []

    async def caller() -> None:
        nonlocal opened, taken, refused
        shared = budgets["one"]
        for _ in range(3 * limit // callers):
            release = await shared.acquire()
            await shared.sent(release)
            await clock.pass_by(latency * (1 + dice.random()))
            if clock.now - opened >= 60:
                used.append(taken)
                opened = clock.now
                taken = 0 if alone else dice.randrange(limit - callers)
            taken += 1
            refused += taken > limit
            remaining = max(0, limit - taken)
            await clock.pass_by(latency * (1 + dice.random()))
            await shared.answered(remaining=remaining, limit=limit, release=release)

    with tempfile.TemporaryDirectory() as folder:
        terms = {"limit": 60, "window": 60.0, "spaced": False, "adopt": True}
        budgets = Budgets(Path(folder), clock, **terms)
        begun = clock.now
        await clock.run(*(caller() for _ in range(callers)))
        budgets.close()
    assert refused == 0
    assert used[1:]
    if latency < 0.1:
        assert set(used[1:]) == {limit}
    if alone and latency < 0.1:
        assert clock.now - begun <= 122 + 4 * latency * limit / callers
