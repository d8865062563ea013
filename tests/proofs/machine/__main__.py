"""The state machine: days of editors, decisions, faults, kills and lost ledgers.

usage: python -m tests.proofs.machine [--seed SEED] [--count RUNS] [--length STEPS]
                                      [--setup NAME --steps JSON] [--quick] [--first]

After each command the space itself is looked at, never the ledger. Prints each run that
breaks a rule: its seed, and the shortest list of steps that was found for it, which
`--setup` and `--steps` play again. Exits with 1 when there was any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.proofs.machine.book import Step
from tests.proofs.machine.broken import BrokenRuleError
from tests.proofs.machine.play import play, steps_of
from tests.proofs.machine.stage import Stage, staged

_REPORT_EVERY = 20


def main(arguments: Sequence[str]) -> int:
    """Play the runs; return the exit code."""
    given = _arguments(arguments)
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="cmsmig-machine-", dir=place) as folder:
        runner = Runner(Path(folder), {})
        if given.steps:
            steps = [Step(*each) for each in json.loads(given.steps)]
            failure = runner.failure(given.setup, steps)
            print(failure or "every rule holds")
            return int(failure is not None)
        begun, done, failures = time.monotonic(), 0, 0
        for seed in range(given.seed, given.seed + given.count):
            setup, steps = steps_of(seed, given.length)
            failure = runner.failure(setup, steps)
            done += len(steps)
            if failure is not None:
                failures += 1
                if not given.quick:
                    steps, failure = runner.shortened(setup, steps, failure)
                listed = json.dumps(steps, separators=(",", ":"))
                print(f"SEED {seed}: {failure}\n  --setup {setup} --steps '{listed}'")
                if given.first:
                    break
            if seed % _REPORT_EVERY == 0 or seed == given.seed + given.count - 1:
                pace = done / (time.monotonic() - begun)
                print(
                    f"to seed {seed}: {done} steps, {failures} failures, {pace:.1f}/s",
                    flush=True,
                )
    return int(failures > 0)


class Runner:
    """Plays runs on the stages that they need."""

    def __init__(self, folder: Path, stages: dict[str, Stage]) -> None:
        self._folder, self._stages = folder, stages

    def failure(self, setup: str, steps: Sequence[Step]) -> str | None:
        """Play a run; return which rule it breaks."""
        if setup not in self._stages:
            self._stages[setup] = staged(setup, self._folder / setup)
        try:
            play(self._stages[setup], steps)
        except BrokenRuleError as broken:
            return f"{broken}"[:600]
        except Exception:
            return "an error: " + traceback.format_exc()[-1500:]
        return None

    def shortened(
        self, setup: str, steps: list[Step], failure: str
    ) -> tuple[list[Step], str]:
        """Return a run with no step too many that breaks the same rule."""
        rule, size = failure.partition(":")[0], len(steps) // 2
        while size > 0:
            at = len(steps)
            while at > 0:
                at -= size
                fewer = steps[: max(at, 0)] + steps[at + size :]
                found = self.failure(setup, fewer)
                if found is not None and found.partition(":")[0] == rule:
                    steps, failure = fewer, found
            size //= 2
        return steps, failure


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of the first run")
    parser.add_argument("--count", type=int, default=100, help="runs")
    parser.add_argument("--length", type=int, default=20, help="steps of a run")
    parser.add_argument("--setup", default="staged", help="of the steps to play")
    parser.add_argument("--steps", default="", help="play these, as they are printed")
    parser.add_argument("--quick", action="store_true", help="do not shorten")
    parser.add_argument("--first", action="store_true", help="end at a failure")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
