"""What goes wrong with an import or a pull, case by case, the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cmsmig.sandbox.faults.fault_rules import Fault, PlannedFault
from cmsmig.sandbox.faults.injector import possible
from cmsmig.sandbox.history import Entry
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.observe.request_subjects import RequestName
from tests.proofs.faults.importing import TIMEOUT

KINDS = ("faults", "kills", "random", "pull", "two", "command", "editors", "recreate",
         "rollback", "delta", "changes", "languages")  # fmt: skip
LOST = ("emptied", "restarted")
"""How a space comes to lack everything."""
RANDOM_PLANS = 200
TWO_AT_ONCE = 12
COMMANDS = 20
KILLS = ("before", "applied", "answered")
FAULTS_EACH = 9
"""Every so many requests of a rollback get every fault: most are alike."""
UNFINISHED_EACH = 5
"""Every so many requests of an import are its last before it is taken back."""
EDITORS_EACH = 4
"""Every so many stories get an editor: their requests are alike."""

SHORTER = (Fault.MALFORMED, Fault.EMPTY)
"""Answers that are whole and right by all that HTTP tells; of a file of the origin
nothing else is known, so nobody can tell them from the file."""


@dataclass(frozen=True)
class Case:
    """One thing to go wrong with one import or pull."""

    name: str
    """What is done: the table's row."""
    request: str
    """Where: the request, in words that are the same in every run."""
    kind: str
    """One of `KINDS`."""
    plan: tuple[PlannedFault, ...] = ()
    kills: tuple[int, ...] = ()
    """Requests at which it is killed, one run after the other."""
    how: str = ""
    """Which of `KILLS`."""
    lost: str = ""
    """Which of `LOST`, before the import that goes wrong."""
    unfinished: bool = False
    """Whether it is the import that goes wrong, not the rollback after it."""
    moments: tuple[float, ...] = ()
    """When it is killed, run after run, as shares of the time that an undisturbed
    run takes: counted by turns from its start and from its first request on."""
    in_flight: int = 1

    @property
    def key(self) -> str:
        """Name the case in the state file."""
        return f"{self.name} | {self.request}"


@dataclass(frozen=True)
class Deed:
    """What somebody does at one request, and what becomes of that request."""

    edits: bool
    """Edits the item's story; otherwise puts another one in its place."""
    applied: bool
    """Whether the request is applied, which is then before the deed."""
    ending: str
    """`answered`, `lost` or `killed`."""


AT_CREATE = {
    "somebody takes the place": Deed(False, False, "answered"),
    "somebody takes the place, create lost": Deed(False, False, "lost"),
    "somebody takes the place, killed": Deed(False, False, "killed"),
    "somebody edits after the create": Deed(True, True, "answered"),
    "somebody edits after the create, reply lost": Deed(True, True, "lost"),
    "somebody edits after the create, killed": Deed(True, True, "killed"),
}
AT_UPDATE = {
    "somebody edits, update lost": Deed(True, False, "lost"),
    "somebody edits, killed": Deed(True, False, "killed"),
    "somebody edits after the update, reply lost": Deed(True, True, "lost"),
    "somebody edits after the update, killed": Deed(True, True, "killed"),
}
DEEDS = AT_CREATE | AT_UPDATE


