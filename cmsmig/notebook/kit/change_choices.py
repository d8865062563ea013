"""What changed since the last import, and the choices about it: whose value is kept,
whether a story is published, and what happens to what one side no longer has or to a
story in our place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias

from markupsafe import Markup

from cmsmig.errors import CmsmigError, UsageError
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
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
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.steps.changes.changes import Change, Where, changes_of
from cmsmig.steps.changes.target_comparison import was_imported
from cmsmig.steps.decide.decision_store import change_decision, decision_in
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.ui.controls import select
from cmsmig.ui.doc import Note
from cmsmig.ui.documents.comparisons import changes_doc, changes_line
from cmsmig.ui.html.safe_html import NOTHING, Cell, doc_sheet, more, sheet, table
from cmsmig.ui.view import View, action

Decision: TypeAlias = EditChoice | GoneChoice | ConflictChoice
Options: TypeAlias = tuple[tuple[str, str], ...]

_SHOWN = 25
_ALL = "all"
_OPEN = ("not decided", "")
_SIDES = (("write ours", str(Side.OURS)), ("keep theirs", str(Side.THEIRS)))
_AGAIN = ("make it again", str(GoneAction.RECREATE))
_LEFT = ("leave it out", str(GoneAction.LEAVE_OUT))
_PLACES = (
    ("use theirs as it is", str(ConflictAction.REUSE)),
    ("leave theirs, import nothing there", str(ConflictAction.SKIP)),
)
_STORIES = (
    ("keep it", str(GoneAction.KEEP)),
    ("unpublish it", str(GoneAction.UNPUBLISH)),
    ("delete it", str(GoneAction.DELETE)),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person can decide about one change."""

    name: str
    lines: Sequence[str]
    """The change in words."""
    options: Options
    """(label, value)"""
    about: Decision
    """What it takes is replaced by the option that is chosen."""

    def taken(self, now: ConflictsDecision) -> Decision | None:
        """Return the decision that was taken about this."""
        about = self.about
        if isinstance(about, EditChoice):
            return now.edit(about.kind, about.what, about.field, about.seen)
        if isinstance(about, ConflictChoice):
            return now.choice(about.kind, about.what)
        return next((e for e in now.gone if _place(e) == _place(about)), None)

    def decided(self, now: ConflictsDecision, value: str, by: str) -> ConflictsDecision:
        """Return the decisions with this one; without it for an empty value."""
        about, place = self.about, _place(self.about)
        if isinstance(about, EditChoice):
            edits = tuple(each for each in now.edits if _place(each) != place)
            made = [replace(about, take=Side(value), note=by)] if value else []
            return replace(now, edits=(*edits, *made))
        if isinstance(about, ConflictChoice):
            others = tuple(each for each in now.conflicts if _place(each) != place)
            taken = (
                [replace(about, action=ConflictAction(value), note=by)] if value else []
            )
            return replace(now, conflicts=(*others, *taken))
        gone = tuple(each for each in now.gone if _place(each) != place)
        chosen = [replace(about, action=GoneAction(value), note=by)] if value else []
        return replace(now, gone=(*gone, *chosen))


def edit_choice(name: str, lines: Sequence[str], about: EditChoice) -> Choice:
    """Return the choice whose value of a field is kept."""
    sides = _SIDES
    if about.field == PUBLISHED:
        is_public = about.seen == seen_of(True)
        ours = "unpublish it" if is_public else "publish it"
        sides = ((ours, str(Side.OURS)), ("leave it so", str(Side.THEIRS)))
    return Choice(name, lines, sides, about)


def place_choice(name: str, path: str) -> Choice:
    """Return the choice about a story that is at the place of an item."""
    about = ConflictChoice(ConflictKind.STORY, path, ConflictAction.SKIP)
    lines = ("is at the place of this item, and this import did not make it",)
    return Choice(f"{name} ({path})", lines, _PLACES, about)


def gone_there_choice(kind: Kind, name: str) -> Choice:
    """Return the choice about what the space no longer has."""
    options = (_AGAIN, _LEFT) if kind is Kind.STORY else (_AGAIN,)
    about = GoneChoice(GoneFrom.DESTINATION, name, GoneAction.RECREATE)
    lines = (f"is gone from the {kind.noun(2)} of the space",)
    return Choice(name, lines, options, about)


def gone_at_origin_choice(name: str, path: str) -> Choice:
    """Return the choice about the story of an item that is gone at the origin."""
    about = GoneChoice(GoneFrom.ORIGIN, path, GoneAction.KEEP)
    return Choice(f"{name} ({path})", ("is gone at the origin",), _STORIES, about)


