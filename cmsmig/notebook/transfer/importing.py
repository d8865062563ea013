"""The notebooks 04 to 06: a plan to read, then a step with a start and a stop."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.errors import UsageError
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.change_choices import ChoiceView
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.prerequisites import decided_migration
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.transfer.client_plan_panel import client_plan_panel
from cmsmig.notebook.transfer.conflict_choices import plan_choices
from cmsmig.notebook.transfer.plan_findings import findings_panel
from cmsmig.notebook.transfer.shown_plan import ShownPlan, plan_now
from cmsmig.notebook.transfer.step_panel import StepRun
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.documents.plan import TITLES, plan_line
from cmsmig.ui.html.safe_html import (
    paragraph,
    sheet,
)
from cmsmig.ui.meter import stages_table


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
    decided_migration(workspace, pilot)
    if plan:
        _refuse_unknown(workspace, plan)
    found = await plan_now(workspace, pilot, recreate=bool(recreate), since=plan)
    shown = ShownPlan(found)

    def controls() -> widgets.Element:
        board = widgets.Board()
        tables = widgets.Html(shown.html())
        choices = ChoiceView(
            workspace, "conflict", "Decide", lambda: plan_choices(shown.plan)
        )

        def renewed() -> None:
            tables.show(shown.html())
            choices.renew()

        shown.watchers["plan"] = renewed

        async def again() -> None:
            wanted = shown.plan.recreate if tick is None else tick.value
            shown.show(await plan_now(workspace, pilot, recreate=wanted))
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
        return widgets.column(choices.element(), tables, below, board.messages)

    return PlanPanel(
        static=shown.html,
        widget=controls if workspace.interactive else None,
        text=plan_line(shown.plan),
        shown=shown,
    )


def show_client_plan(workspace: Workspace, plan: PlanPanel) -> Panel:
    """Return what a client wants to know of a plan.

    Unattended it is written as a page into `reports`, unless in a dry run.
    """
    return client_plan_panel(workspace, _shown(plan))


def show_findings(workspace: Workspace, plan: PlanPanel) -> Panel:
    """Return what the import by a plan leaves behind or loses, one by one.

    Unattended it is written as CSV into the project folder, unless in a dry run.
    """
    return findings_panel(workspace, _shown(plan))


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
    if missing := await run.missing_now():
        raise UsageError(missing)
    outcome = await run.perform(StopSignal(), meter := run.meter())
    return workspace.panel(
        sheet(
            stages_table(meter.stages),
            paragraph(meter.summary()),
            run.account(outcome, meter),
        ),
        text=str(outcome.accounting),
    )


def _shown(plan: PlanPanel) -> ShownPlan:
    if plan.shown is None:
        raise UsageError("There is no plan yet; run the cell of the plan first.")
    return plan.shown


def _refuse_unknown(workspace: Workspace, plan_hash: str) -> None:
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        stored = ledger.plan(plan_hash)
    if stored is None:
        raise UsageError(
            f"No plan {plan_hash} is stored in this project; leave `plan` empty, or "
            "give the hash that `cmsmig plan` prints."
        )
