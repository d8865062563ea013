"""The plan that a person looks at: steps run by it, and panels follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.select.pilot import Pilot
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.plan_details import PlanDetails
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.documents.plan import plan_doc


@dataclass(slots=True)
class ShownPlan:
    """The plan that a person looked at last; a step runs by no other."""

    plan: Plan
    watchers: dict[str, Callable[[], object]] = field(default_factory=dict)
    """By panel: called when another plan is shown."""

    def show(self, plan: Plan) -> None:
        """Show another plan, everywhere."""
        self.plan = plan
        for watcher in self.watchers.values():
            watcher()

    @property
    def details(self) -> PlanDetails:
        """Return what the plan lists one by one."""
        if self.plan.details is None:
            raise UsageError("This plan was stored; run the cell of the plan again.")
        return self.plan.details

    def html(self) -> Markup:
        """Return it to be read."""
        return doc_sheet(*plan_doc(self.plan))


async def plan_now(
    workspace: Workspace, pilot: Pilot, *, recreate: bool, since: str = ""
) -> Plan:
    """Return the plan as of now. Writes nothing to the destination.

    Raises `PlanDriftError` listing what moved since the plan of the hash `since`.
    """
    return await plan_only(
        workspace.project,
        workspace.destination_settings,
        observer=workspace.observer,
        recreate=recreate,
        pilot=pilot,
        plan_hash=since,
    )
