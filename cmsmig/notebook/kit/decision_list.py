"""What changed since the last import, decided in its list: whose value is kept, what
is published, and what happens to what one side no longer has or to a story in our
place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

from markupsafe import Markup

from cmsmig.errors import CmsmigError
from cmsmig.mapping.decisions.body_reviews import IN_BULK
from cmsmig.mapping.decisions.conflicts import (
    ConflictChoice,
    ConflictKind,
    ConflictsDecision,
    EditChoice,
    GoneAction,
    GoneChoice,
    GoneFrom,
    Side,
)
from cmsmig.notebook.kit.cell import Panel
from cmsmig.notebook.kit.decision_files import known_reviewer
from cmsmig.notebook.kit.decision_table import DECISION, DecisionTable, number_of
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.steps.changes.changes import Change, Where, changes_of
from cmsmig.steps.changes.target_comparison import was_imported
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.controls import Copied
from cmsmig.ui.doc import Doc, Note, Table
from cmsmig.ui.documents.comparisons import changes_doc, changes_line
from cmsmig.ui.html.html_templates import breakable
from cmsmig.ui.html.safe_html import NOTHING, doc_sheet
from cmsmig.ui.relation import Column, Filter, Nouns, Row, Rows

Decision: TypeAlias = EditChoice | GoneChoice | ConflictChoice
_FILED = {EditChoice: "edits", GoneChoice: "gone", ConflictChoice: "conflicts"}
"""Where each is in the file."""
_DELETE = "delete it"
_GONE = {
    GoneFrom.ORIGIN: {
        "keep it": GoneAction.KEEP,
        "unpublish it": GoneAction.UNPUBLISH,
        _DELETE: GoneAction.DELETE,
    },
    GoneFrom.DESTINATION: {
        "make it again": GoneAction.RECREATE,
        "leave it out": GoneAction.LEAVE_OUT,
    },
}
_NOUNS = Nouns("change", "changes", "There is nothing to decide.")
_COLUMNS = (
    Column("what", "What"),
    Column("change", "Change"),
    Column("where", "Where", css="whole"),
    Column("kind", "Kind", hidden=True),
    Column(DECISION, "Decision"),
    Column("by", "Decided by"),
    Column("state", "State", hidden=True),
)
_FILTERS = (
    Filter("state", "Decision", ""),
    Filter("where", "Where", ""),
    Filter("kind", "Kind", ""),
)


@dataclass(frozen=True, slots=True)
class Point:
    """A change, and what can be decided about it."""

    where: Where
    kind: str
    what: str
    lines: Sequence[str]
    """The change in words."""
    options: Mapping[str, Decision] = field(default_factory=dict)
    """By what a button says."""
    moved: tuple[str, ...] = ()
    """What it is about where nothing is decided about it here: a plan may ask."""
    whole: bool = False
    """Whether its row has all of it: both values of a field."""

    @property
    def place(self) -> tuple[str, ...]:
        """Return what the decision is about."""
        return next(map(_place, self.options.values()), self.moved)

    def taken(self, now: ConflictsDecision) -> tuple[str, str]:
        """Return what is decided, and by whom."""
        place = self.place
        for option, each in self.options.items():
            found = next((e for e in _filed(now, each) if _place(e) == place), None)
            if isinstance(each, EditChoice):
                found = now.edit(each.kind, each.what, each.field, each.seen)
            if found and _value(found) == _value(each):
                return option, found.note or "by hand"
        return "", ""

    def decided(
        self, now: ConflictsDecision, option: str, by: str
    ) -> ConflictsDecision:
        """Return the decisions with one about this."""
        return self.with_filed(now, (replace(self.options[option], note=by),))

    def filed(self, now: ConflictsDecision) -> tuple[Decision, ...]:
        """Return what the file decides about just this."""
        first = next(iter(self.options.values()))
        return tuple(e for e in _filed(now, first) if _place(e) == self.place)

    def with_filed(
        self, now: ConflictsDecision, filed: tuple[Decision, ...]
    ) -> ConflictsDecision:
        """Return the decisions with just these about this."""
        first = next(iter(self.options.values()))
        others = [each for each in _filed(now, first) if _place(each) != self.place]
        changed: dict[str, Any] = {_FILED[type(first)]: (*others, *filed)}
        return replace(now, **changed)


def edit_options(
    kind: ConflictKind, what: str, field: str, seen: str, ours_is: object
) -> dict[str, Decision]:
    """Return whose value of a field can be kept; `ours_is` is ours."""
    ours, theirs = "write ours", "keep theirs"
    if field == PUBLISHED:
        ours, theirs = "publish it" if ours_is else "unpublish it", "leave it so"
    sides = {ours: Side.OURS, theirs: Side.THEIRS}
    return {
        option: EditChoice(kind=kind, what=what, field=field, take=side, seen=seen)
        for option, side in sides.items()
    }


def gone_options(side: GoneFrom, ref: Ref) -> dict[str, Decision]:
    """Return what can happen to what one side no longer has; what is no story can only
    be made again."""
    return {
        option: GoneChoice(side, ref.key, action)
        for option, action in _GONE[side].items()
        if ref.kind is Kind.STORY or action is GoneAction.RECREATE
    }


async def show_changes(workspace: Workspace) -> Panel:
    """Return what changed since the last import: at the origin as it was read last, in
    the decisions, and in the space. Writes nothing to either service.

    Before a person each change in the space is decided in its row, which is written to
    the decisions at once. Before the first import no service is asked. What prevents
    the comparison (a service that does not answer) is shown in its place.
    """
    found: tuple[Change, ...] | None = None
    text = "Nothing was imported yet, so there is nothing to compare with."
    doc: Doc = (Note(text),)
    try:
        if was_imported(workspace.project):
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
    view = ChangeList(workspace, found, doc)
    workspace.change_lists.append(view)
    return workspace.shows(view, text=text)


class ChangeList(DecisionTable[ConflictsDecision]):
    """What changed since the last import, and what a plan leaves undecided."""

    prefix = "changes"
    label = title = "Changes"
    opens = True
    follows = "The next plan uses it."
    deletion = _DELETE

    def __init__(
        self, workspace: Workspace, found: Sequence[Change] | None, doc: Doc
    ) -> None:
        """`found` is None where nothing was compared; `doc` is for unattended runs."""
        rows = Rows(_NOUNS, _COLUMNS, _FILTERS)
        super().__init__(workspace, rows, ConflictsDecision)
        self.found = found
        self._doc = doc_sheet(*doc)
        self._changes = [*map(_point, found or ())]
        self._waiting: Sequence[Point] = ()
        self.load()

    def wait_for(self, points: Iterable[Point]) -> None:
        """List these, too; each in place of the change that it is about."""
        self._waiting = [*points]
        self.load()
        self.renew()

    def load(self) -> None:
        """List the changes with what is decided about them now."""
        now = decision_in(self.workspace.project, ConflictsDecision)
        waiting = {each.place: each for each in self._waiting}
        changes = [
            replace(waiting.pop(each.place, each), where=each.where)
            for each in self._changes
        ]
        self._points = [*changes, *waiting.values()]
        self._decided = [e.taken(now or ConflictsDecision()) for e in self._points]
        self.rows.put(0, map(_row, self._points, self._decided))

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
        """Return what a row holds; of what both sides changed, both values whole."""
        point = self._points[number_of(row.key)]
        if column == "change" and point.whole:
            return breakable("; ".join(point.lines))
        return super().held(row, column)

    def name_of(self, key: str) -> str:
        """Return what changed."""
        return self._points[number_of(key)].what

    def detail(self, key: str) -> Markup:
        """Return the whole change, and what decides about it."""
        lines = self._points[number_of(key)].lines
        shown = doc_sheet(Table((), [(each,) for each in lines], shown=len(lines)))
        if self.source.dry_run:
            return shown
        return shown + self.buttons(key, self.name_of(key))

    def above(self) -> Markup:
        """Return why no change is listed."""
        return NOTHING if self.found else self._doc

    def html(self, *, live: bool) -> Markup:
        """Return the list; unattended, or where it is empty, a document."""
        return super().html(live=live) if live and self._points else self._doc


def _point(change: Change) -> Point:
    noun = "decision" if change.where is Where.DECISIONS else "story"
    return Point(
        change.where,
        change.ref.kind.noun() if change.ref else noun,
        change.title,
        change.lines or (change.text,),
        _options(change),
        (str(ConflictKind.STORY), change.what, change.field) if change.item else (),
        whole=change.where is Where.BOTH,
    )


def _options(change: Change) -> dict[str, Decision]:
    """Return what can be decided about a change."""
    ref = change.ref
    if ref is None:
        return {}
    if not change.field:
        return gone_options(GoneFrom(change.where), ref)
    kind, is_there = ref.kind.decided_as, change.is_edit
    if kind is None or not change.seen or not (is_there or change.field == PUBLISHED):
        return {}
    ours = change.old if change.where is Where.DESTINATION else change.new
    if change.where is Where.BOTH:
        ours = change.ours
    return edit_options(kind, ref.key, change.field, change.seen, ours)


def _row(point: Point, taken: tuple[str, str]) -> tuple[int, Sequence[str]]:
    state = "decided" if taken[0] else "not decided"
    if not point.options:
        state = "nothing to decide"
    cells = (point.what, "; ".join(point.lines), point.where, point.kind, *taken, state)
    return (0 if point.options else 1), cells


def _filed(now: ConflictsDecision, like: Decision) -> tuple[Decision, ...]:
    """Return the decisions of the sort of one."""
    found: tuple[Decision, ...] = getattr(now, _FILED[type(like)])
    return found


def _place(about: Decision) -> tuple[str, str, str]:
    if isinstance(about, EditChoice):
        return str(about.kind), about.what, about.field
    side = about.kind if isinstance(about, ConflictChoice) else about.side
    return str(side), about.what, ""


def _value(taken: Decision) -> str:
    return str(taken.take if isinstance(taken, EditChoice) else taken.action)
