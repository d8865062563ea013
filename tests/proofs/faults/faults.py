"""Every fault at every request of an import and a pull, and whether reruns mend it.

usage: faults.py [--kind faults|kills|random|pull|two|command|editors|recreate|rollback
                        |delta|changes|languages]
                 [--only TEXT ...] [--slice I/N | --count N]
                 [--rounds N] [--jobs N] [--work DIR]

Records the requests of an uninterrupted import of 30 items in two locales at one
request at a time. Then, for each request and each fault of the sandbox, and
for a SIGKILL of a real child process before the request, after it was applied and
after its reply (`faults`), imports again into a fresh space, reruns until it is
done, and compares with the uninterrupted space. `kills` kills children at random
moments and at random requests, several times each; `random` runs plans of several
faults at 8 requests at once; `pull` does to a pull what `faults` does to an import;
`two` starts a second import beside the first; `command` kills the command itself;
`editors` has somebody take a story's place or edit it meanwhile; `recreate` empties
the space after an import, or gives it anew, and kills the import that fills it again;
`rollback` takes an import back and kills or disturbs that, or takes back an import that
was killed; `delta` disturbs an import after both sides moved, `changes` the command
that tells what moved; `languages` disturbs an import of both languages in one story and
in both layers.

Cases that passed are kept in reports/faults/ and not run again as long as the code
is the same. Exits 1 when a case failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from tests.proofs.faults.cases import KINDS, Case, all_cases
from tests.proofs.faults.gone import whole_recreation
from tests.proofs.faults.importing import hurry, start_forks
from tests.proofs.faults.jobs import quiet, run_cases
from tests.proofs.faults.moved import whole_delta
from tests.proofs.faults.pull import WholePull, cache_of
from tests.proofs.faults.runs import Setting
from tests.proofs.faults.site import Prepared, prepare, translated
from tests.proofs.faults.state import Passed
from tests.proofs.faults.taken_back import whole_rollback
from tests.proofs.faults.world import ENDED, Whole, world

ROUNDS = 200


def main(arguments: Sequence[str]) -> int:
    """Run the chosen cases and print the table; return the exit code."""
    chosen = _arguments(arguments)
    quiet()
    place = chosen.work or (Path("/dev/shm") if Path("/dev/shm").is_dir() else None)
    with tempfile.TemporaryDirectory(
        prefix="cmsmig-faults-", dir=place, ignore_cleanup_errors=True
    ) as folder:
        work = Path(folder)
        start_forks()
        hurry()
        prepared = prepare(work)
        whole = whole_import(prepared, work)
        again = whole_recreation(prepared, work, whole)
        taken = whole_rollback(prepared, work)
        pulled = whole_pull(prepared, work)
        moved, told = whole_delta(prepared, work)
        bilingual = translated(prepared, work)
        both = whole_import(bilingual, work)
        setting = Setting(
            prepared, work, whole, pulled, again, taken, moved, told, bilingual, both
        )
        every = all_cases(
            setting.whole.entries,
            setting.pulled.entries,
            setting.again.entries,
            setting.taken.entries,
            setting.moved.entries,
            setting.told.entries,
            setting.translated.entries,
            chosen.kind,
            chosen.rounds,
        )
        try:
            return run_all(_chosen(every, chosen), setting, chosen.jobs)
        except KeyboardInterrupt:
            print("\nstopped; what passed is kept", file=sys.stderr)
            return 130


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kind", default="", choices=KINDS, help="these alone")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT",
                        help="cases whose name holds this; * is any text")  # fmt: skip
    parser.add_argument("--slice", default="", metavar="I/N", help="every Nth case")
    parser.add_argument("--count", type=int, default=0, help="so many, spread evenly")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N",
                        help=f"kills at moments ({ROUNDS})")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1),
                        help="cases at once (one a core, 4 at most)")  # fmt: skip
    parser.add_argument("--work", type=Path, help="where worlds are made")
    return parser.parse_args(given)


def _chosen(cases: list[Case], chosen: argparse.Namespace) -> list[Case]:
    if chosen.only:
        cases = [case for case in cases if _meant(case, chosen.only)]
    if chosen.slice:
        part, _, parts = chosen.slice.partition("/")
        cases = cases[int(part) % int(parts) :: int(parts)]
    if chosen.count and chosen.count < len(cases):
        step = len(cases) / chosen.count
        cases = [cases[int(index * step)] for index in range(chosen.count)]
    return cases


def _meant(case: Case, texts: Sequence[str]) -> bool:
    return any(fnmatchcase(case.key, f"*{text}*") for text in texts)


def whole_import(prepared: Prepared, work: Path) -> Whole:
    """Return an import that nothing happens to."""
    with world(prepared, work) as one:
        code, said = one.run()
        if code != 0:
            sys.exit(f"The uninterrupted import went wrong: {said}")
        whole = Whole(list(one.entries), one.comparable(), one.facts())
        found = one.problems(whole, 0)
        _, again = one.run()
        if (found, again) != ([], "writes: 0"):
            sys.exit(f"The uninterrupted import went wrong: {found} {again}")
        return whole


def whole_pull(prepared: Prepared, work: Path) -> WholePull:
    """Return a pull that nothing happens to."""
    with world(prepared, work, pulled=False) as one:
        code, said = one.run("pull")
        if code != 0:
            sys.exit(f"The uninterrupted pull went wrong: {said}")
        return WholePull(list(one.entries), cache_of(one))


def run_all(cases: list[Case], setting: Setting, jobs: int) -> int:
    """Run what has not passed yet, say how far it is, print the table."""
    passed = Passed()
    todo = [case for case in cases if case.key not in passed.kills]
    failed: set[str] = set()
    started = time.monotonic()
    for begun, (case, result) in enumerate(run_cases(todo, setting, jobs), start=1):
        if result.problems:
            failed.add(case.key)
            lines = (f"FAILED {case.key}", *result.problems)
            print(*lines, sep="\n    ", flush=True)
        else:
            passed.add(case, result.kills)
        each = (time.monotonic() - started) / begun
        sys.stderr.write(
            f"\r{len(cases) - len(todo) + begun}/{len(cases)}, {len(failed)} failed, "
            f"{each:.2f} s each, {(len(todo) - begun) * each / 60:.0f} min left "
        )
        sys.stderr.flush()
    print(file=sys.stderr)
    _print_table(cases, failed, passed)
    seconds = time.monotonic() - started
    print(f"\n{len(todo)} run now in {seconds:.0f} s, the others had passed before")
    return int(bool(failed))


def _print_table(cases: list[Case], failed: set[str], passed: Passed) -> None:
    tried = Counter(case.name for case in cases)
    wrong = Counter(case.name for case in cases if case.key in failed)
    print("| fault | tried | failed |")
    print("|---|---|---|")
    for name, count in tried.items():
        print(f"| {name} | {count} | {wrong[name]} |")
    print(f"| all | {len(cases)} | {wrong.total()} |")
    for name in dict.fromkeys(case.name for case in cases if case.moments):
        rounds = [passed.kills.get(case.key) for case in cases if case.name == name]
        _print_kills(name, [each for each in rounds if each is not None])


def _print_kills(name: str, rounds: list[Counter[str]]) -> None:
    """Tell what the kills at moments hit, in the rounds that passed."""
    hits = sum(rounds, Counter())
    late = hits.pop(ENDED, 0)
    several = sum(1 for each in rounds if each.total() - each[ENDED] > 1)
    where = ", ".join(f"{number} {hit}" for hit, number in sorted(hits.items()))
    print(
        f"\n{name}: {len(rounds)} rounds passed, {hits.total()} kills of a living "
        f"child ({where}), several of them in {several} rounds; {late} children had "
        "ended before."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
