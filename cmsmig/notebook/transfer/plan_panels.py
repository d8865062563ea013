"""What notebook 04 shows of a plan: what it leaves undecided, every call, and what
stays behind or is lost, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.evidence.evidence import LISTS
from cmsmig.evidence.new_items import new_items
from cmsmig.evidence.old_addresses import OriginPages
from cmsmig.evidence.plan_page import plan_findings, write_plan_page
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.ledger.rows import GoneState, ItemRow
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictChoice,
    ConflictsDecision,
    GoneFrom,
)
from cmsmig.mapping.select.pilot import Pilot
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.change_points import Point, edit_options, gone_options
from cmsmig.notebook.kit.finding_table import (
    FindingRows,
    FindingSetTable,
    FindingWords,
    parts_of,
)
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.project_news import DECISIONS
from cmsmig.notebook.kit.renewal import Renewal
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.labels import NO_LABELS
from cmsmig.reconcile.value_changes import sides_of
from cmsmig.steps.changes.changes import Where
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.plan.conflicts import taken_places
from cmsmig.steps.plan.gone.gone_at_origin import gone_change
from cmsmig.steps.plan.plan import Plan, PlanDetails
from cmsmig.steps.write.import_steps import plan_only
from cmsmig.ui.controls import bar, tick
from cmsmig.ui.documents.findings import findings_csv_lines, findings_doc
from cmsmig.ui.documents.plan import plan_doc
from cmsmig.ui.html.safe_html import doc_sheet
from cmsmig.ui.relation import Nouns
from cmsmig.ui.report_file import write_pieces
from cmsmig.ui.view import View, action


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
            raise UsageError("This plan was stored: press Plan again.")
        return self.plan.details

    def html(self, *, live: bool = False) -> Markup:
        """Return it to be read; live, below the list in which conflicts are decided."""
        return doc_sheet(*plan_doc(self.plan, is_decided_above=live))


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


def plan_points(plan: Plan) -> Iterator[Point]:
    """Yield each thing that a plan leaves undecided."""
    labels = plan.details.labels if plan.details else NO_LABELS
    there = Where.DESTINATION
    for taken, *_ in taken_places(plan.conflicts):
        if taken.action is None and taken.holder is None:
            options = {
                option: ConflictChoice(taken.kind, taken.what, each)
                for option, each in _PLACES.items()
                if taken.can_be_used or each is not ConflictAction.REUSE
            }
            name, line = f"{taken.row.name} ({taken.what})", _IN_PLACE
            if taken.folder:
                line = taken.folder.sentence
            elif taken.row.is_folder:
                line = f"{taken.who} {_IN_PLACE}"
            yield Point(there, str(taken.kind), name, (line,), options, waits=True)
    for each in plan.edit_conflicts:
        values = (each.base, each.ours, each.theirs)
        sides = sides_of(labels, each.ref, each.field, *values)
        edit = edit_options(each.kind, each.what, each.field, each.seen, each.ours)
        yield Point(
            there,
            each.ref.kind.noun(),
            labels.item(each.what),
            (each.cause,),
            edit,
            sides=None if each.why else sides,
            waits=True,
        )
    for thing in plan.gone.undecided.things:
        ref = Ref(thing.kind, thing.name)
        gone, said = gone_options(GoneFrom.DESTINATION, ref), ref.kind.noun(2)
        name, line = ref.key, f"is gone from the {said} of the space"
        if isinstance(thing.row, ItemRow) and thing.row.name:
            name = f"{thing.row.name} ({ref.key})"
        yield Point(there, ref.kind.noun(), name, (line,), gone, waits=True)
    for row in plan.gone_at_origin:
        if row.story_record is None or row.gone is None:
            continue
        if row.gone.state is not GoneState.DELETED:
            path = row.story_record.full_slug
            gone = gone_options(GoneFrom.ORIGIN, Ref(Kind.STORY, path))
            name, line = f"{row.name or row.key} ({path})", gone_change(row.gone)
            noun = Kind.STORY.noun()
            yield Point(Where.ORIGIN, noun, name, (line,), gone, waits=True)


_PLACES = {
    "use theirs as it is": ConflictAction.REUSE,
    "leave theirs, import nothing there": ConflictAction.SKIP,
}
_IN_PLACE = "is at the place of this item, and this import did not make it"
_FILE = "plan-findings"
_WORDS = FindingWords(
    prefix="foreseen",
    title="What the import leaves behind or loses",
    nouns=Nouns(
        "finding", "findings", "Everything arrives, and nothing of it is lost."
    ),
)


class PlanView(View):
    """The plan, and what plans again; what it leaves undecided is in the list of
    changes."""

    prefix = label = "plan"

    def __init__(
        self,
        workspace: Workspace,
        shown: ShownPlan,
        took: float,
        *,
        offers_recreate: bool,
    ) -> None:
        """`took` are the seconds that it took to plan; `offers_recreate`: whether what
        the space lost may be made again, where it lost anything."""
        super().__init__()
        self._workspace = workspace
        self._shown = shown
        self._offers_recreate = offers_recreate
        shown.watchers["plan"] = self._renew
        self._recreate = shown.plan.recreate
        self._renewal = Renewal(
            self, workspace.news, self._plan, "this plan was made", took
        )
        self._renew()

    def opened(self) -> None:
        """Follow what is decided, pulled and imported."""
        self._renewal.follow(DECISIONS)

    def _renew(self) -> None:
        points = [*plan_points(self._shown.plan)]
        if lists := self._workspace.changes_shown[-1:]:
            lists[0].wait_for(points)
        else:
            project, news = self._workspace.project, self._workspace.news
            now = decision_in(project, ConflictsDecision) or ConflictsDecision()
            count = sum(not each.taken(now)[0] for each in points)
            news.count_conflicts(count, is_planned=True)
        self.show()

    @action("plan-again", "Plan again", begins=True)
    async def again(self, _: str) -> None:
        """Plan once more."""
        await self._renewal.renew()

    @action("plan-recreate", "Create missing stories again")
    async def recreate(self, value: str) -> None:
        """Plan with what is gone, or without."""
        self._recreate = value.endswith("=1")
        await self._renewal.renew()

    @action("plan-save", "Save the plan as a page")
    def save(self, _: str) -> None:
        """Write the page, which can be sent to a client."""
        folder = self._workspace.project.state_folder / "reports"
        if self._workspace.dry_run:
            self.say("This is a dry run: the page is not written.", "good")
            return
        at = datetime.now(UTC).isoformat(timespec="seconds")
        path = write_plan_page(folder, self._shown.plan, self._shown.details, at)
        self.say(f"The plan is written to {path}; it can be sent as it is.", "good")

    async def _plan(self) -> None:
        self.say("Planning …")
        pilot, recreate = self._shown.plan.pilot, self._recreate
        self._shown.show(await plan_now(self._workspace, pilot, recreate=recreate))
        self.say("This is the plan as of now.", "good")

    def html(self, *, live: bool) -> Markup:
        """Return the plan, below what plans again."""
        if not live:
            return self._shown.html()
        since = self._renewal.note()
        again = self.act("plan-again", main=bool(since))
        controls = [again, self.act("plan-save")]
        plan = self._shown.plan
        if self._offers_recreate and plan.gone.needed.things:
            name = "plan-recreate"
            label, ticked = self.actions[name][0].label, plan.recreate
            controls.append(tick(name, label, ticked, value=name))
        return self.panel(
            plan_since=since,
            plan_controls=bar(*controls),
            plan=self._shown.html(live=True),
        )


def findings_panel(workspace: Workspace, shown: ShownPlan) -> Panel:
    """Return the list of all findings of the plan that is shown.

    Unattended it is written as CSV, unless in a dry run.
    """

    def read() -> tuple[FindingSet, ...]:
        return plan_findings(workspace.project, shown.plan, shown.details)

    site = OriginPages(shown.details.migration).site
    if not workspace.interactive:
        rest = "`cmsmig plan --json` lists all"
        if not workspace.dry_run:
            rest = f"all are in {_written(workspace, read())}"
        return workspace.panel(_findings_sheet(read(), site, rest))
    rows = FindingRows(_WORDS.nouns, _FILE, site, parts_of(read()))
    listed = FindingSetTable(
        _WORDS,
        workspace.list_source(rows),
        rows,
        read,
        lambda: new_items(workspace.project, lambda: shown.details.migration),
    )
    shown.watchers["findings"] = listed.read
    return workspace.panel(
        lambda: _findings_sheet(read(), site, "`Save as CSV` writes all"),
        lambda: listed,
        text=listed.label,
    )


def _written(workspace: Workspace, sets: tuple[FindingSet, ...]) -> Path:
    """Write all findings as CSV; return where."""
    found = chain.from_iterable(each.read() for each in sets)
    path = workspace.project.root / LISTS / f"{_FILE}.csv"
    return write_pieces(path, findings_csv_lines(found))


def _findings_sheet(sets: tuple[FindingSet, ...], site: str, rest: str) -> Markup:
    """Return the first findings; `rest` is where all of them are."""
    found = chain.from_iterable(each.read() for each in sets)
    none = _WORDS.nouns.none
    return doc_sheet(
        *findings_doc(found, _WORDS.title, none=none, rest=rest, site=site)
    )
