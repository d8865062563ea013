"""Corrupted inputs, whatever the source: a result or one sentence, in seconds.

Settings, `.env`, decision files, raw answers, pages, the ledger, the budget, lock
files, answers and headers of both services, downloads and bare sockets are damaged by
chance, each case by its own seed, and a command meets them. Findings are crashes (a
traceback, "This should not happen", a draft that went wrong in code), hangs, memory
without end, and failures without a sentence.
"""

from __future__ import annotations

import random
import re
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.proofs.hostile.corrupted_services import Fault, Met, nonsense, run
from tests.proofs.hostile.corruptions import (
    Chance,
    damaged,
    mistaken,
    no_file,
    reshaped,
    retold,
)
from tests.proofs.world.world import Checkpoint, World, build_world
from tests.support.tiny_site import write_tiny_site

SEED = "corrupted"
COUNT = 1600
RATE = 900
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
    row = (
        b'{"round":1,"offset":0,"count":5,"total":5,"sha256":"x","at":1.0,"limit":100}'
    )
    (pages / "01-000000.jsonl").write_bytes(b"\n".join([row, *lines]) + b"\n")
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

    key: str
    name: str
    """Of its kind."""

    @property
    def part(self) -> str:
        """Name the part of the proof."""
        return self.name


class Corrupted:
    """Tries cases one after the other, from projects that are prepared once."""

    def __init__(self, world: World, starts: Mapping[str, Checkpoint]) -> None:
        self._world, self._starts = world, starts

    def cases(self) -> list[Case]:
        """Return cases of each kind by its share."""
        return [
            Case(f"{name}-{number}", name)
            for name, kind in KINDS.items()
            for number in range(COUNT * kind.share // 100)
        ]

    def begin(self) -> None:
        """Work in a folder of this process's own from now on."""
        own = Path(tempfile.mkdtemp(dir=self._world.work.parent))
        self._world = self._world.moved(own / "work")

    def attempt(self, case: Case) -> list[str]:
        """Run the command of a case; return what is wrong with how it ended."""
        try:
            wrong = self._tried(case)
        except Exception:
            wrong = traceback.format_exc(limit=-4)
        return [wrong] if wrong else []

    def _tried(self, case: Case) -> str:
        """Return what is wrong with how the case ended, or empty."""
        one, kind = self._world, KINDS[case.name]
        chance = random.Random(f"{SEED} {case.key}")
        seed = f"{SEED} {case.key} services"
        one.go_back(self._starts[kind.start])
        one.begin()
        if kind.services:
            one.switch.disturbance = Fault(seed, kind.services)
        kind.corrupt(one.work, chance)
        command = chance.choice(kind.commands)
        answering = one.answering
        if kind.services == "wire":
            answering = partial(nonsense, one, seed)
        wrong = wrong_with(run(one, answering, command.split()))
        return f"`{command}`: {wrong}" if wrong else ""


@contextmanager
def proof(work: Path) -> Iterator[Corrupted]:
    """Prepare the projects that cases start from, in an empty folder."""
    write_tiny_site(work / "content")
    one, starts = build_world(work, rate=RATE, origin_rate=60_000), {}
    with one.answering():
        one.init(RATE)
        starts["new"] = one.keep(work / "new")
        one.decided()
        starts["decided"] = one.keep(work / "decided")
        for command in ("plan", "import", "verify"):
            one.done(command)
        starts["imported"] = one.keep(work / "imported")
    yield Corrupted(one, starts)


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
