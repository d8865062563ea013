"""What waits for a decision in notebook 04: fields that both sides changed, and what
one side no longer has. Each choice is written at once; the next plan goes by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
    EditChoice,
    GoneAction,
    GoneChoice,
    GoneFrom,
    Side,
)
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.reconcile.field_diff import FieldDiff, Value, short_value
from cmsmig.reconcile.kinds import Kind
from cmsmig.richtext.plain_text import visible_text
from cmsmig.steps.decide.decision_store import change_decision
from cmsmig.steps.plan.plan import Plan
from cmsmig.ui.controls import select
from cmsmig.ui.html.safe_html import NOTHING, Cell, joined, more, note, sheet, table
from cmsmig.ui.view import View, action

_SHOWN = 25
_LETTERS = 600
"""Characters of a text that a cell shows."""
_OPEN = ("not decided", "")
_SIDES = (_OPEN, ("write ours", str(Side.OURS)), ("keep theirs", str(Side.THEIRS)))
_AGAIN = (_OPEN, ("make it again", str(GoneAction.RECREATE)))
_AGAIN_OR_NOT = (*_AGAIN, ("leave it out", str(GoneAction.LEAVE_OUT)))
_STORIES = (
    _OPEN,
    ("keep it", str(GoneAction.KEEP)),
    ("unpublish it", str(GoneAction.UNPUBLISH)),
    ("delete it", str(GoneAction.DELETE)),
)


@dataclass(frozen=True, slots=True)
class _Gone:
    """One thing that one side no longer has."""

    side: GoneFrom
    what: str
    name: str
    options: tuple[tuple[str, str], ...]


class ConflictChoices(View):
    """A drop-down for each conflict of the plan on show."""

    label = "Conflicts to be decided"

    def __init__(self, workspace: Workspace, plan: Callable[[], Plan]) -> None:
        super().__init__()
        self._workspace = workspace
        self._plan = plan
        self._edits: tuple[FieldDiff, ...] = ()
        self._gone: tuple[_Gone, ...] = ()
        self._taken: dict[tuple[str, int], str] = {}
        self._note = NOTHING
        self.renew()

    def renew(self) -> None:
        """Show what the plan on show leaves undecided."""
        plan = self._plan()
        self._edits = plan.edit_conflicts
        self._gone = (*_gone_there(plan), *_gone_at_origin(plan))
        self._taken.clear()
        self._note = NOTHING
        self.show()

    @action("conflict-take")
    def _take(self, value: str) -> None:
        row, _, side = value.partition("=")
        each = self._edits[int(row)]
        choice = (
            EditChoice(
                kind=each.kind,
                what=each.what,
                field=each.field,
                take=Side(side),
                seen=each.seen,
            )
            if side
            else None
        )

        def decide(now: ConflictsDecision) -> ConflictsDecision:
            about = (each.kind, each.what, each.field)
            kept = [
                old for old in now.edits if (old.kind, old.what, old.field) != about
            ]
            return replace(now, edits=(*kept, *([choice] if choice else ())))

        self._decide(decide)
        self._taken["edits", int(row)] = side
        self._note = _SAID
        self.show()

    @action("gone-take")
    def _become(self, value: str) -> None:
        row, _, action = value.partition("=")
        each = self._gone[int(row)]
        choice = (
            GoneChoice(each.side, each.what, GoneAction(action)) if action else None
        )

        def decide(now: ConflictsDecision) -> ConflictsDecision:
            about = (each.side, each.what)
            kept = [old for old in now.gone if (old.side, old.what) != about]
            return replace(now, gone=(*kept, *([choice] if choice else ())))

        self._decide(decide)
        self._taken["gone", int(row)] = action
        self._note = _SAID
        self.show()

    def _decide(self, decide: Callable[[ConflictsDecision], ConflictsDecision]) -> None:
        if self._workspace.dry_run:
            raise UsageError("This is a dry run: no decision is written.")
        change_decision(self._workspace.project, ConflictsDecision, decide)

    def html(self, *, live: bool) -> Markup:
        """Return what is undecided, with the choices."""
        return self.panel(
            edits=self._edits_html(), gone=self._gone_html(), said=self._note
        )

    def _edits_html(self) -> Markup:
        if not self._edits:
            return NOTHING
        rows: list[tuple[Cell, ...]] = [
            (
                each.what,
                each.field,
                _text(each.base),
                _text(each.ours),
                _text(each.theirs),
                self._choice("conflict-take", "edits", row, each.field, _SIDES),
            )
            for row, each in enumerate(self._edits[:_SHOWN])
        ]
        head = ("Where", "Field", "Last written", "Ours", "Theirs", "Take")
        title = f"Changed on both sides: decide whose value stands ({len(self._edits)})"
        return sheet(table(head, rows, caption=title), _rest(len(self._edits)))

    def _gone_html(self) -> Markup:
        if not self._gone:
            return NOTHING
        rows: list[tuple[Cell, ...]] = [
            (
                each.name,
                f"at the {each.side}",
                self._choice("gone-take", "gone", row, each.name, each.options),
            )
            for row, each in enumerate(self._gone[:_SHOWN])
        ]
        title = f"Gone from one side: decide what becomes of it ({len(self._gone)})"
        return sheet(
            table(("What", "Gone", "Then"), rows, caption=title),
            _rest(len(self._gone)),
        )

    def _choice(
        self,
        name: str,
        kind: str,
        row: int,
        about: str,
        options: tuple[tuple[str, str], ...],
    ) -> Markup:
        taken = self._taken.get((kind, row), "")
        return select(name, "", options, taken, row=str(row), about=about)


_SAID = sheet(
    note(
        "Written to decisions/conflicts.yaml. Press `Plan again` to plan by it.", "good"
    )
)


def _gone_there(plan: Plan) -> tuple[_Gone, ...]:
    return tuple(
        _Gone(
            GoneFrom.DESTINATION,
            each.name,
            f"{each.name} ({each.kind.noun(2)})",
            _AGAIN_OR_NOT if each.kind is Kind.STORY else _AGAIN,
        )
        for each in plan.gone.undecided.things
    )


def _gone_at_origin(plan: Plan) -> tuple[_Gone, ...]:
    return tuple(
        _Gone(
            GoneFrom.ORIGIN,
            row.story_record.full_slug,
            f"{row.name or row.key} ({row.story_record.full_slug})",
            _STORIES,
        )
        for row in plan.gone_at_origin
        if row.story_record is not None
    )


def _rest(count: int) -> Markup:
    return joined((more(count, _SHOWN, "; decide these first, then plan again"),))


def _text(value: Value) -> str:
    """Return a value as a person reads it: of a body its words."""
    if isinstance(value, dict) and value.get("type") == "doc":
        words = visible_text(value)
    else:
        words = value if isinstance(value, str) else short_value(value)
    return words if len(words) <= _LETTERS else f"{words[:_LETTERS]}…"
