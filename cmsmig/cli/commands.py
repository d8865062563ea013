"""Commands that ask or write to the services, as a terminal sees them."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import TypedDict, TypeVar, Unpack

from cmsmig.canonical import JsonObject
from cmsmig.cli.console import STOPPED, complain, emit_json, emit_lines
from cmsmig.cli.outcomes import (
    accepted_json,
    accepted_lines,
    failures,
    outcome_doc,
    outcome_json,
    undecided_summary,
)
from cmsmig.cli.progress import Progress
from cmsmig.cli.target_option import emit_named, emit_result
from cmsmig.counting import noun_for
from cmsmig.errors import InterruptedRunError, SettingsError, UsageError
from cmsmig.mapping.select.pilot import pilot_of
from cmsmig.richtext.blocks.block_runs import Heuristic, Heuristics
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.page_table import baseline_addresses
from cmsmig.steps.changes.changes import Where, changes_of
from cmsmig.steps.connection_check import check as ask
from cmsmig.steps.connection_check import check_json
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.decision_store import is_publishing
from cmsmig.steps.plan.gone.missing_objects import gone_sentence
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.verify.verify import verify_project
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_steps import plan_only, run_command
from cmsmig.ui.doc import Table
from cmsmig.ui.documents.comparisons import (
    changes_doc,
    verification_doc,
)
from cmsmig.ui.documents.plan import plan_doc

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
    shown = [
        (row.what, row.found, "ok" if row.ok and not row.warning else "look")
        for row in rows
    ]
    doc = (Table(("What", "Found", ""), shown, shown=len(shown)),)
    emit_result(
        project, settings, lambda: check_json(rows), lambda: doc, as_json=as_json
    )
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
    """Print what an import would do; return 1 when something is gone, undecided, or an
    import would write nothing."""
    work = plan_only(
        project,
        settings,
        observer=Progress(sys.stderr),
        recreate=recreate,
        pilot=pilot_of(**part),
    )
    made = asyncio.run(work)
    emit_result(
        project,
        settings,
        made.full_json,
        lambda: plan_doc(made),
        as_json=as_json,
    )
    return _report_blocked(made)


def accept(
    project: Project,
    settings: Settings,
    reviewer: str,
    splits: tuple[tuple[str, ...], int | None],
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the proposals as decisions and print what was written.

    `splits` are the rules that split bodies, and the level of headings that do.
    Raises `UsageError` for a level without headings, and what `accept_proposals`
    raises.
    """
    rules, level = splits
    on = frozenset(Heuristic(rule) for rule in rules)
    if level is not None and Heuristic.HEADINGS not in on:
        raise UsageError(
            "--heading-level counts only with --split headings; give both or neither."
        )
    heuristics = Heuristics(on, level or Heuristics().heading_level)
    done = asyncio.run(
        accept_proposals(
            project,
            settings,
            reviewer=reviewer,
            observer=Progress(sys.stderr),
            overwrite=overwrite,
            heuristics=heuristics if on else None,
            others=baseline_addresses(project),
        )
    )
    emit_json(accepted_json(done)) if as_json else emit_lines(accepted_lines(done))


def _report_blocked(plan: Plan) -> int:
    """Say on standard error what is gone, undecided, and why an import would write
    nothing; return 1 then."""
    if gone := plan.gone.undecided.things:
        complain(gone_sentence(plan.gone.undecided))
    if plan.checks.refusal:
        complain(plan.checks.refusal)
    return 1 if gone or plan.checks.refusal else 0


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
            emit_named(project, settings, plan_doc(plan))

    outcome = stoppable(
        lambda stop: run_command(
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
    emit_result(
        project,
        settings,
        lambda: outcome_json(outcome),
        lambda: outcome_doc(outcome),
        as_json=as_json,
    )
    if failed := failures(outcome):
        complain(failed)
    if outcome.undecided:
        complain(undecided_summary(outcome.undecided))
    _report_blocked(outcome.plan)
    return outcome.exit_code


def verify(project: Project, settings: Settings, *, as_json: bool) -> int:
    """Read everything back and print what differs; return 4 for differences, and where
    what visitors get could not be read."""
    observer = Progress(sys.stderr)
    found = stoppable(
        lambda stop: verify_project(project, settings, observer=observer, stop=stop)
    )
    doc = verification_doc(found, rest="`cmsmig verify --json` lists all")
    emit_result(project, settings, found.as_json, lambda: doc, as_json=as_json)
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
    observer = Progress(sys.stderr)
    found = stoppable(
        lambda stop: changes_of(project, settings, observer=observer, stop=stop)
    )
    document: JsonObject = {
        str(where): [each.as_json() for each in found if each.where is where]
        for where in Where
    }
    emit_result(
        project,
        settings,
        lambda: document,
        lambda: changes_doc(found),
        as_json=as_json,
    )


def stoppable(work: Callable[[StopSignal], Coroutine[object, object, T]]) -> T:
    """Run to the end. The first Ctrl-C ends the work after the calls in flight, another
    at once; both are `InterruptedRunError`."""
    stop = StopSignal()

    def ask(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        complain("Stopping after the calls in flight; again to stop now.")

    before = {
        number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        return resumable(work(stop))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def resumable(work: Coroutine[object, object, T]) -> T:
    """Run to the end; being cancelled is `InterruptedRunError`."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError as error:
        raise InterruptedRunError(STOPPED) from error
