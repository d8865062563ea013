"""Signals at many moments of `cmsmig run`, from start to end.

usage: python -m tests.proofs.signals [--moments N] [--to NN]

Runs the notebooks 00 to NN on the sample site for each moment, and sends SIGINT and
SIGTERM in turns: three in four while an undisturbed run would last, the others after
the last notebook. Each run has to end with 5, in a sentence, and to leave no kernel.
Before its folder is made the signal itself may end it. Once its last notebook is done a
run is over: a signal may then find nothing to stop, and 0 is right, too. Prints a
table; exits 1 with findings.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.proofs.measuring.processes import COMMAND, MOST, Project, project
from tests.proofs.measuring.results import print_table, wait_for

LONGEST = 120.0
"""Seconds after a signal that count as hanging."""
ORPHANED = 5.0
"""Seconds in which a kernel notices that its parent is gone."""
MARK = "CMSMIG_PROOF_OF_SIGNALS"
"""A variable that every process of a run has."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a signal is sent."""

    number: int
    seconds: float
    is_late: bool
    """Whether they count from the end of the last notebook."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a signal led to; `wrong` is empty where that is right."""

    after: str
    phase: str
    """`before` the run's folder was made, or `over`: the last notebook was done."""
    signal: str
    code: int | None
    ended: float
    """Seconds after the signal."""
    said: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of the first notebooks of a project."""

    here: Project
    last: str

    def start(self, mark: str) -> subprocess.Popen[bytes]:
        """Start a run, which says what it does into a file."""
        reports = str(self.here.work / "reports")
        options = ("run", "--to", self.last, "--reports", reports, "--run-id", mark)
        with self._file(mark).open("wb") as said:
            return subprocess.Popen(
                [*COMMAND, "--project", str(self.here.folder), *options],
                stdout=subprocess.DEVNULL,
                stderr=said,
                env={**os.environ, **self.here.settings, MARK: mark},
                start_new_session=True,
            )

    def seconds(self) -> tuple[float, float]:
        """Return how long a run takes, and how much of that after its notebooks."""
        begun = time.monotonic()
        process = self.start("undisturbed")
        self._wait_for_notebooks(process, "undisturbed")
        late = time.monotonic()
        if code := process.wait():
            said = self._file("undisturbed").read_text("utf-8")
            raise SystemExit(f"An undisturbed run ended with {code}:\n{said}")
        over = time.monotonic()
        return over - begun, over - late

    def outcome(self, moment: Moment, number: signal.Signals) -> Outcome:
        """Send a signal at a moment and see how the run ends."""
        mark = str(moment.number)
        process = self.start(mark)
        if moment.is_late:
            self._wait_for_notebooks(process, mark)
        time.sleep(moment.seconds)
        phase = self._phase(mark)
        process.send_signal(number)
        sent = time.monotonic()
        try:
            code = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        ended = time.monotonic() - sent
        said = self._file(mark).read_text("utf-8")
        last = (said.strip().splitlines() or [""])[-1]
        return Outcome(
            f"{moment.seconds:.2f} s{' of the end' if moment.is_late else ''}",
            phase,
            number.name,
            code,
            round(ended, 2),
            last[:48],
            _wrong(code, said, mark, phase),
        )

    def _file(self, mark: str) -> Path:
        return self.here.work / f"said-{mark}"

    def _phase(self, mark: str) -> str:
        if self._is_over(mark):
            return "over"
        return "" if (self.here.work / "reports" / mark).exists() else "before"

    def _is_over(self, mark: str) -> bool:
        lines = self._file(mark).read_text("utf-8").splitlines()
        return any(f" {self.last}_" in line and ": done, " in line for line in lines)

    def _wait_for_notebooks(self, process: subprocess.Popen[bytes], mark: str) -> None:
        wait_for(
            lambda: self._is_over(mark) or process.poll() is not None,
            "the notebooks are done",
            every=0.005,
        )


def _wrong(code: int, said: str, mark: str, phase: str) -> str:
    if phase == "before" and -code in SIGNALS:
        return ""
    if code != 5 and not (phase == "over" and code == 0):
        return "it did not end" if code == -signal.SIGKILL else f"code {code}"
    if "Traceback" in said:
        return "a traceback"
    try:
        wait_for(lambda: not _processes(mark), "no process is left", ORPHANED, 0.1)
    except TimeoutError:
        return f"{_processes(mark)} processes left"
    return ""


def _processes(mark: str) -> int:
    wanted = f"{MARK}={mark}".encode()
    count = 0
    for each in Path("/proc").glob("[0-9]*/environ"):
        try:
            count += wanted in each.read_bytes().split(b"\0")
        except OSError:
            continue
    return count


def _moments(count: int, whole: float, late: float) -> Iterator[Moment]:
    early = count * 3 // 4
    for number in range(count):
        if number < early:
            yield Moment(number, whole * (number + 0.5) / early, False)
        else:
            yield Moment(number, late * (number - early) / (count - early), True)


def main(arguments: list[str]) -> int:
    """Send the signals, print the outcomes; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--moments", type=int, default=40, help="how many; or 40")
    parser.add_argument("--to", default="00", metavar="NN", help="the last notebook")
    given = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="cmsmig-signals-") as work,
        project(Path(work), None, rate=MOST) as here,
    ):
        runs = Runs(here, given.to)
        runs.seconds()  # Modules are compiled now.
        whole, late = runs.seconds()
        print(f"undisturbed: {whole:.1f} s, {late:.2f} s of it after the notebooks")
        outcomes = []
        for moment in _moments(given.moments, whole, late):
            outcomes.append(runs.outcome(moment, SIGNALS[moment.number % 2]))
            print(end=".", file=sys.stderr, flush=True)
    print_table([asdict(each) for each in outcomes])
    return int(any(each.wrong for each in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
