"""Whether the proofs find what is broken: named mutants, and what kills each.

usage: mutants.py [--only TEXT ...] [--list]

A mutant is the project with one safeguard taken out. It is made in a copy, never
here, and must fail a case of the faults, or a run of the state machine, that the
project itself passes. Mutants that live because another safeguard holds are listed
as living, with the reason.

Exits 1 when a mutant lives that should not (or dies that should live), when a case
fails without any mutant, and when the text that a mutant replaces is not there
exactly once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.proofs.mutants.days import DAYS
from tests.proofs.mutants.files import FILES, PHASES
from tests.proofs.mutants.mutant import Mutant
from tests.proofs.mutants.steps import STEPS
from tests.proofs.mutants.wire import WIRE

MUTANTS = (*STEPS, *FILES, *PHASES, *WIRE, *DAYS)
ROOT = Path(__file__).resolve().parents[3]
COPIED = ("cmsmig", "tests", "pyproject.toml")
RUNS = 300
"""Runs of the state machine that a mutant has to be found in."""
FEW_RUNS = 25
"""Runs of it that the project itself has to pass."""
LONGEST = 900.0
"""Seconds after which the cases of one mutant count as never ending."""


@dataclass(frozen=True)
class Result:
    """What the cases of one copy came to."""

    tried: int
    failures: tuple[tuple[str, str], ...]
    """Case and the first line of what was wrong."""
    broken: str = ""
    """Why not even an import that nothing happens to went well."""


def main(arguments: Sequence[str]) -> int:
    """Try the mutants and print the table; return the exit code."""
    chosen = _arguments(arguments)
    mutants = [each for each in MUTANTS if _meant(each, chosen.only)]
    if chosen.list or not mutants:
        print(*(each.name for each in mutants or MUTANTS), sep="\n")
        return int(not mutants)
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="cmsmig-mutants-", dir=place) as folder:
        # Every text is looked for before the first case is run.
        for each in mutants:
            each.edited(ROOT)
        whole = Path(folder) / "whole"
        _copy(ROOT, whole)
        if not _holds_without(whole, mutants):
            return 1
        return _try_all(mutants, whole, Path(folder))


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", action="append", default=[], metavar="TEXT",
                        help="mutants whose name holds this")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="name the mutants")
    return parser.parse_args(given)


def _meant(mutant: Mutant, texts: Sequence[str]) -> bool:
    return not texts or any(text in mutant.name for text in texts)


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for name in COPIED:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        else:
            shutil.copy2(source / name, target / name)


def _holds_without(whole: Path, mutants: Iterable[Mutant]) -> bool:
    """Return whether the project passes every case that mutants have to fail."""
    wanted = sorted({each for mutant in mutants for each in mutant.faults})
    begun = time.monotonic()
    if not all(mutant.faults for mutant in mutants):
        result = run_machine(whole, FEW_RUNS)
        if result.broken or result.failures:
            print("Without any mutant:", *result.failures, result.broken)
            return False
    if not wanted:
        return True
    result = run_cases(whole, wanted, longest=None)
    if result.broken or result.failures:
        print("Without any mutant:", result.broken)
        print(*(f"{case}: {line}" for case, line in result.failures), sep="\n")
        return False
    passed = _passed(whole)
    unmatched = [
        text for text in wanted if not any(_names(text, key) for key in passed)
    ]
    if unmatched:
        print("No case is named:", *unmatched, sep="\n    ")
        return False
    seconds = time.monotonic() - begun
    print(f"Without any mutant: {result.tried} cases, 0 failed, {seconds:.0f} s\n")
    return True


def _names(text: str, key: str) -> bool:
    return fnmatchcase(key, f"*{text}*")


def _passed(copy: Path) -> list[str]:
    """Return the names of the cases that passed in a copy."""
    files = (copy / "reports" / "soak").glob("faults-*.jsonl")
    return [
        json.loads(line) for file in files for line in file.read_text().splitlines()
    ]


def _try_all(mutants: Sequence[Mutant], whole: Path, work: Path) -> int:
    begun = time.monotonic()
    odd: list[str] = []
    living: list[Mutant] = []
    print("| mutant | what breaks | killed by | how it showed |\n|---|---|---|---|")
    for mutant in mutants:
        with _made(mutant, whole, work) as copy:
            result = _tried(mutant, copy)
        killed = bool(result.broken or result.failures)
        if not killed:
            living.append(mutant)
        if killed == bool(mutant.held):
            odd.append(mutant.name)
        print(f"| {mutant.name} | {mutant.breaks} | {_told(result)} |", flush=True)
    seconds = time.monotonic() - begun
    print(f"\n{len(mutants)} mutants in {seconds:.0f} s: "
          f"{len(mutants) - len(living)} killed, {len(living)} living.")  # fmt: skip
    for each in living:
        print(f"- {each.name} lives: {each.held or 'NOBODY KNOWS WHY'}")
    if odd:
        print("Not as expected:", ", ".join(odd))
    return int(bool(odd))


def _tried(mutant: Mutant, copy: Path) -> Result:
    return run_cases(copy, mutant.faults) if mutant.faults else run_machine(copy, RUNS)


def _told(result: Result) -> str:
    if result.broken:
        return f"an import that nothing happens to | {_short(result.broken)}"
    if not result.failures:
        return f"nothing: it lives | {result.tried} cases passed"
    case, line = result.failures[0]
    return f"{case.replace(' | ', ' at ')} | {_short(line)}"


def _short(line: str) -> str:
    return textwrap.shorten(line.replace("|", "/"), 160)


@contextmanager
def _made(mutant: Mutant, whole: Path, work: Path) -> Iterator[Path]:
    """Give a copy with the mutant in it; it goes away after."""
    copy = work / "mutant"
    _copy(whole, copy)
    try:
        for path, text in mutant.edited(copy).items():
            path.write_text(text, encoding="utf-8")
        yield copy
    finally:
        shutil.rmtree(copy)


def run_cases(
    copy: Path, cases: Iterable[str], longest: float | None = LONGEST
) -> Result:
    """Run the named cases in a copy of the project, with that copy's code."""
    _check_import(copy)
    module = ("tests.proofs.soak", "faults")
    only = [word for case in cases for word in ("--only", case)]
    code, said, complained = _run(copy, longest, "-um", *module, *only)
    failures = tuple(_failures(said))
    total = next((line for line in said if line.startswith("| all |")), "")
    if code is None:
        return Result(0, (), f"it did not end within {longest} s")
    if code == 0 and not failures and total:
        return Result(int(total.split("|")[2]), ())
    if not failures:
        return Result(0, (), (complained or said or ["?"])[-1])
    return Result(len(failures), failures)


