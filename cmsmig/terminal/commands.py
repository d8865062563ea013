"""Commands that ask or write to the services, as a terminal sees them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from typing import TypedDict, TypeVar, Unpack

from cmsmig.counting import noun_for
from cmsmig.errors import InterruptedRunError, SettingsError
from cmsmig.mapping.select.pilot import pilot_of
from cmsmig.settings import Project, Settings
from cmsmig.steps.changes.project_changes import changes_of
from cmsmig.steps.connection_check import check as ask
from cmsmig.steps.connection_check import check_json
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.recreate import gone_sentence
from cmsmig.steps.verify.verify_project import verify_only
from cmsmig.steps.write.import_steps import plan_only, run_command
from cmsmig.terminal.change_text import change_lines, changes_json
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


def check(settings: Settings, *, as_json: bool) -> None:
    """Print what both services say about tokens, site and space.

    Raises `SettingsError` naming what is wrong.
    """
    rows = asyncio.run(ask(settings, Progress(sys.stderr)))
    if as_json:
        emit_json(check_json(rows))
    else:
        shown = [(row.what, row.found, "ok" if row.ok else "look") for row in rows]
        emit_lines(table_lines([("what", "found", ""), *shown]))
    if wrong := [f"{row.what}: {row.found}" for row in rows if not row.ok]:
        raise SettingsError(f"Correct this in the settings: {'; '.join(wrong)}.")


def plan(
    project: Project,
    settings: Settings,
    *,
    as_json: bool,
    recreate: bool,
    **part: Unpack[Part],
) -> int:
    """Print what an import would do; return 1 when something is gone, undecided."""
    work = plan_only(
        project,
        settings,
        observer=Progress(sys.stderr),
        recreate=recreate,
        pilot=pilot_of(**part),
    )
    made = asyncio.run(work)
    emit_json(made.full_json()) if as_json else emit_lines(plan_lines(made))
    return _told_gone(made)


def _told_gone(plan: Plan) -> int:
    """Say on standard error what is gone and nobody decided about; return 1 then."""
    if not plan.left_undone.things:
        return 0
    complain(gone_sentence(plan.left_undone))
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
            emit_lines(plan_lines(plan))

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
    emit_json(outcome_json(outcome)) if as_json else emit_lines(outcome_lines(outcome))
    if failed := failures(outcome):
        complain(failed)
    if outcome.undecided:
        complain(undecided_sentence(outcome.undecided))
    _told_gone(outcome.plan)
    return outcome.exit_code


def verify(project: Project, settings: Settings, *, as_json: bool) -> int:
    """Read everything back and print what differs; return 4 for differences."""
    with stoppable() as stop:
        observer = Progress(sys.stderr)
        found = resumable(verify_only(project, settings, observer=observer, stop=stop))
    emit_json(found.as_json()) if as_json else emit_lines(verification_lines(found))
    if not found.differences:
        return 0
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
    emit_json(changes_json(found)) if as_json else emit_lines(change_lines(found))


def resumable(work: Coroutine[object, object, T]) -> T:
    """Run to the end; being cancelled is `InterruptedRunError`."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError as error:
        raise InterruptedRunError(STOPPED) from error
