"""The rollback, as a terminal sees it: what goes, what stays, what was done."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from typing import TypedDict

from cmsmig.canonical import JsonObject
from cmsmig.counting import and_more, counted
from cmsmig.settings import Project, Settings
from cmsmig.steps.rollback.job import named_subset
from cmsmig.steps.rollback.reverse import TRASHED, Reverse, counts
from cmsmig.steps.rollback.rollback import Outcome, RollbackSetup, run_rollback
from cmsmig.steps.rollback.rollback import plan_rollback as make_plan
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.terminal.commands import resumable
from cmsmig.terminal.console import complain, emit_json, emit_lines
from cmsmig.terminal.progress import Progress
from cmsmig.terminal.stopping import stoppable
from cmsmig.terminal.target_option import target_lines, with_target

NOTHING = "There is nothing to take back: this ledger has created nothing in the space."
_SHOWN = 20


class TakingBack(TypedDict, total=False):
    """What `rollback` takes."""

    plan_hash: str | None
    collections: tuple[str, ...]
    items: tuple[str, ...]
    as_json: bool


def plan_rollback(
    project: Project,
    settings: Settings,
    *,
    collections: Sequence[str],
    items: Sequence[str],
    as_json: bool,
    plan_hash: str | None = None,
) -> int:
    """Print what a rollback would do; writes nothing to the destination.

    Raises what `make_plan` raises.
    """
    setup = _setup(project, settings, collections, items)
    plan = asyncio.run(make_plan(setup, plan_hash=plan_hash))
    if plan is None:
        _say_nothing(as_json=as_json)
    elif as_json:
        emit_json(with_target(plan.as_json(), project))
    else:
        emit_lines([*target_lines(project, settings), *rollback_plan_lines(plan)])
    return 0


def roll_back(
    project: Project,
    settings: Settings,
    *,
    collections: Sequence[str],
    items: Sequence[str],
    as_json: bool,
    plan_hash: str | None = None,
) -> int:
    """Print the plan, remove what was created, print what came of it; return the code.

    Raises what `run_rollback` raises.
    """

    def show(plan: RollbackPlan) -> None:
        if not as_json:
            emit_lines([*target_lines(project, settings), *rollback_plan_lines(plan)])

    setup = _setup(project, settings, collections, items)
    with stoppable() as stop:
        outcome = resumable(
            run_rollback(setup, stop=stop, plan_hash=plan_hash, show=show)
        )
    if outcome is None:
        _say_nothing(as_json=as_json)
        return 0
    if as_json:
        emit_json(with_target(outcome.as_json(), project))
    else:
        emit_lines([*target_lines(project, settings), *rolled_back_lines(outcome)])
    if number := len(outcome.left):
        complain(
            f"Still in the space of what this import brought: "
            f"{counted(number, 'object')}, listed with the reason and what to do."
        )
    return outcome.exit_code


def _setup(
    project: Project,
    settings: Settings,
    collections: Sequence[str],
    items: Sequence[str],
) -> RollbackSetup:
    subset = named_subset(project, collections, items)
    return RollbackSetup(project, settings, Progress(sys.stderr), subset)


def _say_nothing(*, as_json: bool) -> None:
    nothing: JsonObject = {"plan": None, "removed": {}, "left": [], "writes": 0}
    emit_json(nothing) if as_json else emit_lines([NOTHING])


def rollback_plan_lines(plan: RollbackPlan) -> list[str]:
    """Return a plan for a person to read before anything is deleted."""
    trashed = _counted(each for each in plan.going if each.kind in TRASHED)
    lost = _counted(each for each in plan.going if each.kind not in TRASHED)
    gone = _counted(plan.gone)
    lines = [f"rollback plan {plan.plan_hash[:16]}"]
    if trashed:
        lines.append(f"to the trash, from where they can be restored: {trashed}")
    if lost:
        lines.append(f"deleted for good: {lost}")
    if not plan.going:
        lines.append("nothing is to be removed")
    if gone:
        lines.append(f"not there any more: {gone}")
    lines += _some(each.text for each in plan.left)
    lines += _some(f"note: {each}" for each in plan.notes)
    calls = [*plan.calls.items(), ("total", plan.total_calls)]
    return [
        *lines,
        "calls that draw on the budget:",
        *(f"  {name.replace('_', ' '):28}{count:7}" for name, count in calls),
        f"time: {round(plan.seconds(plan.rate))} s at {plan.rate:g} a second",
    ]


def _counted(ours: Iterable[Reverse]) -> str:
    return ", ".join(
        f"{count:,} {kind.noun(count)}" for kind, count in counts(ours).items()
    )


def rolled_back_lines(outcome: Outcome) -> list[str]:
    """Return the lines that close a rollback; the comparison is the last."""
    known = {each.subject for each in outcome.plan.left}
    lines = _some(each.text for each in outcome.left if each.subject not in known)
    lines += _some(f"changed meanwhile: {each}" for each in outcome.changed)
    removed, left = len(outcome.removed), len(outcome.left)
    counts = f"{counted(removed, 'object')} removed, {left} left"
    if left or outcome.changed:
        return [*lines, f"{counts}{' (listed)' if left else ''}."]
    return [*lines, f"The space is as it was before: {counts}."]


def _some(texts: Iterable[str]) -> list[str]:
    lines = list(texts)
    more = and_more(len(lines), _SHOWN, "... and ", "; --json lists all")
    return [*lines[:_SHOWN], *filter(None, (more,))]
