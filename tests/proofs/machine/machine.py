"""Many runs of the state machine.

usage: machine.py [--count RUNS] [--steps STEPS] [--seed SEED] [--keep-going]

Prints how many runs and steps there were, and each failure as the shortest run that
shows it. Exits with 1 when there was any. A seed gives the same runs again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proofs.machine.play import Play
from tests.proofs.machine.rules import Migration
from tests.proofs.machine.world import world
from tests.support.examples import draw_the_same_always

AT_ONCE = 25
"""Runs between two lines of progress, and of one seed."""


def main(arguments: Sequence[str]) -> int:
    """Run the machine; return the exit code."""
    given = _arguments(arguments)
    draw_the_same_always()
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    begun, failures = time.monotonic(), 0
    with (
        tempfile.TemporaryDirectory(prefix="cmsmig-machine-", dir=place) as folder,
        world(Path(folder)) as made,
    ):
        Play.world = made
        for number in range((given.count + AT_ONCE - 1) // AT_ONCE):
            failures += not _hold(given, given.seed + number)
            seconds = time.monotonic() - begun
            print(
                f"{Play.runs} runs, {Play.steps} steps, {failures} failures, "
                f"{seconds:.0f} s, {Play.steps / seconds:.0f} steps a second",
                flush=True,
            )
            if failures and not given.keep_going:
                break
    return int(failures > 0)


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="runs")
    parser.add_argument("--steps", type=int, default=45, help="steps of a run")
    parser.add_argument("--seed", type=int, default=0, help="of the first runs")
    parser.add_argument("--keep-going", action="store_true", help="after a failure")
    parser.add_argument(
        "--quick", action="store_true", help="do not look for the shortest"
    )
    return parser.parse_args(given)


def _hold(given: argparse.Namespace, number: int) -> bool:
    """Return whether the runs of one seed hold."""
    phases = (Phase.generate,) if given.quick else (Phase.generate, Phase.shrink)
    chosen = settings(
        max_examples=AT_ONCE,
        stateful_step_count=given.steps,
        phases=phases,
        database=None,
        derandomize=False,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    machine = seed(number)(type("Seeded", (Migration,), {}))
    machine.TestCase.settings = chosen
    try:
        run_state_machine_as_test(machine, settings=chosen)
    except Exception as failure:
        for each in getattr(failure, "exceptions", (failure,)):
            print(f"SEED {number} FAILED: {each}")
            print(*getattr(each, "__notes__", ()), sep="\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
