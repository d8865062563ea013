"""Commands that ask or write to the services, as a terminal sees them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine, Sequence
from typing import TypedDict, TypeVar, Unpack

from cmsmig.canonical import JsonObject
from cmsmig.counting import noun_for
from cmsmig.errors import InterruptedRunError, SettingsError, UsageError
from cmsmig.mapping.select.pilot import pilot_of
from cmsmig.settings import Project, Settings, choose_target, load_settings
from cmsmig.steps.changes.changes import changes_of
from cmsmig.steps.changes.target_comparison import TargetComparison, compare_targets
from cmsmig.steps.connection_check import check as ask
from cmsmig.steps.connection_check import check_json
from cmsmig.steps.decide.decision_store import is_publishing
from cmsmig.steps.plan.gone.recreate import gone_sentence
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.verify.verify import verify_only
from cmsmig.steps.write.import_steps import plan_only, run_command
from cmsmig.terminal.change_text import (
    change_lines,
    changes_json,
    comparison_lines,
)
from cmsmig.terminal.console import complain, emit_json, emit_lines
from cmsmig.terminal.exit_codes import STOPPED
from cmsmig.terminal.progress import Progress
from cmsmig.terminal.run_outcome import (
    failures,
    outcome_json,
    outcome_lines,
    undecided_sentence,
)
from cmsmig.terminal.stopping import stoppable
from cmsmig.terminal.target_option import target_lines, with_target
from cmsmig.terminal.text import plan_lines, table_lines, verification_lines

T = TypeVar("T")


class Part(TypedDict, total=False):
    """What the commands take that can handle a pilot."""

    collection: Sequence[str]
    item: Sequence[str]
    locale: Sequence[str]
    limit: int | None


class Options(Part, total=False):
    """What the writing commands take."""

    plan_hash: str | None
    recreate: bool
    dry_run: bool
    as_json: bool


def check(project: Project, settings: Settings, *, as_json: bool) -> None:
    """Print what both services say about tokens, site and space.

    Raises `SettingsError` naming what is wrong.
    """
    publishes = is_publishing(project)
    rows = asyncio.run(ask(settings, Progress(sys.stderr), publishes=publishes))
    if as_json:
        emit_json(with_target(check_json(rows), project))
    else:
        emit_lines(target_lines(project, settings))
        shown = [
            (row.what, row.found, "ok" if row.ok and not row.warning else "look")
            for row in rows
        ]
        emit_lines(table_lines([("what", "found", ""), *shown]))
    if wrong := [f"{row.what}: {row.found}" for row in rows if not row.ok]:
        raise SettingsError(f"Correct this in the settings: {'; '.join(wrong)}.")


def plan(
    project: Project,
    settings: Settings,
    *,
    as_json: bool,
    recreate: bool,
    compare: str | None = None,
    **part: Unpack[Part],
) -> int:
    """Print what an import would do, and how that differs from what was rehearsed in
    the target `compare`; return 1 when something is gone, undecided.

    Raises `UsageError` when nothing was imported into that target.
    """
    rehearsed = _rehearsed(project, compare) if compare else None
    work = plan_only(
        project,
        settings,
        observer=Progress(sys.stderr),
        recreate=recreate,
        pilot=pilot_of(**part),
    )
    made = asyncio.run(work)
    found = None
    if rehearsed is not None:
        found = _compare(project, settings, *rehearsed)
    if as_json:
        compared: JsonObject = {} if found is None else {"compared": found.as_json()}
        emit_json(with_target(made.full_json() | compared, project))
    else:
        differing = [] if found is None else comparison_lines(found)
        named = target_lines(project, settings)
        emit_lines([*named, *plan_lines(made), *differing])
    return _told_gone(made)


def _rehearsed(project: Project, name: str) -> tuple[Project, Settings]:
    other = choose_target(project, name)
    if other.target == project.target:
        raise UsageError(f"--compare {name} is the target itself; name another one.")
    return other, load_settings(other, os.environ, need_origin=False)


def _compare(
    project: Project, settings: Settings, other: Project, its: Settings
) -> TargetComparison:
    with stoppable() as stop:
        observer = Progress(sys.stderr)
        return resumable(
            compare_targets(project, settings, other, its, observer=observer, stop=stop)
        )


def _told_gone(plan: Plan) -> int:
    """Say on standard error what is gone and nobody decided about; return 1 then."""
    if not plan.gone.undecided.things:
        return 0
    complain(gone_sentence(plan.gone.undecided))
    return 1


def write(
    command: str,
    project: Project,
    settings: Settings,
    *,
    as_json: bool,
    dry_run: bool,
    recreate: bool = False,
    plan_hash: str | None = None,
    **part: Unpack[Part],
) -> int:
    """Run `import` or one of its parts, print plan and accounting; return the code.

    Raises what `run_command` raises.
    """

    def show(plan: Plan) -> None:
        if not as_json:
            emit_lines([*target_lines(project, settings), *plan_lines(plan)])

    with stoppable() as stop:
        outcome = resumable(
            run_command(
                command,
                project,
                settings,
                observer=Progress(sys.stderr),
                stop=stop,
                plan_hash=plan_hash,
                dry_run=dry_run,
                recreate=recreate,
                pilot=pilot_of(**part),
                show=show,
            )
        )
    if as_json:
        emit_json(with_target(outcome_json(outcome), project))
    else:
        emit_lines([*target_lines(project, settings), *outcome_lines(outcome)])
    if failed := failures(outcome):
        complain(failed)
    if outcome.undecided:
        complain(undecided_sentence(outcome.undecided))
    _told_gone(outcome.plan)
    return outcome.exit_code


def verify(project: Project, settings: Settings, *, as_json: bool) -> int:
    """Read everything back and print what differs; return 4 for differences, and where
    what visitors get could not be read."""
    with stoppable() as stop:
        observer = Progress(sys.stderr)
        found = resumable(verify_only(project, settings, observer=observer, stop=stop))
    if as_json:
        emit_json(with_target(found.as_json(), project))
    else:
        emit_lines([*target_lines(project, settings), *verification_lines(found)])
    if found.is_as_decided:
        return 0
    if not found.differences:
        complain(found.public_unread)
        return 4
    what = noun_for(len(found.differences), "difference")
    complain(
        f"{len(found.differences)} {what} between decisions, ledger and destination; "
        "correct them there, run `cmsmig import` where something was never brought, or "
        "`cmsmig import --recreate` where something is gone."
    )
    return 4


def changes(project: Project, settings: Settings, *, as_json: bool) -> None:
    """Print what moved since the last import."""
    with stoppable() as stop:
        observer = Progress(sys.stderr)
        found = resumable(changes_of(project, settings, observer=observer, stop=stop))
    if as_json:
        emit_json(with_target(changes_json(found), project))
    else:
        emit_lines([*target_lines(project, settings), *change_lines(found)])


def resumable(work: Coroutine[object, object, T]) -> T:
    """Run to the end; being cancelled is `InterruptedRunError`."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError as error:
        raise InterruptedRunError(STOPPED) from error
