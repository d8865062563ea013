"""What goes wrong with a command, case by case, the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cmsmig.sandbox.http.asgi import Call
from tests.proofs.world.disturbances import KILLS
from tests.support.sandbox.fault_rules import Fault, PlannedFault
from tests.support.sandbox.history import Entry
from tests.support.sandbox.injector import possible
from tests.support.sandbox.request_subjects import RequestName

LOST = ("emptied", "restarted")
"""How a space comes to lack everything."""
ROUNDS = 200
"""Imports that are killed several times."""
FAULTS_EACH = 9
"""Every so many requests of some commands get every fault: most are alike."""
UNFINISHED_EACH = 5
"""Every so many requests of an import are its last before it is taken back."""
EDITORS_EACH = 4
"""Every so many stories get an editor: their requests are alike."""
TWO_AT_ONCE = 12
PATIENCE = 60.0
"""Seconds after which the client takes an answer for lost."""
SHORTER = (Fault.MALFORMED, Fault.EMPTY)
"""Answers that are whole and right by all that HTTP says; of a file of the origin
nothing else is known, so they cannot be distinguished from the file."""

Recorded = Mapping[str, Sequence[Entry]]
"""The requests of each command that nothing happens to, by its scene."""


@dataclass(frozen=True)
class Case:
    """One thing to go wrong with one command."""

    name: str
    """What is done: the table's row."""
    request: str
    """Where: the request, in words that are the same in every run."""
    part: str
    """One of `PARTS`."""
    scene: str
    """What is disturbed, in which situation."""
    plan: tuple[PlannedFault, ...] = ()
    kills: tuple[int, ...] = ()
    """Requests at which it is killed, one run after the other."""
    how: str = ""
    """Which of `KILLS`, or of `DEEDS`."""
    moments: tuple[float, ...] = ()
    """When processes of the command are killed, one after the other, as shares of the
    time that an undisturbed one takes."""
    in_flight: int = 1

    @property
    def key(self) -> str:
        """Name the case."""
        return f"{self.name} | {self.request}"


@dataclass(frozen=True)
class Deed:
    """What an editor does at one request, and the outcome of that request."""

    edits: bool
    """Edits the item's story; if not, puts another one in its place."""
    applied: bool
    """Whether the request is applied, which is then before the deed."""
    ending: str
    """`answered`, `lost` or `killed`."""


AT_CREATE = {
    "an editor takes the place": Deed(False, False, "answered"),
    "an editor takes the place, create lost": Deed(False, False, "lost"),
    "an editor takes the place, killed": Deed(False, False, "killed"),
    "an editor edits after the create": Deed(True, True, "answered"),
    "an editor edits after the create, reply lost": Deed(True, True, "lost"),
    "an editor edits after the create, killed": Deed(True, True, "killed"),
}
AT_UPDATE = {
    "an editor edits, update lost": Deed(True, False, "lost"),
    "an editor edits, killed": Deed(True, False, "killed"),
    "an editor edits after the update, reply lost": Deed(True, True, "lost"),
    "an editor edits after the update, killed": Deed(True, True, "killed"),
}
DEEDS = AT_CREATE | AT_UPDATE


