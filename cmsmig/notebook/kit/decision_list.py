"""What changed since the last import, decided in its list: whose value is kept, what
is published, and what happens to what one side no longer has or to a story in our
place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic

from markupsafe import Markup

from cmsmig.errors import CmsmigError
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.body_reviews import IN_BULK
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.change_points import (
    DELETE,
    LEAVE,
    Decision,
    Point,
    point_of,
)
from cmsmig.notebook.kit.decision_files import known_reviewer
from cmsmig.notebook.kit.decision_table import DECISION, DecisionTable, number_of
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.project_news import DECISIONS
from cmsmig.notebook.kit.renewal import Renewal
from cmsmig.reconcile.value_changes import Sides
from cmsmig.settings import Project
from cmsmig.steps.changes.changes import Change, Where, changes_of
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.controls import Copied, bar
from cmsmig.ui.doc import Doc, Note, Table
from cmsmig.ui.documents.comparisons import changes_doc, changes_line
from cmsmig.ui.html.safe_html import NOTHING, doc_sheet
from cmsmig.ui.html.word_marks import changed_words
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.relation import Column, Filter, Nouns, Row
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import Place
from cmsmig.ui.view import action

_GROUP = "group"
_NOUNS = Nouns("change", "changes", "There is nothing to decide.")
_WAITS, _KEPT = "conflicts", "kept, nothing to do"
_WRITTEN = "written by the next import"
_COLUMNS = (
    Column("what", "What"),
    Column("change", "Change"),
    Column("last", "Last import"),
    Column("origin", "Origin now"),
    Column("space", "Space now"),
    Column(DECISION, "Decision"),
    Column("by", "Decided by", optional=True, hidden=True),
    Column("where", "Where", css="whole", hidden=True),
    Column("kind", "Kind", hidden=True),
    Column("state", "State", hidden=True),
    Column(_GROUP, "Group", hidden=True),
)
_SIDES = ("last", "origin", "space")
_DECIDED_HERE = f"{DECISIONS}/{FILE_NAMES[ConflictsDecision]}"
_COMPARED = [
    f"{DECISIONS}/{file}"
    for kind, file in FILE_NAMES.items()
    if kind not in (ConflictsDecision, RedirectsDecision)
]
"""The decisions that stories are made by."""
_FILTERS = (
    Filter(_GROUP, "Show", ""),
    Filter("state", "Decision", ""),
    Filter("where", "Where", ""),
    Filter("kind", "Kind", ""),
)


async def show_changes(workspace: Workspace) -> Panel:
    """Return what changed since the last import: at the origin as it was read last, in
    the decisions, and in the space. Writes nothing to either service.

    Before a person each change in the space is decided in its row, which is written to
    the decisions at once. Before the first import no service is asked. What prevents
    the comparison (a service that does not answer) is shown in its place.
    """
    began = monotonic()
    found, text, doc = await _compared(workspace)
    view = ChangeList(workspace, found, doc, monotonic() - began)
    workspace.changes_shown.append(view)
    return workspace.shows(view, text=text)


async def _compared(
    workspace: Workspace,
) -> tuple[tuple[Change, ...] | None, str, Doc]:
    """Return what changed, None where nothing was compared, and that as a sentence and
    as a document."""
    found: tuple[Change, ...] | None = None
    text = "Nothing was imported yet, so there is nothing to compare with."
    doc: Doc = (Note(text),)
    try:
        if _was_imported(workspace.project):
            found = await changes_of(
                workspace.project,
                workspace.settings,
                observer=workspace.observer,
                stop=StopSignal(),
            )
            text, doc = changes_line(found), changes_doc(found)
    except CmsmigError as error:
        text = f"The changes cannot be shown yet: {error}"
        doc = (Note(text, "warning"),)
    return found, text, doc


class ChangeList(DecisionTable[ConflictsDecision]):
    """What changed since the last import, and what a plan leaves undecided."""

    prefix = "changes"
    label = "Changes"
    opens = True
    follows = "The next plan uses it."
    deletion = DELETE
    order = (
        *("write ours", "keep theirs", "publish it", "unpublish it", LEAVE),
        *("make it again", "leave it out"),
    )
    group_by = _GROUP

    def __init__(
        self,
        workspace: Workspace,
        found: Sequence[Change] | None,
        doc: Doc,
        took: float,
    ) -> None:
        """`found` is None where nothing was compared; `doc` is for unattended runs;
        `took` are the seconds that it took to compare."""
        rows = Rows(_NOUNS, _COLUMNS, _FILTERS)
        super().__init__(workspace, rows, ConflictsDecision)
        self.found = found
        self._doc = doc_sheet(*doc)
        self._changes = [*map(point_of, found or ())]
        self._waiting: Sequence[Point] = ()
        self._is_planned = False
        """Whether a plan said what waits; else the comparison does."""
        self._renewal = Renewal(
            self, workspace.news, self._compare, "this comparison", took
        )
        self.load()

    def opened(self) -> None:
        """Follow what is pulled, decided and imported."""
        self._renewal.follow(*_COMPARED)
        self.workspace.news.follow(self.prefix, self._reload, _DECIDED_HERE)

    @action("again", "Compare again", main=True)
    async def again(self, _: str) -> None:
        """Compare once more."""
        await self._renewal.renew()

    def _reload(self) -> None:
        """Show what another list decided."""
        self.load()
        self.renew()

    async def _compare(self) -> None:
        """Compare once more, and show that; an open row stays as it is."""
        self.found, _, doc = await _compared(self.workspace)
        self._doc = doc_sheet(*doc)
        self._changes = [*map(point_of, self.found or ())]
        self._waiting = [each for each in self._waiting if not self._taken(each)]
        self.load()
        self.renew()

    def narrow(self, query: Query) -> None:
        """List the rows of another query; words are searched for in all changes."""
        is_new = query.text != self.at.query.text
        super().narrow(query.without(_GROUP) if query.text and is_new else query)

    def wait_for(self, points: Iterable[Point]) -> None:
        """List these, too; each in place of the change that it is about. Those that
        were decided since the comparison stay where they were decided."""
        asked = {e.place: e for e in self._waiting if self._taken(e)}
        self._waiting = [*(asked | {each.place: each for each in points}).values()]
        self._is_planned = True
        self.load()
        self.renew()

    def _taken(self, point: Point) -> str:
        """Return what is decided about a change; empty: nothing."""
        now = decision_in(self.workspace.project, ConflictsDecision)
        return point.taken(now or ConflictsDecision())[0]

    def load(self) -> None:
        """List the changes with what is decided about them now."""
        now = decision_in(self.workspace.project, ConflictsDecision)
        waiting = {each.place: each for each in self._waiting}
        waits = {e.place for e in self._changes if e.waits and e.options}
        if self._is_planned:
            waits = {*waiting}
        changes = [
            replace(waiting.pop(each.place, each), where=each.where)
            for each in self._changes
        ]
        self._points = [*changes, *waiting.values()]
        self._decided = [e.taken(now or ConflictsDecision()) for e in self._points]
        self.rows.put(0, map(_row, self._points, self._decided))
        self.workspace.news.count_conflicts(
            sum(
                not taken and point.place in waits
                for point, (taken, _) in zip(self._points, self._decided, strict=True)
            ),
            is_planned=self._is_planned,
        )
        if self.at == Place() and any(each.waits for each in self._points):
            self.at = Place(EVERYTHING.having(_GROUP, _WAITS))

    def options(self, key: str) -> Collection[str]:
        """Return what can be decided about a change."""
        return self._points[number_of(key)].options

    def taken(self, key: str) -> str:
        """Return what is decided about a change."""
        return self._decided[number_of(key)][0]

    def with_taken(
        self, now: ConflictsDecision, taken: Mapping[str, str], how: str
    ) -> ConflictsDecision:
        """Return the decisions with these, signed and dated, and whether in bulk."""
        today, name = (
            datetime.now(UTC).date().isoformat(),
            known_reviewer(self.workspace),
        )
        by = ", ".join(filter(None, (name, today, how if how == IN_BULK else "")))
        for key, option in taken.items():
            now = self._points[number_of(key)].decided(now, option, by)
        return now

    def place(self, key: str) -> tuple[str, ...]:
        """Return what the decision about a change is about."""
        return self._points[number_of(key)].place

    def filed(self, now: ConflictsDecision, key: str) -> tuple[Decision, ...]:
        """Return what the file decides about a change."""
        return self._points[number_of(key)].filed(now)

    def with_filed(
        self, now: ConflictsDecision, key: str, filed: tuple[Decision, ...]
    ) -> ConflictsDecision:
        """Return the decisions with just these about a change."""
        return self._points[number_of(key)].with_filed(now, filed)

    def held(self, row: Row, column: str) -> str | Markup | Copied:
        """Return what a row holds; of a value what differs from the last import is
        marked."""
        sides = self._points[number_of(row.key)].sides
        if column in _SIDES and sides is not None:
            return changed_words(sides.last, getattr(sides, column))
        return super().held(row, column)

    def span(self, row: Row, column: str) -> int:
        """Return how many columns a cell takes: a change without values has theirs."""
        if self._points[number_of(row.key)].sides is not None:
            return 1
        return {"change": 1 + len(_SIDES), **dict.fromkeys(_SIDES, 0)}.get(column, 1)

    def name_of(self, key: str) -> str:
        """Return what changed."""
        return self._points[number_of(key)].what

    def detail(self, key: str) -> Markup:
        """Return the whole change, and what decides about it."""
        point, (_, by) = self._points[number_of(key)], self._decided[number_of(key)]
        lines = [*point.lines, *([f"Decided: {by}"] if by else [])]
        shown = doc_sheet(Table((), [(each,) for each in lines], shown=len(lines)))
        if self.source.dry_run:
            return shown
        return shown + self.buttons(key, self.name_of(key))

    def above(self) -> Markup:
        """Return what changed since, with a button, and why no change is listed."""
        return self._since() + (NOTHING if self.found else self._doc)

    def _since(self) -> Markup:
        since = self._renewal.note()
        return since + bar(self.act("again")) if since else NOTHING

    def html(self, *, live: bool) -> Markup:
        """Return the list; unattended, or where it is empty, a document."""
        if not live:
            return self._doc
        if self._points:
            return super().html(live=live)
        return self.panel(since=self._since(), doc=self._doc)


def _row(point: Point, taken: tuple[str, str]) -> tuple[int, Sequence[str]]:
    state = "decided" if taken[0] else "not decided"
    if not point.options:
        state = "nothing to decide"
    group = _WAITS if point.waits else _WRITTEN
    if point.where is Where.DESTINATION and not point.waits:
        group = _KEPT
    sides = point.sides or Sides("; ".join(point.lines), "", "", "")
    change = sides.field
    if point.sides and point.waits and point.where is not Where.BOTH:
        change = f"{change}: {'; '.join(point.lines)}"
    cells = (
        *(point.what, change, sides.last, sides.origin, sides.space, *taken),
        *(point.where, point.kind, state, group),
    )
    return (_WAITS, _WRITTEN, _KEPT).index(group), cells


def _was_imported(project: Project) -> bool:
    """Return whether a ledger is there that records a story. Reads only."""
    if not project.ledger.is_file():
        return False
    with Ledger.open_existing(project.ledger) as ledger:
        return any(row.story_record for row in ledger.items.all().values())
