"""Runs one case: an import or a pull that goes wrong, its reruns, the comparison."""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.sandbox.faults.fault_rules import Fault
from tests.proofs.faults.cases import Case
from tests.proofs.faults.editors import disturbed
from tests.proofs.faults.gone import RECREATE, lose
from tests.proofs.faults.importing import ended_at_last, start_command
from tests.proofs.faults.moved import (
    CHANGES,
    DELTA,
    changes_problems,
    move,
    newest_plan,
)
from tests.proofs.faults.pace import too_soon
from tests.proofs.faults.pull import WholePull, pull_problems
from tests.proofs.faults.site import Prepared
from tests.proofs.faults.taken_back import ROLLBACK, bring, taken_back_problems
from tests.proofs.faults.world import KILLED, Whole, World, world

_PLANNED = ("faults", RECREATE, ROLLBACK, DELTA, "languages")
"""Kinds whose killed run made a plan that its rerun is held to."""
RERUNS = 8
"""Runs in a row after which a case counts as not converging."""
HELD = 6
"""How an import ends while another one holds the ledger."""
PATIENT = 60.0
"""Seconds that an import waits for an answer while another one is tried."""


@dataclass(frozen=True)
class Setting:
    """What all cases start from and are compared with."""

    prepared: Prepared
    work: Path
    """The folder that worlds are made in."""
    whole: Whole
    pulled: WholePull
    again: Whole
    """Everything made again, after it was lost."""
    taken: Whole
    """Everything taken back."""
    moved: Whole
    """An import after both sides moved."""
    told: Whole
    """`changes` before it."""
    bilingual: Prepared
    """The same with both languages in one story."""
    translated: Whole
    """An import of that."""


@dataclass(frozen=True)
class Result:
    """What came of one case."""

    problems: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    """What the kills at moments hit."""


def attempt(case: Case, setting: Setting) -> Result:
    """Run one case; never raises."""
    result = Result()
    run = _RUNNERS.get(case.kind, _import)
    try:
        result.problems.extend(run(case, setting, result.kills))
    except Exception:
        result.problems.append(traceback.format_exc(limit=-4))
    return result


def _import(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, case.in_flight) as one:
        problem = _disturb(one, case, setting, "import", kills)
        if problem := problem or rerun(one, case, "import"):
            return [problem]
        asked = max((each.retry_after or 0.0 for each in case.plan), default=0.0)
        hasty = too_soon(one.entries, asked) if case.in_flight == 1 else []
        return [*hasty, *one.problems(setting.whole, unknown(one, case))]


def _pull(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, pulled=False) as one:
        what = "pull at once" if case.moments else "pull"
        problem = _disturb(one, case, setting, what, kills)
        if problem := problem or rerun(one, case, what):
            return [problem]
        return pull_problems(one, setting.pulled, unknown(one, case))


def _command(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, case.in_flight) as one:
        if problem := _disturb(one, case, setting, "command", kills):
            return [problem]
        for wanted in ("", "\nwrites: 0\n"):
            code = ended_at_last(one.start("command"))
            said = (one.project.root / "said.txt").read_text()
            if code != 0 or wanted not in said:
                return [f"the command ended with {code}: {said[-500:]}"]
        return one.problems(setting.whole, unknown(one, case))