def all_cases(recorded: Recorded) -> Iterator[Case]:
    """Yield all cases in an order that is the same each time."""
    imported = recorded["import"]
    yield from each_request("faults", "import", imported)
    yield from several_kills("kills", "import", imported, ROUNDS // 2, "requests")
    yield from kills_at_times("kills", "import", ROUNDS)
    yield from random_plans(imported)
    for case in each_request("pull", "pull", recorded["pull"]):
        yield replace(case, name=f"pull, {case.name}")
    yield from kills_at_times("pull", "pull", ROUNDS // 10)
    yield from two_at_once(imported)
    yield from editor_at_work(imported)
    yield from recreations(recorded["emptied"])
    yield from some_requests("rollback", recorded["rollback"])
    yield from several_kills("rollback", "rollback", recorded["rollback"], ROUNDS // 5)
    yield from unfinished_imports(imported)
    for scene, rounds in (("delta", ROUNDS // 5), ("languages", ROUNDS // 10)):
        yield from some_requests(scene, recorded[scene])
        yield from several_kills(scene, scene, recorded[scene], rounds)
    yield from some_requests("changes", recorded["changes"])


def each_request(part: str, scene: str, entries: Sequence[Entry]) -> Iterator[Case]:
    """Yield each fault and each kill at each request."""
    for number, entry in enumerate(entries, start=1):
        where = described(entry, number)
        for name, fault in VARIANTS:
            if fits(fault.fault, entry):
                plan = (aimed(fault, entry, number, name.startswith("storm")),)
                yield Case(name, where, part, scene, plan)
        for how in KILLS:
            yield Case(f"kill {how}", where, part, scene, kills=(number,), how=how)


def some_requests(scene: str, entries: Sequence[Entry]) -> Iterator[Case]:
    """Yield each kill at each request, and each fault at some."""
    for number, case in enumerate(each_request(scene, scene, entries)):
        if case.kills or number % FAULTS_EACH == 0:
            yield replace(case, name=f"{scene}, {case.name}")


def _variants() -> Iterator[tuple[str, PlannedFault]]:
    for fault in Fault:
        if fault is not Fault.SLOW:
            yield str(fault), PlannedFault(fault)
    yield "slow", PlannedFault(Fault.SLOW, seconds=2)
    yield "slower than patience", PlannedFault(Fault.SLOW, seconds=PATIENCE + 1)
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
    call = Call(entry.method, entry.path, entry.path, tuple(entry.query.items()),
                {}, b"")  # fmt: skip
    return possible(fault, call, RequestName(entry.method, entry.route, entry.subject))


def aimed(
    fault: PlannedFault, entry: Entry, number: int, is_storm: bool
) -> PlannedFault:
    """Return the fault for this request; a storm hits whatever comes from it on."""
    if is_storm:
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


def random_plans(entries: Sequence[Entry]) -> Iterator[Case]:
    """Yield plans of several faults, 8 requests at once."""
    for seed in range(ROUNDS):
        drawn = random.Random(f"plan {seed}")
        plan: list[PlannedFault] = []
        while len(plan) < 2 + seed % 6:
            number = drawn.randrange(len(entries))
            _, fault = drawn.choice(VARIANTS)
            if fits(fault.fault, entries[number]):
                is_storm = drawn.randrange(4) == 0
                plan.append(aimed(fault, entries[number], number + 1, is_storm))
        yield Case("random plan", f"seed {seed}", "random", "import", tuple(plan),
                   in_flight=8)  # fmt: skip


def several_kills(
    part: str, scene: str, entries: Sequence[Entry], rounds: int, where: str = ""
) -> Iterator[Case]:
    """Yield runs that are killed at two to six requests, anywhere."""
    name = f"several kills at {where}" if where else f"{scene}, several kills"
    for seed in range(rounds):
        drawn, how = random.Random(f"{scene} {seed}"), KILLS[seed % 3]
        most = len(entries) // 2
        kills = tuple(drawn.randrange(1, most) for _ in range(2 + seed % 5))
        yield Case(name, f"seed {seed}, {how}", part, scene, kills=kills, how=how,
                   in_flight=1 + seed % 8)  # fmt: skip


def kills_at_times(part: str, scene: str, rounds: int) -> Iterator[Case]:
    """Yield processes of a command that are killed three to seven times, at any moment.

    The shares of the time are so small that most runs after a kill, which have less
    left to do, are hit too.
    """
    for seed in range(rounds):
        drawn, count = random.Random(f"{scene} {seed}"), 3 + seed % 5
        moments = tuple(drawn.random() * 2 / (count + 1) for _ in range(count))
        yield Case(f"{scene}, several kills at times", f"seed {seed}", part, scene,
                   moments=moments, in_flight=1 + seed % 8)  # fmt: skip


def recreations(entries: Sequence[Entry]) -> Iterator[Case]:
    """Yield a kill at each request of a run that makes everything again, and runs
    that are killed several times."""
    for case in each_request("recreate", "emptied", entries):
        if case.kills:
            lost = LOST[case.kills[0] % 2]
            yield replace(case, name=f"{lost}, killed {case.how}", scene=lost)
    for case in several_kills("recreate", "emptied", entries, ROUNDS // 5):
        lost = LOST[case.in_flight % 2]
        yield replace(case, name=f"{lost}, several kills", scene=lost)


def unfinished_imports(entries: Sequence[Entry]) -> Iterator[Case]:
    """Yield imports that are killed and then rolled back."""
    every = each_request("rollback", "unfinished", entries)
    killed = [case for case in every if case.kills]
    for case in killed[::UNFINISHED_EACH]:
        yield replace(case, name=f"import killed {case.how}, taken back")


def two_at_once(entries: Sequence[Entry]) -> Iterator[Case]:
    """Yield imports during which the command imports into the same project."""
    for seed in range(TWO_AT_ONCE):
        at = random.Random(f"two {seed}").randrange(1, len(entries) + 1)
        where = described(entries[at - 1], at)
        yield Case("two imports at once", where, "two", "import", kills=(at,))


def editor_at_work(entries: Sequence[Entry]) -> Iterator[Case]:
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
                yield Case(name, where, "editors", "import", kills=(number,), how=name)


def _is_folder(entry: Entry, entries: Sequence[Entry]) -> bool:
    inside = f"{entry.subject}/"
    return any(other.subject.startswith(inside) for other in entries)
