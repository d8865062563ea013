"""Corrupted inputs, whatever the source: a result or one sentence, in seconds.

usage: corrupted.py [--count 1600] [--seed TEXT] [--only KIND[-NUMBER]] [--work DIR]

Settings, `.env`, decision files, raw answers, pages, the ledger, the budget, lock
files, answers and headers of both services, downloads and bare sockets are damaged by
chance, each case by its own seed, and a command meets them. Findings are crashes (a
traceback, "This should not happen", a draft that went wrong in code), hangs, memory
without end, and failures without a sentence. Exits 1 with findings.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from tests.proofs.hostile.corrupted_services import (
    Met,
    Services,
    copied,
    environment_text,
    run,
)
from tests.proofs.hostile.corruptions import (
    Chance,
    damaged,
    mistaken,
    no_file,
    reshaped,
    retold,
)
from tests.support.tiny_site import write_tiny_site

SEED = "corrupted"
COUNT = 1600
WORKERS = 2
Corrupt = Callable[[Path, Chance], None]
"""Damages one input of the project and state below a folder."""


@dataclass(frozen=True)
class Kind:
    """One source of input."""

    share: int
    """Of 100 cases."""
    commands: tuple[str, ...]
    corrupt: Corrupt
    start: str = "imported"
    """The project as it is before: `new`, `decided` or `imported`."""
    services: str = ""
    """How the services misbehave; empty: not at all."""


def a_file(*patterns: str, change: Callable[[bytes, Chance], bytes]) -> Corrupt:
    """Return what damages one file of the patterns, or puts something else there."""

    def corrupt(folder: Path, chance: Chance) -> None:
        named = (path for each in patterns for path in folder.glob(each))
        found = sorted(path for path in named if path.is_file())
        if not found:
            return
        path = chance.choice(found)
        if chance.random() < 0.08:
            no_file(path, chance)
            return
        how = damaged if chance.random() < 0.35 else change
        path.write_bytes(how(path.read_bytes(), chance))

    return corrupt


def a_database(pattern: str) -> Corrupt:
    """Return what damages a database: its rows, its bytes or its place."""
    by_bytes = a_file(pattern, f"{pattern}-wal", change=damaged)

    def corrupt(folder: Path, chance: Chance) -> None:
        if chance.random() < 0.3:
            by_bytes(folder, chance)
            return
        mistaken(chance.choice(sorted(folder.glob(pattern))), chance)

    return corrupt


def a_lock(folder: Path, chance: Chance) -> None:
    """Damage the lock file, or put what is none in its place."""
    path = folder / "project" / "ledger.lock"
    if chance.random() < 0.5:
        no_file(path, chance)
    else:
        path.write_bytes(damaged(b"`cmsmig import`, process 7 on here", chance))


def a_broken_off_pull(folder: Path, chance: Chance) -> None:
    """Leave pages of a pull that was broken off, damaged."""
    raw = folder / "project" / "raw"
    (found,) = sorted((raw / "items").glob("*.json"))[:1]
    pages = raw / ".pages" / f"items-{found.stem}"
    pages.mkdir(parents=True)
    lines = [line.rstrip(b",\n") for line in found.read_bytes().split(b"\n")[1:-2]]
    (pages / "01-000000.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    row = (
        b'{"round":1,"offset":0,"count":5,"total":5,"sha256":"x","at":1.0,"limit":100}'
    )
    (pages / "manifest.jsonl").write_bytes(b"\n" + row + b"\n")
    if chance.random() < 0.5:
        found.unlink()
    a_file("project/raw/.pages/*/*", change=reshaped)(folder, chance)


def nothing(folder: Path, chance: Chance) -> None:
    """Leave all inputs here as they are: the services are what is corrupted."""


DECISIONS = ("project/decisions/*.yaml",)
RAW = (
    "project/raw/*.json",
    "project/raw/*/*.json",
    "project/raw/.[a-z]*",
    "project/raw/.pages/*",
)
KINDS = {
    "settings": Kind(7, ("plan", "check", "init"),
                     a_file("project/cmsmig.toml", change=retold)),
    "env": Kind(6, ("plan", "check"), a_file("project/.env", change=retold)),
    "decisions": Kind(22, ("plan", "plan", "import --dry-run", "verify"),
                      a_file(*DECISIONS, change=retold)),
    "raw": Kind(20, ("plan", "pull", "verify",
                     "decide --accept-proposals --reviewer R --overwrite"),
                a_file(*RAW, change=reshaped)),
    "pages": Kind(3, ("pull",), a_broken_off_pull),
    "ledger": Kind(14, ("plan", "status", "verify", "rebuild", "status --json"),
                   a_database("project/ledger.sqlite")),
    "budget": Kind(6, ("check", "verify"), a_database("state/budget-*.sqlite")),
    "lock": Kind(2, ("pull", "import --dry-run"), a_lock),
    "answers": Kind(10, ("pull", "check", "plan", "import", "import"), nothing,
                    "decided", "answers"),
    "heads": Kind(5, ("pull", "check", "import"), nothing, "decided", "heads"),
    "downloads": Kind(2, ("pull",), nothing, "new", "downloads"),
    "wire": Kind(3, ("check", "pull", "plan"), nothing, "decided", "wire"),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One corrupted input."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"{self.kind}-{self.number}"


def cases(count: int, only: str) -> list[Case]:
    """Return the cases, kinds mixed, so that all workers have as much to do."""
    listed = [
        Case(name, number)
        for name, kind in KINDS.items()
        for number in range(-(-count * kind.share // 100))
        if not only or only in (name, f"{name}-{number}")
    ]
    random.Random(SEED).shuffle(listed)
    return listed


class Worker:
    """Tries cases one after the other, in a folder of its own."""

    def __init__(self, work: Path, seed: str) -> None:
        self._work = work
        self._seed = seed
        self._content = work / "content"
        write_tiny_site(self._content)
        self._services = Services(self._content)
        self._prepare()

    def _prepare(self) -> None:
        """Make the project in its three states, against services that are whole."""
        making = self._work / "making"
        (making / "project").mkdir(parents=True)
        (making / "state").mkdir()
        for command, state in (
            ("init", "new"),
            ("pull", ""),
            ("decide --accept-proposals --reviewer R", "decided"),
            ("plan", ""),
            ("import", ""),
            ("verify", "imported"),
        ):
            met = run(making, *command.split())
            if met.code:
                raise SystemExit(f"{command} of the whole project: {met}")
            if command == "init":
                self._point(making, self._services)
            if state:
                copied(making, self._work / state)

    def _point(self, folder: Path, services: Services) -> None:
        path = folder / "project" / ".env"
        path.write_text(environment_text(services.announcement))
        path.chmod(0o600)

    def tried(self, case: Case) -> str:
        """Return what is wrong with how the case ended, or empty."""
        kind = KINDS[case.kind]
        chance = random.Random(f"{self._seed} {case}")
        scratch = self._work / "scratch"
        copied(self._work / kind.start, scratch)
        seed = f"{self._seed} {case} services"
        services = (
            Services(self._content, seed, kind.services) if kind.services else None
        )
        try:
            if services is not None:
                self._point(scratch, services)
            kind.corrupt(scratch, chance)
            command = chance.choice(kind.commands)
            began = time.monotonic()
            met = run(scratch, *command.split())
            wrong = wrong_with(met)
        finally:
            if services is not None:
                services.end()
        if not wrong:
            return ""
        kept = self._work.parent / "findings" / str(case)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(scratch, kept)
        return f"{case} `{command}` ({time.monotonic() - began:.0f} s): {wrong}"

    def end(self) -> None:
        """Take the services down."""
        self._services.end()


def wrong_with(met: Met) -> str:
    """Return what is wrong with the ending of a command, or empty."""
    last = (met.err.strip().splitlines() or [""])[-1]
    if met.code is None:
        return f"hangs; last said: {last[:300]}"
    if not 0 <= met.code <= 7:
        return f"ends with {met.code}: {last[:300]}"
    for sign in ("Traceback", "should not happen", "Exception ignored", "Warning: "):
        if sign in met.err:
            return f"{sign}: {last[:400]}"
    if found := re.search(
        r"No story could be made of[^\"\n]{0,300}", met.out + met.err
    ):
        return f"a draft went wrong in code: {found[0]}"
    if met.code and not re.search(r"[.?]\)?$", last):
        return f"ends with {met.code} without a sentence: {last[:300]!r}"
    if "memory of this machine" in last:
        return f"takes more memory than it should: {last}"
    return ""


def _work(work: Path, seed: str, mine: list[Case], pipe: object) -> None:
    worker = Worker(work, seed)
    try:
        for case in mine:
            pipe.send((case, worker.tried(case)))  # type: ignore[attr-defined]
    finally:
        worker.end()
        pipe.send(None)  # type: ignore[attr-defined]


def _tried(work: Path, seed: str, listed: list[Case]) -> Iterator[tuple[Case, str]]:
    """Yield each case with what is wrong with it, tried by several workers."""
    context = get_context("fork")
    readers = []
    for number in range(min(WORKERS, len(listed))):
        ours, theirs = context.Pipe(duplex=False)
        mine = listed[number::WORKERS]
        place = work / f"worker-{number}"
        context.Process(target=_work, args=(place, seed, mine, theirs)).start()
        theirs.close()
        readers.append(ours)
    from multiprocessing.connection import wait

    while readers:
        for reader in wait(readers):
            try:
                found = reader.recv()  # type: ignore[union-attr]
            except EOFError:
                found = None
            if found is None:
                readers.remove(reader)  # type: ignore[arg-type]
            else:
                yield found


def run_cases(work: Path, count: int, seed: str, only: str) -> list[str]:
    """Try the cases, tell how it goes, and return the findings."""
    began = time.monotonic()
    listed = cases(count, only)
    done: Counter[str] = Counter()
    findings: list[str] = []
    for case, wrong in _tried(work, seed, listed):
        done[case.kind] += 1
        if wrong:
            findings.append(wrong)
            print(f"  {wrong}", flush=True)
        if sum(done.values()) % 200 == 0:
            print(f"  {sum(done.values())} of {len(listed)} tried", flush=True)
    told = ", ".join(f"{name} {done[name]}" for name in KINDS if done[name])
    seconds = time.monotonic() - began
    print(f"{sum(done.values())} corrupted inputs in {seconds:.0f} s: {told}")
    if sum(done.values()) < len(listed):
        findings.append(f"{len(listed) - sum(done.values())} cases were not tried")
    return findings


def run_part(work: Path) -> list[str]:
    """Try as many as are asked for as a rule."""
    return run_cases(work, int(os.environ.get("COUNT", COUNT)), SEED, "")


def main() -> int:
    """Run the cases and return the exit code."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--count", type=int, default=COUNT)
    options.add_argument("--seed", default=SEED)
    options.add_argument("--only", default="")
    options.add_argument("--work", type=Path)
    chosen = options.parse_args()
    work = chosen.work or Path(tempfile.mkdtemp(prefix="cmsmig-corrupted-"))
    findings = run_cases(work, chosen.count, chosen.seed, chosen.only)
    print(f"{len(findings)} findings; work in {work}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
