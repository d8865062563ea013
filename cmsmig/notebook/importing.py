"""What notebooks 04 to 06 call: a plan to read, then a step with a start and a stop.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from cmsmig.errors import UsageError
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.mapping.select.pilot import pilot_of as select_pilot
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import decided_migration
from cmsmig.notebook.kit.decision_list import show_changes
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.notebook.transfer.plan_panels import (
    PlanView,
    ShownPlan,
    findings_panel,
    plan_now,
)
from cmsmig.notebook.transfer.step_panel import StepView
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.doc import Text
from cmsmig.ui.documents.plan import plan_line
from cmsmig.ui.documents.plan_steps import TITLES
from cmsmig.ui.html.safe_html import NOTHING, doc_sheet
from cmsmig.ui.job import stages_table

__all__ = [
    "pilot_of",
    "run_step",
    "show_changes",
    "show_findings",
    "show_plan",
]


@dataclass(frozen=True, slots=True)
class PlanPanel(Panel):
    """A plan to read; `run_step` takes it."""

    shown: ShownPlan | None = None


@takes_parameters()
def pilot_of(
    collection: str = "", item: str = "", locale: str = "", limit: int = 0
) -> Pilot:
    """Return the part that these parameters name, with commas between several.

    Raises `UsageError` for a value that does not fit.
    """
    return select_pilot(collection, item, locale, limit)


@takes_parameters()
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
    began = monotonic()
    found = await plan_now(workspace, pilot, recreate=bool(recreate), since=plan)
    shown = ShownPlan(found)
    took = monotonic() - began
    view = PlanView(workspace, shown, took, offers_recreate=recreate is not None)
    return PlanPanel(
        static=shown.html,
        widget=workspace.panel(NOTHING, lambda: view).widget,
        text=plan_line(shown.plan),
        shown=shown,
    )


def show_findings(workspace: Workspace, plan: PlanPanel) -> Panel:
    """Return what the import by a plan leaves behind or loses, one by one.

    Unattended it is written as CSV into the project folder, unless in a dry run.
    """
    return findings_panel(workspace, _shown(plan))


async def run_step(workspace: Workspace, step: str, plan: PlanPanel) -> Panel:
    """Run `prepare`, `create`, `link` or `publish` by the plan that was shown.

    Unattended it runs at once, unless `dry_run`, and its panel accounts for it:
    an item that failed is listed there and never ends the run. Before a person
    it waits for its button, shows how it goes, and can be stopped and
    continued. Raises `UsageError` when an earlier notebook has to come first, and
    `PlanDriftError` when something moved since the plan.
    """
    if step not in TITLES or plan.shown is None:
        raise UsageError(f"{step} is not a step of the notebooks; see {list(TITLES)}.")
    view = StepView(workspace, step, plan.shown)
    if workspace.interactive or workspace.dry_run:
        not_run = f"dry run: {step} was not run" if workspace.dry_run else ""
        return workspace.shows(view, text=not_run)
    if missing := await view.missing_now():
        raise UsageError(missing)
    outcome = await view.perform(StopSignal(), meter := view.meter())
    steps, summary = stages_table(meter.stages), Text(meter.summary())
    return workspace.panel(
        doc_sheet(steps, summary, *view.account(outcome, meter)),
        text=str(outcome.accounting),
    )


def _shown(plan: PlanPanel) -> ShownPlan:
    if plan.shown is None:
        raise UsageError("There is no plan yet: press Run this notebook.")
    return plan.shown


def _refuse_unknown(workspace: Workspace, plan_hash: str) -> None:
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        stored = ledger.plan(plan_hash)
    if stored is None:
        raise UsageError(
            f"No plan {plan_hash} is stored in this project; leave `plan` empty, or "
            "give the hash that `cmsmig plan` prints."
        )
