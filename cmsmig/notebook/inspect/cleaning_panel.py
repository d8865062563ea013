"""Notebook 01: what may be cleaned while it moves, each operation with a preview of
every change before anyone decides."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.mapping.cleaning.cleaner import Edit
from cmsmig.mapping.decisions.cleaning import (
    CleaningDecision,
    CleaningKind,
    Operation,
    Within,
)
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.notebook.inspect.explorer import site_scan
from cmsmig.notebook.kit.decision_files import known_reviewer, pulled
from cmsmig.notebook.kit.decision_table import DECISION, UNDO, DecisionTable, number_of
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.steps.decide.cleaning import (
    OperationCount,
    count_operations,
)
from cmsmig.steps.decide.decision_store import decision_in, stamp_review
from cmsmig.survey.cleaning_proposals import (
    alternatives,
    proposals,
    propose_operations,
)
from cmsmig.ui.html.safe_html import escape, note, sheet, table
from cmsmig.ui.html.word_marks import side_by_side
from cmsmig.ui.relation import Column, Filter, Nouns
from cmsmig.ui.rows import Rows

_NOUNS = Nouns("operation", "operations", "Nothing to clean was found so far.")
_COLUMNS = (
    Column("title", "What changes"),
    Column("where", "Where"),
    Column("items", "Items", most_first=True, css="number"),
    Column("places", "Places", most_first=True, css="number"),
    Column(DECISION, "Decision"),
    Column("by", "Decided by"),
    Column("kind", "Kind", hidden=True),
    Column("state", "State", hidden=True),
)
_FILTERS = (Filter("kind", "Kind", ""), Filter("state", "State", ""))
_ACCEPT, _REFUSE = "accept", "refuse"
_PREVIEWED = 300
"""Changes of one operation that are shown."""


class CleaningTable(DecisionTable[CleaningDecision]):
    """The operations of `cleaning.yaml`, and those that are proposed."""

    prefix = "clean"
    label = "Clean while it moves"
    opens = True
    follows = "The next import uses it; what was read stays as it is."

    def __init__(self, workspace: Workspace) -> None:
        rows = Rows(_NOUNS, _COLUMNS, _FILTERS)
        super().__init__(workspace, rows, CleaningDecision)
        self._scan = site_scan(workspace)
        self._origin = pulled(workspace)
        self._proposed: list[Operation] = []
        self._operations: list[Operation] = []
        self._counts: dict[str, OperationCount] = {}
        """By the fingerprint of what an operation does."""

    def opened(self) -> None:
        """Find the proposals in the background."""
        self.queue.start(self._find)

    async def _find(self) -> None:
        self.progress = "Proposals follow when all items are looked through."
        await self._scan.run()
        catalogue, project = self._scan.catalogue, self.workspace.project
        self._proposed = [*propose_operations(catalogue)]
        if not self.workspace.dry_run:
            self._proposed = proposals(project, catalogue)
        self.progress = "Counting what each operation changes."
        self.renew()
        await asyncio.to_thread(self._count)
        self.progress = ""
        self.load()
        self.renew()

    def _count(self) -> None:
        now = decision_in(self.workspace.project, CleaningDecision)
        now = now or CleaningDecision()
        known = {each.subject for each in now.operations}
        fresh = (each for each in self._proposed if each.subject not in known)
        self._operations = [*now.operations, *fresh]
        if {e.effect for e in self._operations} - self._counts.keys():
            decision = replace(now, operations=tuple(self._operations))
            check_against(decision, self._origin.collections)
            counts = count_operations(self._origin, decision)
            self._counts = {each.operation.effect: each for each in counts}

    def load(self) -> None:
        """List the operations with what is decided about them now."""
        self._count()
        self.rows.put(0, map(self._row, self._operations))

    def _row(self, operation: Operation) -> tuple[int, Sequence[str | int]]:
        count, by = self._counts[operation.effect], operation.reviewed
        where = (*operation.collections, *operation.fields, *operation.locales)
        cells = (
            operation.title,
            ", ".join((*where, operation.search)).strip(", ") or "everywhere",
            *(len(count.items), count.places),
            *(operation.state, f"{by.by}, {by.at[:10]}".strip(", ") if by else ""),
            *(operation.kind.replace("_", " "), operation.state),
        )
        return 0, cells

    def options(self, key: str) -> Collection[str]:
        """Return what can be decided; once it is opened, also to change it first."""
        return (_ACCEPT, *(self._others(key) if self.at.opened else ()), _REFUSE)

    def _others(self, key: str) -> dict[str, Operation]:
        """Return what else an operation could do in its place, by what it does."""
        others = alternatives(self._at(key), self._scan.catalogue.site)
        return {_chosen(each): each for each in others}

    def in_bulk(self, key: str) -> Sequence[str]:
        """Return what can be decided about all that are listed."""
        return (UNDO,) if self.taken(key) else (_ACCEPT, _REFUSE)

    def taken(self, key: str) -> str:
        """Return what is decided about an operation."""
        states = {"accepted": _ACCEPT, "refused": _REFUSE}
        return states.get(self._at(key).state, "")

    def with_taken(
        self, now: CleaningDecision, taken: Mapping[str, str], how: str
    ) -> CleaningDecision:
        """Return the decision with these operations accepted or refused."""
        reviewed = stamp_review(known_reviewer(self.workspace), how)
        for key, option in taken.items():
            operation = self._others(key).get(option, self._at(key))
            refused = option == _REFUSE
            decided = replace(operation, refused=refused, reviewed=reviewed)
            now = self.with_filed(now, key, (decided,))
        return now

    def place(self, key: str) -> tuple[str, ...]:
        """Return what an operation is about, whatever its result."""
        return (self._at(key).subject,)

    def filed(self, now: CleaningDecision, key: str) -> tuple[Operation, ...]:
        """Return the operation as the file has it."""
        about = self._at(key).subject
        return tuple(each for each in now.operations if each.subject == about)

    def with_filed(
        self, now: CleaningDecision, key: str, filed: tuple[Operation, ...]
    ) -> CleaningDecision:
        """Return the decision with just this in the place of an operation."""
        about, operations = self._at(key).subject, [*now.operations]
        places = [n for n, each in enumerate(operations) if each.subject == about]
        first = places[0] if places else len(operations)
        operations[first : first + len(places)] = filed
        return replace(now, operations=tuple(operations))

    def name_of(self, key: str) -> str:
        """Return what an operation does."""
        return self._at(key).title

    def detail(self, key: str) -> Markup:
        """Return every change of an operation, what differs marked."""
        count = self._counts[self._at(key).effect]
        rows = [
            (item.name or item.slug, edit.field.display_name, *sides)
            for item, edit in count.changes()
            for sides in _sides(edit)
        ]
        buttons = "" if self.source.dry_run else self.buttons(key, self.name_of(key))
        shown = f"{len(rows):,} changes" + (
            f", of which the first {_PREVIEWED} are shown"
            if len(rows) > _PREVIEWED
            else ""
        )
        head = ("Item", "Field", "Before", "After")
        return Markup(buttons) + sheet(table(head, rows[:_PREVIEWED], caption=shown))

    def html(self, *, live: bool) -> Markup:
        """Return the list; unattended, of what the file has."""
        if live:
            return super().html(live=live)
        self.load()
        if not self._operations:
            return sheet(note("Nothing is cleaned: no operation was decided."))
        return sheet(super().html(live=live))

    def _at(self, key: str) -> Operation:
        return self._operations[number_of(key)]


def _chosen(operation: Operation) -> str:
    """Return what is chosen for an operation."""
    if operation.kind is CleaningKind.MERGE_VALUES:
        return f"all become “{operation.to}”"
    if operation.within is Within.LINKS:
        return f"links lead to {operation.to.removeprefix('//')}"
    return operation.title


def _sides(edit: Edit) -> list[tuple[Markup, Markup]]:
    pairs = (side_by_side(escape(old), [escape(new)]) for old, new in edit.parts)
    return [(each.left, each.right[0]) for each in pairs]
