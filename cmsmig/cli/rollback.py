"""The rollback, as a terminal sees it: what goes, what stays, what was done."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterable, Iterator
from typing import TypedDict

from cmsmig.canonical import JsonObject
from cmsmig.cli.commands import stoppable
from cmsmig.cli.console import complain, emit_json, emit_lines
from cmsmig.cli.progress import Progress
from cmsmig.cli.target_option import emit_named, emit_result
from cmsmig.counting import counted
from cmsmig.settings import Project, Settings
from cmsmig.steps.plan.recorded import Recorded
from cmsmig.steps.rollback.reverse import TRASHED, counts
from cmsmig.steps.rollback.rollback import Outcome
from cmsmig.steps.rollback.rollback import roll_back as remove_created
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.doc import Note, Part, Table, Text, applicable, table
from cmsmig.ui.format import duration

NOTHING = "There is nothing to roll back: this ledger has created nothing in the space."


class RollbackOptions(TypedDict, total=False):
    """What `rollback` takes."""

    plan_hash: str | None
    as_json: bool


def roll_back(
    project: Project,
    settings: Settings,
    *,
    planning: bool,
    as_json: bool,
    plan_hash: str | None = None,
) -> int:
    """Print the plan, remove what was created, print the outcome; return the code.

    When `planning`, only the plan is printed and nothing is written to the destination.
    Raises what `remove_created` raises.
    """
    progress = Progress(sys.stderr)

    def show(plan: RollbackPlan) -> None:
        if not as_json:
            emit_named(project, settings, rollback_plan_doc(plan))

    def run(
        stop: StopSignal,
    ) -> Coroutine[object, object, RollbackPlan | Outcome | None]:
        return remove_created(
            *(project, settings, progress),
            planning=planning,
            plan_hash=plan_hash,
            stop=stop,
            show=show,
        )

    found = asyncio.run(run(StopSignal())) if planning else stoppable(run)
    if found is None:
        nothing: JsonObject = {"plan": None, "removed": {}, "left": [], "writes": 0}
        emit_json(nothing) if as_json else emit_lines([NOTHING])
        return 0
    if isinstance(found, RollbackPlan):
        doc, left, code = rollback_plan_doc(found), 0, 0
    else:
        doc, left, code = rolled_back_doc(found), len(found.left), found.exit_code
    emit_result(project, settings, found.as_json, lambda: doc, as_json=as_json)
    if left:
        complain(
            f"Still in the space of what this import brought: "
            f"{counted(left, 'object')}, listed with the reason and what to do."
        )
    return code


def rollback_plan_doc(plan: RollbackPlan) -> Iterator[Part]:
    """Yield a plan for a person to read before anything is deleted."""
    trashed = _counted(each for each in plan.going if each.kind in TRASHED)
    lost = _counted(each for each in plan.going if each.kind not in TRASHED)
    gone = _counted(plan.gone)
    yield Text(f"Rollback plan {plan.plan_hash[:16]}")
    yield from applicable(
        (trashed, Text(f"to the trash, from where they can be restored: {trashed}")),
        (lost, Text(f"deleted for good: {lost}")),
        (not plan.going, Text("nothing is to be removed")),
        (gone, Text(f"not there any more: {gone}")),
    )
    yield from _listed("Stays", (each.text for each in plan.left))
    yield from map(Note, plan.notes)
    calls = [
        (name.replace("_", " "), count)
        for name, count in (*plan.calls.items(), ("total", plan.total_calls))
    ]
    time = f"{duration(plan.seconds(plan.rate))} at {plan.rate:g} a second"
    yield Table((), calls, f"Calls: {time}", shown=len(calls))


def _counted(ours: Iterable[Recorded]) -> str:
    return ", ".join(
        f"{count:,} {kind.noun(count)}" for kind, count in counts(ours).items()
    )


def rolled_back_doc(outcome: Outcome) -> Iterator[Part]:
    """Yield what closes a rollback; the comparison is the last."""
    known = {each.subject for each in outcome.plan.left}
    left = (each.text for each in outcome.left if each.subject not in known)
    yield from _listed("Stays", left)
    yield from _listed("Changed meanwhile", outcome.changed)
    counts = (
        f"{counted(len(outcome.removed), 'object')} removed, {len(outcome.left)} left"
    )
    if outcome.left or outcome.changed:
        yield Text(f"{counts}{' (listed)' if outcome.left else ''}.")
    else:
        yield Text(f"The space is as it was before: {counts}.")


def _listed(title: str, texts: Iterable[str]) -> Iterator[Part]:
    yield from table((), [(Text(each),) for each in texts], title, "--json lists all")
