"""The notebooks 04 to 06: a plan to read, then a step with a start and a stop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.display.safe_html import (
    NOTHING,
    joined,
    more,
    note,
    paragraph,
    sheet,
    table,
)
from cmsmig.errors import InterruptedRunError, UsageError
from cmsmig.evidence.failures import Failure, file_failures, item_failures
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.plan_obstacles import ItemNames
from cmsmig.notebook.kit.plan_tables import (
    TITLES,
    plan_line,
    plan_tables,
    planned_calls,
    planned_writes,
)
from cmsmig.notebook.kit.prerequisites import decided_migration, missing_before
from cmsmig.notebook.kit.progress_bar import Meter, ProgressBoard, stages_table
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.transfer.conflict_choices import conflict_board
from cmsmig.origin.schema import Item
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import Plan, refuse_drift
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_steps import Outcome, plan_only, run_command

_SHOWN = 30
_LABELS = {
    "prepare": "Prepare the destination",
    "create": "Create the stories",
    "link": "Link the stories",
    "publish": "Publish what was decided",
}


@dataclass(slots=True)
class ShownPlan:
    """The plan that a person looked at last; a step runs by no other."""

    plan: Plan
    names: ItemNames

    def tables(self) -> Markup:
        """Return it to be read."""
        return sheet(plan_tables(self.plan, self.names))


@dataclass(frozen=True, slots=True)
class PlanPanel(Panel):
    """A plan to read; `run_step` takes it."""

    shown: ShownPlan | None = None


async def show_plan(
    workspace: Workspace,
    plan: str = "",
    *,
    recreate: bool | None = None,
    pilot: Pilot = WHOLE,
) -> PlanPanel:
    """Return what an import would do now. Writes nothing to the destination.

    With `recreate`, what is gone from the destination is made again by the steps
    that follow; None where they could not. With `plan`, the hash of an earlier one,
    raises `PlanDriftError` listing what moved since. Raises `UsageError` before the
    first pull, `UndecidedError` naming a decision that is missing. Of what is
    selected, only the `pilot` is planned, and handled by the steps that follow.
    """
    names = ItemNames(_items(decided_migration(workspace, pilot)))
    shown = ShownPlan(await _plan(workspace, pilot, recreate=bool(recreate)), names)
    if plan:
        _refuse_drift(workspace, plan, shown.plan)

    def controls() -> widgets.Element:
        board = widgets.Board()
        tables = widgets.Html(shown.tables())
        choices, renew = conflict_board(workspace, names, lambda: shown.plan)

        async def again() -> None:
            wanted = shown.plan.recreate if tick is None else tick.value
            shown.plan = await _plan(workspace, pilot, recreate=wanted)
            tables.show(shown.tables())
            renew()
            board.say("This is the plan as of now.", "good")

        button = board.button("plan-again", "Plan again", again)
        tick = None
        if recreate is not None:
            title = "Make again what is gone from the destination"
            tick = board.tick(
                "plan-recreate", title, shown.plan.recreate, changed=again
            )
        ticks = [] if tick is None else [tick]
        below = widgets.row(button, *ticks)
        return widgets.column(tables, choices, below, board.messages)

    return PlanPanel(
        static=shown.tables,
        widget=controls if workspace.interactive else None,
        text=plan_line(shown.plan),
        shown=shown,
    )


async def run_step(workspace: Workspace, step: str, plan: PlanPanel) -> Panel:
    """Run `prepare`, `create`, `link` or `publish` by the plan that was shown.

    Unattended it runs at once, unless `dry_run`, and its panel accounts for it:
    an item that failed is listed there and never ends the run. Before a person
    it waits for its button, shows how it goes, and can be stopped and gone on
    with. Raises `UsageError` when an earlier notebook has to come first, and
    `PlanDriftError` when something moved since the plan.
    """
    if step not in TITLES or plan.shown is None:
        raise UsageError(f"{step} is not a step of the notebooks; see {list(TITLES)}.")
    run = StepRun(workspace, step, plan.shown)
    if workspace.interactive:
        return workspace.panel(run.forecast, run.controls)
    if workspace.dry_run:
        return workspace.panel(run.forecast, text=f"dry run: {step} was not run")
    outcome = await run.perform(StopSignal(), meter := run.meter())
    return workspace.panel(
        sheet(
            stages_table(meter),
            paragraph(meter.summary()),
            run.account(outcome, meter),
        ),
        text=str(outcome.accounting),
    )


@dataclass(slots=True)
class StepRun:
    """One step of the import in one notebook."""

    workspace: Workspace
    step: str
    shown: ShownPlan

    def meter(self) -> Meter:
        """Return a meter of the step."""
        return Meter(self.workspace.observer)

    async def perform(self, stop: StopSignal, meter: Meter) -> Outcome:
        """Run the step and return how it ended.

        Raises `UsageError` when an earlier notebook has to come first.
        """
        workspace, plan = self.workspace, self.shown.plan
        if missing := missing_before(workspace, self.step, plan):
            raise UsageError(missing)
        return await run_command(
            self.step,
            workspace.project,
            workspace.destination_settings,
            observer=meter,
            stop=stop,
            plan_hash=plan.plan_hash,
            recreate=plan.recreate,
            pilot=plan.pilot,
            show=lambda renewed: meter.expect(planned_calls(renewed, self.step)),
        )

    def forecast(self) -> Markup:
        """Return what the step would do, and what has to come before it."""
        plan = self.shown.plan
        writes = planned_writes(plan, self.step)
        parts = [
            paragraph(
                f"{TITLES[self.step]}: {counted(writes, 'call')} that change the "
                "destination."
            )
        ]
        if missing := missing_before(self.workspace, self.step, plan):
            parts.append(note(missing, "warning"))
        if self.workspace.dry_run:
            parts.append(note("This is a dry run: nothing is written."))
        return sheet(*parts)

    def account(self, outcome: Outcome, meter: Meter) -> Markup:
        """Return how the step went: the accounting, what was said, what failed."""
        failed = self._failures(outcome)
        elsewhere = outcome.exit_code and not failed
        said = f"{outcome.accounting}; writes: {outcome.writes:,}" + (
            "; what failed at another step is in the report of notebook 07."
            if elsewhere
            else ""
        )
        parts = [
            note(said, "bad") if outcome.exit_code else note(said, "good"),
            failures_table(failed),
            *(paragraph(notice) for notice in meter.notices),
        ]
        return joined(parts)

    def controls(self) -> widgets.Element:
        """Return the start, the stop, and how it goes."""
        return _StepBoard(self).element

    def _failures(self, outcome: Outcome) -> list[Failure]:
        if not outcome.exit_code and not outcome.plan.missing_files:
            return []
        migration = decided_migration(self.workspace, self.shown.plan.pilot)
        with Ledger.open_existing(self.workspace.project.ledger) as ledger:
            rows = ledger.items.all().values()
            assets = ledger.inventory.assets()
        failed = [*item_failures(rows), *file_failures(migration, assets)]
        mine = {self.step, "pull"} if self.step == "prepare" else {self.step}
        return [each for each in failed if each.step in mine]


class _StepBoard:
    """The controls of one step."""

    def __init__(self, run: StepRun) -> None:
        self._run = run
        self._stop: StopSignal | None = None
        board = self._board = widgets.Board()
        self._start = board.button(
            f"{run.step}-start", _LABELS[run.step], self._go, look="primary"
        )
        self._halt = board.button(f"{run.step}-stop", "Stop", self._ask, look="warning")
        self._halt.enable(False)
        self._progress = ProgressBoard()
        self._result = widgets.Html(run.forecast())
        self.element = widgets.column(
            widgets.row(self._start, self._halt),
            self._progress.element,
            self._result,
            board.messages,
        )
        if run.workspace.dry_run:
            self._start.visible(False)
            self._halt.visible(False)

    async def _go(self) -> None:
        self._stop = StopSignal()
        self._halt.enable(True)
        self._result.show(NOTHING)
        meter = self._run.meter()
        work = asyncio.create_task(self._work(self._stop, meter))
        try:
            await self._progress.follow(meter, work)
        except InterruptedRunError:
            self._start.label("Go on")
            self._board.say(
                "Stopped after the calls in flight; nothing is lost. Press `Go on` to "
                "continue from here.",
                "warning",
            )
        else:
            self._start.label("Run again")
        finally:
            self._halt.enable(False)
            self._stop = None

    async def _work(self, stop: StopSignal, meter: Meter) -> None:
        outcome = await self._run.perform(stop, meter)
        self._result.show(sheet(self._run.account(outcome, meter)))

    def _ask(self) -> None:
        if self._stop is not None:
            self._stop.set()
            self._board.say("Stopping after the calls in flight …")


def failures_table(failed: Sequence[Failure]) -> Markup:
    """Return what failed, at which step, why and what to do; empty if nothing did."""
    if not failed:
        return NOTHING
    shown = table(
        ("What", "Step", "Why", "What to do"),
        [
            (each.name or each.subject, each.step, each.explanation, each.next_action)
            for each in failed[:_SHOWN]
        ],
        caption=f"Failed ({len(failed):,})",
    )
    return shown + more(len(failed), _SHOWN, " in report.json")


def _items(migration: Migration) -> Iterator[Item]:
    for each in (migration.origin.staged, migration.origin.live):
        yield from chain.from_iterable(each.values())


async def _plan(workspace: Workspace, pilot: Pilot, *, recreate: bool) -> Plan:
    return await plan_only(
        workspace.project,
        workspace.destination_settings,
        observer=workspace.observer,
        recreate=recreate,
        pilot=pilot,
    )


def _refuse_drift(workspace: Workspace, plan_hash: str, current: Plan) -> None:
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        stored = ledger.plan(plan_hash)
    if stored is None:
        raise UsageError(
            f"No plan {plan_hash} is stored in this project; leave `plan` empty, or "
            "give the hash that `cmsmig plan` prints."
        )
    refuse_drift(stored, current)