def all_cases(
    entries: list[Entry],
    pulled: list[Entry],
    again: list[Entry],
    taken: list[Entry],
    moved: list[Entry],
    told: list[Entry],
    translated: list[Entry],
    kind: str,
    rounds: int,
) -> list[Case]:
    """Return the cases of a kind, or of all, in an order that is the same each time.

    `entries` are the requests of an undisturbed import, `pulled` those of a pull,
    `again` those of an import that makes everything again, `taken` those of a
    rollback, `moved` those of an import after both sides moved, `told` those of
    `changes` before it, `translated` those of an import of both languages in one
    story.
    """
    made = {
        "faults": single_faults(entries, "faults"),
        "kills": [*kills_at_times(rounds), *kills_at_requests(entries, rounds // 2)],
        "random": random_plans(entries),
        "pull": [*single_faults(pulled, "pull"), *killed_pulls(rounds // 10)],
        "two": two_at_once(entries),
        "command": killed_commands(min(rounds, COMMANDS)),
        "editors": somebody_at_work(entries),
        "recreate": killed_recreations(again, rounds // 5),
        "rollback": rollbacks(taken, entries, rounds // 5),
        "delta": killed_imports("delta", moved, rounds // 5),
        "languages": killed_imports("languages", translated, rounds // 10),
        "changes": disturbed_changes(told),
    }
    return [case for name in KINDS if kind in ("", name) for case in made[name]]


def single_faults(entries: list[Entry], kind: str) -> Iterator[Case]:
    """Yield each fault and each kill at each request."""
    pull = "pull, " if kind == "pull" else ""
    sent = 0
    for number, entry in enumerate(entries, start=1):
        where = described(entry, number)
        for name, fault in VARIANTS:
            if fits(fault.fault, entry):
                storm = fault.times if name.startswith("storm") else 0
                plan = (aimed(fault, entry, number, storm),)
                yield Case(pull + name, where, kind, plan)
        kills = [(number, "before"), (number, "applied")]
        # Reading a public address is no event, so the child cannot count it.
        if entry.service not in ("delivery", "files"):
            sent += 1
            kills.append((sent, "answered"))
        for at, how in kills:
            yield Case(f"{pull}kill {how}", where, kind, kills=(at,), how=how)


def _variants() -> Iterator[tuple[str, PlannedFault]]:
    for fault in Fault:
        if fault is not Fault.SLOW:
            yield str(fault), PlannedFault(fault)
    yield "slow", PlannedFault(Fault.SLOW, seconds=0.02)
    late = TIMEOUT + 0.3
    yield "slower than patience", PlannedFault(Fault.SLOW, seconds=late)
    yield "too_many, Retry-After", PlannedFault(Fault.TOO_MANY, retry_after=20)
    yield "storm of 15", PlannedFault(Fault.TOO_MANY, times=15)
    for fault in (Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.MALFORMED, Fault.SILENT,
                  Fault.GATEWAY_BEFORE, Fault.UNSEEN, Fault.EXPIRED):  # fmt: skip
        yield f"{fault} x 6", PlannedFault(fault, times=6)


VARIANTS = tuple(_variants())
"""What is tried at each request, by the table's names."""


def fits(fault: Fault, entry: Entry) -> bool:
    """Return whether the sandbox can do this to a request."""
    if entry.service == "files" and fault in SHORTER:
        return False
    call = Call(0, entry.method, entry.path, entry.path, tuple(entry.query.items()),
                {}, b"")  # fmt: skip
    return possible(fault, call, RequestName(entry.method, entry.route, entry.subject))


def aimed(fault: PlannedFault, entry: Entry, number: int, storm: int) -> PlannedFault:
    """Return the fault for this request; a storm hits whatever comes from it on."""
    if storm:
        return replace(fault, attempt=number)
    return replace(
        fault,
        method=entry.method,
        route=entry.route,
        item=entry.subject,
        attempt=entry.attempt,
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
        yield Case("random plan", f"seed {seed}", "random", tuple(plan), in_flight=8)


def kills_at_requests(entries: list[Entry], rounds: int) -> Iterator[Case]:
    """Yield imports that are killed at two to six requests, anywhere."""
    for seed in range(rounds):
        drawn = random.Random(f"kills {seed}")
        kills = tuple(
            drawn.randrange(1, len(entries) // 2) for _ in range(2 + seed % 5)
        )
        how = KILLS[seed % 3]
        yield Case("several kills at requests", f"seed {seed}, {how}", "kills",
                   kills=kills, how=how, in_flight=1 + seed % 8)  # fmt: skip


def kills_at_times(rounds: int) -> Iterator[Case]:
    """Yield imports that are killed three to seven times, at any moment."""
    for seed in range(rounds):
        yield Case("several kills at times", f"seed {seed}", "kills",
                   moments=moments(f"times {seed}", 3 + seed % 5),
                   in_flight=1 + seed % 8)  # fmt: skip


def killed_pulls(rounds: int) -> Iterator[Case]:
    """Yield pulls with several requests at once, killed at any moment."""
    for seed in range(rounds):
        yield Case("pull, several kills at times", f"seed {seed}", "pull",
                   moments=moments(f"pull {seed}", 2 + seed % 3),
                   in_flight=8)  # fmt: skip


def killed_commands(rounds: int) -> Iterator[Case]:
    """Yield runs of the command itself, in real time, killed at any moment."""
    for seed in range(rounds):
        yield Case("cmsmig import, kills at times", f"seed {seed}", "command",
                   moments=moments(f"command {seed}", 3 + seed % 3),
                   in_flight=1 + seed % 8)  # fmt: skip


def moments(seed: str, count: int) -> tuple[float, ...]:
    """Draw shares of a run's time, so small that most runs after a kill, which have
    less left to do, are hit too.
    """
    drawn = random.Random(seed)
    return tuple(drawn.random() * 2 / (count + 1) for _ in range(count))


def killed_recreations(entries: list[Entry], rounds: int) -> Iterator[Case]:
    """Yield a kill at each request of a run that makes everything again, and runs
    that are killed several times at random requests."""
    for case in single_faults(entries, "recreate"):
        if case.kills:
            lost = LOST[case.kills[0] % 2]
            yield replace(case, name=f"{lost}, killed {case.how}", lost=lost)
    for seed in range(rounds):
        drawn = random.Random(f"recreate {seed}")
        kills = tuple(
            drawn.randrange(1, len(entries) // 2) for _ in range(2 + seed % 4)
        )
        lost, how = LOST[seed % 2], KILLS[seed % 3]
        yield Case(f"{lost}, several kills", f"seed {seed}, {how}", "recreate",
                   kills=kills, how=how, lost=lost, in_flight=1 + seed % 8)  # fmt: skip


def rollbacks(taken: list[Entry], imported: list[Entry], rounds: int) -> Iterator[Case]:
    """Yield a kill at each request of a rollback and faults at some, rollbacks that
    are killed several times, and rollbacks of imports that were killed."""
    for number, case in enumerate(single_faults(taken, "rollback")):
        if case.kills or number % FAULTS_EACH == 0:
            yield replace(case, name=f"rollback, {case.name}")
    for seed in range(rounds):
        drawn = random.Random(f"rollback {seed}")
        kills = tuple(drawn.randrange(1, len(taken) // 2) for _ in range(2 + seed % 4))
        how = KILLS[seed % 3]
        yield Case("rollback, several kills", f"seed {seed}, {how}", "rollback",
                   kills=kills, how=how, in_flight=1 + seed % 8)  # fmt: skip
    killed = [case for case in single_faults(imported, "rollback") if case.kills]
    for case in killed[::UNFINISHED_EACH]:
        name = f"import killed {case.how}, taken back"
        yield replace(case, name=name, unfinished=True)


def killed_imports(kind: str, entries: list[Entry], rounds: int) -> Iterator[Case]:
    """Yield a kill at each request of an import of another kind and faults at some,
    and such imports that are killed several times."""
    for number, case in enumerate(single_faults(entries, kind)):
        if case.kills or number % FAULTS_EACH == 0:
            yield replace(case, name=f"{kind}, {case.name}")
    for seed in range(rounds):
        drawn = random.Random(f"{kind} {seed}")
        kills = tuple(
            drawn.randrange(1, len(entries) // 2) for _ in range(2 + seed % 4)
        )
        how = KILLS[seed % 3]
        yield Case(f"{kind}, several kills", f"seed {seed}, {how}", kind,
                   kills=kills, how=how, in_flight=1 + seed % 8)  # fmt: skip


def disturbed_changes(entries: list[Entry]) -> Iterator[Case]:
    """Yield a kill at each request of `changes`, and faults at some."""
    for number, case in enumerate(single_faults(entries, "changes")):
        if case.kills or number % FAULTS_EACH == 0:
            yield replace(case, name=f"changes, {case.name}")


def two_at_once(entries: list[Entry]) -> Iterator[Case]:
    """Yield imports during which the command imports into the same project."""
    for seed in range(TWO_AT_ONCE):
        at = random.Random(f"two {seed}").randrange(1, len(entries) + 1)
        where = described(entries[at - 1], at)
        yield Case("two imports at once", where, "two", kills=(at,))


def somebody_at_work(entries: list[Entry]) -> Iterator[Case]:
    """Yield each deed at the requests about every fourth story."""
    for route, deeds in (("create story", AT_CREATE), ("update story", AT_UPDATE)):
        about = [
            (number, entry)
            for number, entry in enumerate(entries, start=1)
            if entry.route == route and not _is_folder(entry, entries)
        ]
        for number, entry in about[::EDITORS_EACH]:
            where = described(entry, number)
            for name in deeds:
                yield Case(name, where, "editors", kills=(number,), how=name)


def _is_folder(entry: Entry, entries: list[Entry]) -> bool:
    inside = f"{entry.subject}/"
    return any(other.subject.startswith(inside) for other in entries)
