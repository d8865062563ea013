"""Every fault at every request of an import, and whether a rerun makes it good.

usage: faults.py [--slice I/N | --count N] [--kind faults|kills|random] [--work DIR]

Records the requests of an uninterrupted import of 30 items in two locales at one
request at a time. Then, for each request and each fault of the sandbox's dial, and
for a SIGKILL of a real child process before the request, after it was applied and
after its reply, imports again into a fresh space, reruns until it is done, and
compares with the uninterrupted space. Kind `random` runs plans of several faults at
8 requests at once, and `kills` kills one import several times anywhere.

Cases that passed are kept in reports/faults/ and not run again as long as the code
is the same. Exits 1 when a case failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import faultworld
from faultworld import Prepared, World

from cmsmig.sandbox.dial import possible
from cmsmig.sandbox.exchange import Call
from cmsmig.sandbox.faults import Fault, PlannedFault
from cmsmig.sandbox.history import Entry
from cmsmig.sandbox.naming import RequestName

ROOT = Path(__file__).parent.parent
STATE = ROOT / "reports" / "faults"
RANDOM_PLANS = 200
KILL_ROUNDS = 200
KILLS = ("kill before", "kill applied", "kill answered")
ABOVE = ("notebook", "report", "run", "cli.py")
"""What the layers forbid steps and sandbox to import (pyproject.toml): no line of it
can matter to an import, so cases stay passed when it changes."""
SINGLE = (Fault.GROWS, Fault.SHRINKS)
"""Faults of lists with several pages, which the space of this site has none of."""


@dataclass(frozen=True)
class Case:
    """One thing to go wrong with one import."""

    name: str
    """What is done: the table's row."""
    request: str
    """Where: the request, in words that are the same in every run."""
    plan: tuple[PlannedFault, ...] = ()
    kills: tuple[int, ...] = ()
    """Requests at which the import is killed, one run after the other."""
    how: str = ""
    """Which of `KILLS`."""
    in_flight: int = 1

    @property
    def key(self) -> str:
        """Name the case in the state file."""
        return f"{self.name} | {self.request}"


def main(arguments: Sequence[str]) -> int:
    """Run the chosen cases and print the table; return the exit code."""
    chosen = _arguments(arguments)
    # The sandbox's server tells of each connection that the dial breaks.
    logging.disable(logging.CRITICAL)
    place = chosen.work or (Path("/dev/shm") if Path("/dev/shm").is_dir() else None)
    with tempfile.TemporaryDirectory(prefix="cmsmig-faults-", dir=place) as folder:
        work = Path(folder)
        faultworld.start_forks()
        faultworld.hurry()
        prepared = faultworld.prepare(work)
        whole = uninterrupted(prepared, work)
        cases = _chosen(all_cases(whole.entries, chosen.kind), chosen)
        return run_all(cases, prepared, work, whole)


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--slice", default="", metavar="I/N", help="every Nth case")
    parser.add_argument("--count", type=int, default=0, help="so many, spread evenly")
    parser.add_argument("--kind", default="", help="faults, kills or random alone")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="cases whose name holds this; * is anything; may be given again",
    )
    parser.add_argument("--work", type=Path, help="where worlds are made")
    return parser.parse_args(given)


def _chosen(cases: list[Case], chosen: argparse.Namespace) -> list[Case]:
    if chosen.only:
        cases = [case for case in cases if _named(case, chosen.only)]
    if chosen.slice:
        part, _, parts = chosen.slice.partition("/")
        cases = cases[int(part) % int(parts) :: int(parts)]
    if chosen.count and chosen.count < len(cases):
        step = len(cases) / chosen.count
        cases = [cases[int(index * step)] for index in range(chosen.count)]
    return cases


def _named(case: Case, texts: Sequence[str]) -> bool:
    return any(fnmatchcase(case.key, f"*{text}*") for text in texts)


@dataclass(frozen=True)
class Whole:
    """What an uninterrupted import asks, and what it leaves."""

    entries: list[Entry]
    """Its requests, in order."""
    space: bytes
    ledger: dict[str, list]


def uninterrupted(prepared: Prepared, work: Path) -> Whole:
    """Return an import that nothing happens to."""
    with faultworld.world(prepared, work) as world:
        code, said = world.run()
        whole = Whole(list(world.entries), world.comparable(), world.facts())
        found = world.problems(whole.space, whole.ledger)
        _, again = world.run()
        if (code, found, again) != (0, [], "writes: 0"):
            sys.exit(f"The uninterrupted import went wrong: {said} {found} {again}")
        return whole


