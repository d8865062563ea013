"""Long proofs by name; those of many cases on all cores, resumable.

usage: python -m tests.proofs.soak KIND [OPTION...]

of `faults` and `corrupted`:
             [--part PART]... [--only TEXT]... [--slice I/N] [--jobs N]

The other kinds are programs, each with options of its own (`--help`). Cases that
passed are kept in reports/soak/ and not run again as long as the code is the same.
Prints what is wrong with each other case, and a table. Exits 1 when one failed.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatchcase
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from tests.proofs.measuring.results import ROOT, Kept, print_table

KINDS = {
    "corrupted": "tests.proofs.hostile.corrupted",
    "faults": "tests.proofs.faults.faults",
}
"""What many cases prove, and the module whose `proof(folder)` prepares them."""
PROGRAMS = {
    "batch": ["tests.proofs.growth.batch"],
    "clicks": ["tests.proofs.clicks"],
    "determinism": ["tests.proofs.sites.determinism"],
    "fleet": ["tests.proofs.fleet.fleet"],
    "frozen": ["tests.proofs.frozen"],
    "growth": ["tests.proofs.growth.growth"],
    "machine": ["tests.proofs.machine"],
    "many-bodies": ["pytest", "-q", "-rP", "-m", "soak",
                    "tests/browser/test_many_bodies.py"],
    "many-items": ["pytest", "-q", "-rP", "-m", "soak",
                   "tests/notebook/test_explorer.py"],
    "notebooks": ["pytest", "-n", "logical", "-m", "soak or not soak",
                  "--ignore", "tests/browser/test_many_bodies.py",
                  "tests/browser", "tests/run"],
    "pace": ["tests.proofs.budget.pace"],
    "quota": ["tests.proofs.budget.quota"],
    "screens": ["tests.proofs.screens"],
    "signals": ["tests.proofs.signals"],
    "verification": ["tests.proofs.growth.verification"],
}  # fmt: skip
"""What a program of its own proves or makes: a module, and what it is given."""


class Case(Protocol):
    """One case: its name in every run, its row of the table, its part of the proof."""

    key: str
    name: str
    part: str


class Proof(Protocol):
    """Cases, and how one is tried."""

    def cases(self) -> Sequence[Case]:
        """Return the cases, each time the same."""

    def begin(self) -> None:
        """Begin in a process that tries cases."""

    def attempt(self, case: Case) -> list[str]:
        """Try a case and return what is wrong; never raises."""


_CURRENT: list[Proof] = []
"""The running proof, which the processes that try cases inherit."""


def _begin() -> None:
    # Ctrl-C reaches every process; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _CURRENT[0].begin()


def _attempt(case: Case) -> list[str]:
    return _CURRENT[0].attempt(case)


def main(arguments: Sequence[str]) -> int:
    """Run a program, or try the chosen cases and print the table; return the exit
    code."""
    if arguments and (program := PROGRAMS.get(arguments[0])):
        command = [sys.executable, "-um", *program, *arguments[1:]]
        return subprocess.run(command, check=False).returncode
    given = _arguments(arguments)
    logging.disable(logging.CRITICAL)
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with (
        tempfile.TemporaryDirectory(
            prefix=f"cmsmig-{given.kind}-", dir=place, ignore_cleanup_errors=True
        ) as work,
        importlib.import_module(KINDS[given.kind]).proof(Path(work)) as proof,
    ):
        _CURRENT[:] = [proof]
        chosen = _chosen(proof.cases(), given)
        passed = Kept(ROOT / "reports" / "soak" / given.kind)
        todo = [case for case in chosen if case.key not in passed.results]
        failed: list[Case] = []
        begun = time.monotonic()
        print(f"{len(todo)} cases, {len(chosen) - len(todo)} others passed before")
        for done, (case, wrong) in enumerate(_tried(todo, given.jobs), start=1):
            if wrong:
                failed.append(case)
                lines = (f"FAILED {case.key}", *wrong)
                print(*(each[:2000] for each in lines), sep="\n    ", flush=True)
            else:
                passed.add(case.key, True)
            each = (time.monotonic() - begun) / done
            sys.stderr.write(
                f"\r{done}/{len(todo)}, {len(failed)} failed, {each:.2f} s each, "
                f"{(len(todo) - done) * each / 60:.0f} min left "
            )
            sys.stderr.flush()
        print(file=sys.stderr)
        print_table(_rows(chosen, failed))
        print(f"\n{time.monotonic() - begun:.0f} s")
    return int(bool(failed))


def _tried(cases: Sequence[Case], jobs: int) -> Iterator[tuple[Case, list[str]]]:
    """Yield each case with what is wrong with it, as they come."""
    context = get_context("fork")
    with ProcessPoolExecutor(jobs, context, initializer=_begin) as pool:
        running = {pool.submit(_attempt, case): case for case in cases}
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _chosen(cases: Sequence[Case], given: argparse.Namespace) -> list[Case]:
    chosen = [
        case
        for case in cases
        if (not given.part or case.part in given.part)
        and (not given.only or any(_named(case, text) for text in given.only))
    ]
    if given.slice:
        part, _, parts = given.slice.partition("/")
        chosen = chosen[int(part) % int(parts) :: int(parts)]
    return chosen


def _named(case: Case, text: str) -> bool:
    return fnmatchcase(case.key, f"*{text}*")


def _rows(cases: Sequence[Case], failed: Sequence[Case]) -> Iterator[dict[str, object]]:
    wrong = Counter(case.name for case in failed)
    for name, count in Counter(case.name for case in cases).items():
        yield {"case": name, "tried": count, "failed": wrong[name]}
    yield {"case": "all", "tried": len(cases), "failed": len(failed)}


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=[*KINDS, *PROGRAMS])
    parser.add_argument("--part", action="append", help="these cases alone")
    parser.add_argument("--only", action="append", metavar="TEXT",
                        help="cases whose name holds this; * is any text")  # fmt: skip
    parser.add_argument("--slice", default="", metavar="I/N", help="every Nth case")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1),
                        help="cases at once (one a core, 4 at most)")  # fmt: skip
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