def run_machine(copy: Path, runs: int) -> Result:
    """Run the state machine in a copy of the project until a run of it fails."""
    _check_import(copy)
    counted = ("--seed", "100000", "--count", str(runs), "--quick", "--first")
    code, said, complained = _run(
        copy, LONGEST, "-um", "tests.proofs.machine", *counted
    )
    if code == 0:
        return Result(runs, ())
    found = [line for line in said if line.startswith("SEED ")]
    if code is None or not found:
        return Result(0, (), (complained or said or ["it did not end"])[-1])
    return Result(1, (("the state machine", found[0].partition(": ")[2]),))


def _check_import(copy: Path) -> None:
    code = "import cmsmig.steps.write.import_job as job; print(job.__file__)"
    _, said, _ = _run(copy, None, "-c", code)
    if said != [str(copy / "cmsmig" / "steps" / "write" / "import_job.py")]:
        sys.exit(f"A copy runs other code than its own: {said}")


def _run(
    copy: Path, longest: float | None, *arguments: str
) -> tuple[int | None, list[str], list[str]]:
    """Run this interpreter in a copy; return exit code and what it wrote."""
    environ = {**os.environ, "PYTHONPATH": str(copy)}
    child = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=copy,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said, complained = child.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        said, complained = child.communicate()
        return None, said.splitlines(), complained.splitlines()
    return child.returncode, said.splitlines(), complained.splitlines()


def _failures(said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each failed case with the line that says most about it."""
    for number, line in enumerate(said):
        if line.startswith("FAILED "):
            below = []
            for each in said[number + 1 :]:
                if each.startswith(("FAILED ", "| ")):
                    break
                below.append(each.strip())
            yield line.removeprefix("FAILED "), _telling(below)


def _telling(lines: Sequence[str]) -> str:
    full = [each for each in lines if each]
    if not full:
        return "?"
    # Of a traceback the end tells, of a list of problems the beginning.
    return full[-1] if full[0].startswith("Traceback") else full[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