def _two(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    """Start the command while an import holds the ledger, in one of its requests."""
    with world(setting.prepared, setting.work) as one:
        told: list[tuple[int | None, str]] = []

        def second() -> None:
            begun = one.hooks.seen
            code = ended_at_last(start_command(one.project.root, one.state))
            said = (one.project.root / "said.txt").read_text()
            asked = one.hooks.seen - begun
            told.append((code, f"{said[-300:]} after {asked} requests"))

        one.hooks.at, one.hooks.meanwhile = case.kills[0], second
        first = one.start("import", patience=PATIENT)
        code = ended_at_last(first)
        holder = f"process {first.pid} on "
        if [each for each, _ in told] != [HELD] or holder not in told[0][1]:
            return [f"the second import ended with {told}"]
        if not told[0][1].endswith("after 0 requests") or code != 0:
            return [f"the first ended with {code}, the second with {told}"]
        if problem := rerun(one, case, "import"):
            return [problem]
        return one.problems(setting.whole, 0)


def _editors(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work) as one:
        if problems := disturbed(one, case):
            return problems
        if problem := rerun(one, case, "import"):
            return [problem]
        # An item that had to wait is linked to, and published, later than others.
        return one.problems(setting.whole, len(setting.whole.entries))


def _recreate(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, case.in_flight) as one:
        problem = lose(one, case.lost)
        problem = problem or _disturb(one, case, setting, RECREATE, kills)
        if problem := problem or rerun(one, case, RECREATE):
            return [problem]
        return one.problems(setting.again, unknown(one, case))


def _rollback(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, case.in_flight) as one:
        what = "import" if case.unfinished else ROLLBACK
        problem = "" if case.unfinished else bring(one)
        problem = problem or _disturb(one, case, setting, what, kills)
        if problem := problem or rerun(one, case, ROLLBACK):
            return [problem]
        missed = unknown(one, case)
        whole = not case.unfinished
        return taken_back_problems(one, setting.taken, missed, whole=whole)


def _delta(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, case.in_flight) as one:
        problem = move(one)
        problem = problem or _disturb(one, case, setting, "import", kills)
        if problem := problem or rerun(one, case, "import"):
            return [problem]
        return one.problems(setting.moved, unknown(one, case))


def _languages(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.bilingual, setting.work, case.in_flight) as one:
        problem = _disturb(one, case, setting, "import", kills)
        if problem := problem or rerun(one, case, "import"):
            return [problem]
        return one.problems(setting.translated, unknown(one, case))


def _changes(case: Case, setting: Setting, kills: Counter[str]) -> list[str]:
    with world(setting.prepared, setting.work, case.in_flight) as one:
        problem = move(one)
        if problem := problem or _disturb(one, case, setting, CHANGES, kills):
            return [problem]
        if case.plan:
            one.run(CHANGES)
        return changes_problems(one, setting.told)


_RUNNERS: dict[str, Callable[[Case, Setting, Counter[str]], list[str]]] = {
    "pull": _pull,
    "command": _command,
    "two": _two,
    "editors": _editors,
    RECREATE: _recreate,
    ROLLBACK: _rollback,
    DELTA: _delta,
    CHANGES: _changes,
    "languages": _languages,
}


def _disturb(
    one: World, case: Case, setting: Setting, what: str, kills: Counter[str]
) -> str:
    """Set the faults and kill the runs that are to be killed."""
    one.handle.state.injector.set(case.plan)
    codes = [one.killed(what, at, case.how) for at in case.kills]
    if case.in_flight == 1 and len(codes) == 1 and codes != [KILLED]:
        return f"the run was not killed but ended with {codes[0]}"
    for number, share in enumerate(case.moments):
        asking = number % 2 == 1
        seconds = share * undisturbed_seconds(case, setting, what)[asking]
        hit = one.killed_after(what, asking, seconds)
        if hit.startswith("odd"):
            return f"{hit} {kills}"
        kills[hit] += 1
    return ""


_SECONDS: dict[tuple[str, int], tuple[float, float]] = {}


def undisturbed_seconds(case: Case, setting: Setting, what: str) -> tuple[float, float]:
    """Return how long a child takes that nothing happens to; measured once.

    From its start, and from its first request.
    """
    key = (what, case.in_flight)
    if key not in _SECONDS:
        pulled = not what.startswith("pull")
        with world(
            setting.prepared, setting.work, case.in_flight, pulled=pulled
        ) as one:
            begun = time.monotonic()
            child = one.start(what)
            one.first_request(child)
            asking = time.monotonic()
            code = ended_at_last(child)
            over = time.monotonic()
        if code != 0:
            sys.exit(f"An undisturbed child ended with {code}.")
        _SECONDS[key] = (over - begun, over - asking)
    return _SECONDS[key]


def rerun(one: World, case: Case, what: str) -> str:
    """Run until it says that all is done; return why it never does, or not at once."""
    # What the killed run did is no drift from its plan.
    planned = case.kind in _PLANNED and case.kills
    if case.kind == DELTA and newest_plan(one) == one.plan_before:
        planned = ()
    told = [one.run(f"{what} as planned" if planned else what)]
    if case.plan and case.in_flight == 1 and not one.handle.state.injector.given:
        return f"the fault was never given: {told}"
    one.handle.state.injector.set(())
    if told[0][0] != 0 and _rides_out(case):
        return f"one fault that passed, and yet the {what} ended with {told[0]}"
    if not case.plan and told[0][0] != 0:
        return f"nothing is in its way, and yet the next run ends with {told[0]}"
    while told[-1][0] != 0:
        if len(told) > RERUNS:
            return f"It is not done after {len(told)} runs: {told[0]} ... {told[-1]}"
        told.append(one.run(what))
    asked = len(one.entries)
    again = one.run(what)
    if what in ("import", RECREATE, ROLLBACK):
        return "" if again == (0, "writes: 0") else f"done, and yet again: {again}"
    asked = len(one.entries) - asked
    return f"done, and yet it asks {asked} times: {again}" if asked else ""


def _rides_out(case: Case) -> bool:
    """Return whether one run has to cope with what goes wrong.

    A reading that is answered with an empty success is not: it may have been
    renamed, and no second answer would say more.
    """
    if (
        case.kind not in ("faults", ROLLBACK, DELTA)
        or not case.plan
        or case.plan[0].times > 1
    ):
        return False
    return case.plan[0].fault is not Fault.EMPTY or case.plan[0].method != "GET"


def unknown(one: World, case: Case) -> int:
    """Return of how many writes at most the client cannot know what became."""
    faults = sum(1 for entry in one.entries if entry.fault)
    return faults + (len(case.kills) + len(case.moments)) * case.in_flight