class ChoiceView(View):
    """A drop-down for each choice, and one for all of them.

    Each is written at once; the next plan uses it.
    """

    def __init__(
        self,
        workspace: Workspace,
        prefix: str,
        title: str,
        choices: Callable[[], Iterable[Choice]],
    ) -> None:
        super().__init__()
        self.prefix = prefix
        self.label = title
        self.workspace = workspace
        self._find = choices
        self._choices = (*choices(),)

    def renew(self) -> None:
        """Show the choices as they are now."""
        self._choices, self.said = (*self._find(),), ("", "")
        self.show()

    @action("take")
    def _take(self, sent: str) -> None:
        row, _, value = sent.partition("=")
        if self.workspace.dry_run:
            raise UsageError("This is a dry run: no decision is written.")
        chosen = [*self._chosen(row, value)]
        today = datetime.now(UTC).date().isoformat()
        by = ", ".join(filter(None, (known_reviewer(self.workspace), today)))

        def decide(now: ConflictsDecision) -> ConflictsDecision:
            for each, taken in chosen:
                now = each.decided(now, taken, by)
            return now

        change_decision(self.workspace.project, ConflictsDecision, decide)
        self.say(_SAID, "good")
        self.show()

    def _chosen(self, row: str, value: str) -> Iterator[tuple[Choice, str]]:
        """Yield what is decided, with the value of each. For all, `value` is a label:
        one value is that of different decisions, such as to write and to publish."""
        for number, each in enumerate(self._choices):
            values = dict((_OPEN, *each.options))
            if row == str(number):
                yield each, value
            elif row == _ALL and (label := value or _OPEN[0]) in values:
                yield each, values[label]

    def html(self, *, live: bool) -> Markup:
        """Return the changes with their choices, and what is around them."""
        return self.panel(**self.regions())

    def regions(self) -> dict[str, Markup]:
        """Return the parts of the panel, from top to bottom."""
        return {f"{self.prefix}_take": self._html()}

    def _html(self) -> Markup:
        if not self._choices:
            return NOTHING
        found = decision_in(self.workspace.project, ConflictsDecision)
        now = found or ConflictsDecision()
        rows: list[tuple[Cell, ...]] = []
        for number, each in enumerate(self._choices[:_SHOWN]):
            taken = each.taken(now)
            value = "" if taken is None else _value(taken)
            control = self._select(str(number), each.name, each.options, value)
            rows.append((each.name, "; ".join(each.lines), control, _note(taken)))
        count = len(self._choices)
        if count > 1:
            labels = dict.fromkeys(o for each in self._choices for o, _ in each.options)
            options = tuple((label, label) for label in labels)
            every = self._select(_ALL, f"all {count}", options, "")
            rows.insert(0, (f"All {count} below", "", every, ""))
        head = ("What", "Change", "Decision", "Decided by")
        return sheet(
            table(head, rows, caption=f"{self.label} ({count})"), more(count, _SHOWN)
        )

    def _select(self, row: str, about: str, options: Options, value: str) -> Markup:
        options = (_OPEN, *options)
        return select(self.named("take"), "", options, value, row=row, about=about)


_SAID = "Written to decisions/conflicts.yaml. The next plan uses it."


def _place(about: Decision) -> tuple[str, str, str]:
    if isinstance(about, EditChoice):
        return str(about.kind), about.what, about.field
    side = about.kind if isinstance(about, ConflictChoice) else about.side
    return str(side), about.what, ""


def _value(taken: Decision) -> str:
    return str(taken.take if isinstance(taken, EditChoice) else taken.action)


def _note(taken: Decision | None) -> str:
    return "" if taken is None else taken.note or "by hand"


async def show_changes(workspace: Workspace) -> Panel:
    """Return what changed since the last import: at the origin as it was read last, in
    the decisions, and in the space. Writes nothing to either service.

    Before a person there is a choice for each change in the space, which is written
    to the decisions. Before the first import no service is asked. What prevents the
    comparison (a service that does not answer) is shown in place of the tables.
    """
    try:
        if not was_imported(workspace.project):
            text = "Nothing was imported yet, so there is nothing to compare with."
            return workspace.panel(doc_sheet(Note(text)), text=text)
        found = await changes_of(
            workspace.project,
            workspace.settings,
            observer=workspace.observer,
            stop=StopSignal(),
        )
    except CmsmigError as error:
        text = f"The changes cannot be shown yet: {error}"
        return workspace.panel(doc_sheet(Note(text, "warning")), text=text)
    workspace.changes_shown.append(found)
    whole = doc_sheet(*changes_doc(found))
    if not [*_choices(found)]:
        return workspace.panel(whole, text=changes_line(found))
    view = _ChangesView(workspace, found, whole)
    return workspace.panel(whole, view.element, text=changes_line(found))


class _ChangesView(ChoiceView):
    """The changes, and the choices about those in the space below them."""

    def __init__(
        self, workspace: Workspace, found: Sequence[Change], whole: Markup
    ) -> None:
        title = "Decide about changes in the space"
        super().__init__(workspace, "change", title, lambda: _choices(found))
        self._whole = whole

    def regions(self) -> dict[str, Markup]:
        """Return the changes and their choices."""
        return {"changes": self._whole, **super().regions()}


def _choices(found: Sequence[Change]) -> Iterator[Choice]:
    for each in found:
        if each.where is not Where.DESTINATION or each.ref is None:
            continue
        if not each.field:
            yield gone_there_choice(each.ref.kind, each.ref.key)
        elif each.seen and each.ref.kind.decided_as is not None:
            about = EditChoice(
                kind=ConflictKind(each.ref.kind),
                what=each.ref.key,
                field=each.field,
                take=Side.OURS,
                seen=each.seen,
            )
            yield edit_choice(each.title, each.lines, about)