def all_cases(entries: list[Entry], kind: str) -> list[Case]:
    """Return every case, in an order that is the same each time."""
    cases: list[Case] = []
    if kind in ("", "faults"):
        cases += single_faults(entries)
    if kind in ("", "kills"):
        cases += random_kills(entries)
    if kind in ("", "random"):
        cases += random_plans(entries)
    return cases


def single_faults(entries: list[Entry]) -> Iterator[Case]:
    """Yield each fault and each kill at each request."""
    sent = 0
    for number, entry in enumerate(entries, start=1):
        where = described(entry, number)
        for name, fault in VARIANTS:
            if fits(fault.fault, entry):
                storm = fault.times if name.startswith("storm") else 0
                yield Case(name, where, (aimed(fault, entry, number, storm),))
        yield Case(KILLS[0], where, kills=(number,), how=KILLS[0])
        yield Case(KILLS[1], where, kills=(number,), how=KILLS[1])
        # Reading a public address is no event, so the child cannot count it.
        if entry.service != "delivery":
            sent += 1
            yield Case(KILLS[2], where, kills=(sent,), how=KILLS[2])


def _variants() -> Iterator[tuple[str, PlannedFault]]:
    for fault in Fault:
        if fault not in SINGLE and fault is not Fault.SLOW:
            yield str(fault), PlannedFault(fault)
    yield "slow", PlannedFault(Fault.SLOW, seconds=0.02)
    late = faultworld.TIMEOUT + 0.3
    yield "slower than patience", PlannedFault(Fault.SLOW, seconds=late)
    yield "too_many, Retry-After", PlannedFault(Fault.TOO_MANY, retry_after=2)
    yield "storm of 15", PlannedFault(Fault.TOO_MANY, times=15)
    for fault in (Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.MALFORMED, Fault.SILENT,
                  Fault.GATEWAY_BEFORE, Fault.UNSEEN, Fault.EXPIRED):  # fmt: skip
        yield f"{fault} x 6", PlannedFault(fault, times=6)


VARIANTS = tuple(_variants())
"""What is tried at each request, by the table's names."""


def fits(fault: Fault, entry: Entry) -> bool:
    """Return whether the dial can do this to a request."""
    call = Call(0, entry.method, entry.path, entry.path, tuple(entry.query.items()),
                {}, b"")  # fmt: skip
    return possible(fault, call, RequestName(entry.method, entry.route, entry.subject))


def aimed(fault: PlannedFault, entry: Entry, number: int, storm: int) -> PlannedFault:
    """Return the fault for this request; a storm hits whatever comes from it on."""
    body = asdict(fault)
    if storm:
        return PlannedFault(**{**body, "attempt": number})
    return PlannedFault(
        **{
            **body,
            "method": entry.method,
            "route": entry.route,
            "item": entry.subject,
            "attempt": entry.attempt,
        }
    )


def described(entry: Entry, number: int) -> str:
    """Name a request by method, route, item and attempt."""
    item = f" {entry.subject}" if entry.subject else ""
    return f"{number:03d} {entry.method} {entry.route}{item} #{entry.attempt}"


def random_plans(entries: list[Entry]) -> Iterator[Case]:
    """Yield plans of several faults, 8 requests at once."""
    for seed in range(RANDOM_PLANS):
        drawn = random.Random(f"plan {seed}")
        plan: list[PlannedFault] = []
        while len(plan) < 2 + seed % 6:
            number = drawn.randrange(len(entries))
            _, fault = drawn.choice(VARIANTS)
            if fits(fault.fault, entries[number]):
                storm = drawn.randrange(4) == 0
                plan.append(aimed(fault, entries[number], number + 1, storm))
        yield Case("random plan", f"seed {seed}", tuple(plan), in_flight=8)


