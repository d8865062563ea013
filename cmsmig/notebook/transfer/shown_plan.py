"""The plan that a person looks at, and the choices about what it leaves undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.conflicts import EditChoice, Side
from cmsmig.mapping.select.pilot import Pilot
from cmsmig.notebook.kit.change_choices import (
    Choice,
    edit_choice,
    gone_at_origin_choice,
    gone_there_choice,
    place_choice,
)
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.labels import NO_LABELS, Labels
from cmsmig.reconcile.value_changes import change_lines
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.plan_details import PlanDetails
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.documents.plan import plan_doc
from cmsmig.ui.html.safe_html import doc_sheet


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


def plan_choices(plan: Plan) -> Iterator[Choice]:
    """Yield a choice for each thing that a plan leaves undecided."""
    labels = plan.details.labels if plan.details else NO_LABELS
    for taken in plan.conflicts:
        if taken.action is None and taken.holder is None:
            yield place_choice(taken.row.name, taken.row.full_slug.strip("/"))
    for each in plan.edit_conflicts:
        about = EditChoice(
            kind=each.kind,
            what=each.what,
            field=each.field,
            take=Side.OURS,
            seen=each.seen,
        )
        lines = (_line(labels, each, "theirs"), _line(labels, each, "ours"))
        yield edit_choice(labels.item(each.what), lines, about)
    for thing in plan.gone.undecided.things:
        yield gone_there_choice(thing.kind, thing.name)
    for row in plan.gone_at_origin:
        if row.story_record is not None:
            path = row.story_record.full_slug
            yield gone_at_origin_choice(row.name or str(row.key), path)


def _line(labels: Labels, found: FieldDiff, side: str) -> str:
    value = found.theirs if side == "theirs" else found.ours
    lines = change_lines(labels, found.ref, found.field, found.base, value)
    return f"{side}: {'; '.join(lines)}"