def random_kills(entries: list[Entry]) -> Iterator[Case]:
    """Yield imports that are killed two to six times, anywhere."""
    for seed in range(KILL_ROUNDS):
        drawn = random.Random(f"kills {seed}")
        kills = tuple(
            drawn.randrange(1, len(entries) // 2) for _ in range(2 + seed % 5)
        )
        how = KILLS[seed % 3]
        yield Case("random kills", f"seed {seed}, {how}", kills=kills, how=how,
                   in_flight=1 + seed % 8)  # fmt: skip


def run_all(cases: list[Case], prepared: Prepared, work: Path, whole: Whole) -> int:
    """Run what has not passed yet, say how far it is, print the table."""
    path, passed = _remembered()
    results: dict[str, list[str]] = {}
    started, begun = time.monotonic(), 0
    with path.open("a", encoding="utf-8") as state:
        for number, case in enumerate(cases, start=1):
            if case.key in passed:
                results[case.key] = []
                continue
            results[case.key] = problems = attempt(case, prepared, work, whole)
            begun += 1
            if problems:
                print(f"FAILED {case.key}", *problems, sep="\n    ", flush=True)
            else:
                state.write(json.dumps(case.key) + "\n")
                state.flush()
            _say_progress(number, len(cases), begun, started, results)
    print(file=sys.stderr)
    _print_table(cases, results, time.monotonic() - started, begun)
    return int(any(results.values()))


def attempt(case: Case, prepared: Prepared, work: Path, whole: Whole) -> list[str]:
    """Run one case; return what is wrong after it."""
    try:
        with faultworld.world(prepared, work, case.in_flight) as world:
            if case.plan:
                world.handle.state.dial.set(case.plan)
            ended = [killed(world, at, case.how) for at in case.kills]
            if case.in_flight == 1 and len(ended) == 1 and ended != [-9]:
                return [f"the import was not killed but ended with {ended[0]}"]
            told = [] if case.kills else [world.run()]
            if case.in_flight == 1 and case.plan and not world.handle.state.dial.given:
                return [f"the fault was never given: {told}"]
            if problem := rerun_until_done(world, told):
                return [problem]
            return world.problems(whole.space, whole.ledger)
    except Exception:
        return [traceback.format_exc(limit=-4)]


def killed(world: World, at: int, how: str) -> int | None:
    """Import in a child that is killed at a request; return how it ended."""
    hooks = world.hooks
    hooks.seen, hooks.child = 0, 0
    hooks.at = 0 if how == KILLS[2] else at
    hooks.applied = how == KILLS[1]
    ended = world.run_child(at if how == KILLS[2] else 0)
    hooks.at = hooks.child = 0
    return ended


def rerun_until_done(world: World, told: list[tuple[int, str]]) -> str:
    """Import until it says that all is done; return why it never does."""
    while not told or told[-1][0] != 0:
        if len(told) > faultworld.RERUNS:
            return f"It is not done after {len(told)} runs: {told[0]} ... {told[-1]}"
        if told:
            world.handle.state.dial.set(())
        told.append(world.run())
    world.handle.state.dial.set(())
    again = world.run()
    return "" if again == (0, "writes: 0") else f"done, and yet again: {again}"


def _remembered() -> tuple[Path, set[str]]:
    """Return the file of the cases that passed with this very code, and them."""
    package = ROOT / "cmsmig"
    sources = sorted(
        path
        for path in (*package.rglob("*.py"), *Path(__file__).parent.glob("fault*.py"))
        if not any(path.is_relative_to(package / name) for name in ABOVE)
    )
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()
    STATE.mkdir(parents=True, exist_ok=True)
    path = STATE / f"passed-{digest[:16]}.jsonl"
    if not path.exists():
        return path, set()
    return path, {json.loads(line) for line in path.read_text().splitlines()}


def _say_progress(
    number: int, total: int, begun: int, started: float, results: dict[str, list[str]]
) -> None:
    each = (time.monotonic() - started) / begun
    left = (total - number) * each / 60
    failed = sum(1 for problems in results.values() if problems)
    sys.stderr.write(
        f"\r{number}/{total}, {failed} failed, {each:.2f} s each, {left:.0f} min left "
    )
    sys.stderr.flush()


def _print_table(
    cases: list[Case], results: dict[str, list[str]], seconds: float, begun: int
) -> None:
    tried = Counter(case.name for case in cases)
    failed = Counter(case.name for case in cases if results[case.key])
    print("| fault | tried | failed |")
    print("|---|---|---|")
    for name, count in tried.items():
        print(f"| {name} | {count} | {failed[name]} |")
    print(f"| all | {len(cases)} | {failed.total()} |")
    print(f"\n{begun} run now in {seconds:.0f} s, the others had passed before")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
