"""Notebook 07: where each address of the old site leads, decided in the list itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.evidence.address_doc import redirects_doc
from cmsmig.evidence.old_addresses import FOLDER, decided_redirects
from cmsmig.mapping.decisions.body_reviews import INDIVIDUALLY
from cmsmig.mapping.decisions.redirects import (
    RedirectAction,
    RedirectChoice,
    RedirectsDecision,
)
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.mapping.redirects.address_map import AddressMap, AddressOutcome, AddressRow
from cmsmig.mapping.redirects.redirect_proposals import propose_redirects
from cmsmig.notebook.handover import Handover
from cmsmig.notebook.kit.decision_files import known_reviewer
from cmsmig.notebook.kit.decision_table import DECISION, UNDO, DecisionTable, number_of
from cmsmig.steps.decide.decision_store import stamp_review
from cmsmig.ui.controls import Copied, bar, ident, text
from cmsmig.ui.doc import Note, Part, Text
from cmsmig.ui.html.safe_html import doc_sheet, site_link
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Row
from cmsmig.ui.rows import Rows
from cmsmig.ui.view import action

_COLUMNS = (
    Column("old", "Old address"),
    Column("outcome", "Outcome", css="whole"),
    Column("new", "New address"),
    Column(DECISION, "Decision"),
    Column("why", "Why"),
    Column("name", "Item"),
    Column("source", "Known from", css="whole"),
)
_NOUNS = Nouns("address", "addresses", "No address of the old site is known.")
_FILTERS = (Filter("outcome", "Outcome", ""), Filter("source", "Known from", ""))
_ORDER = (
    AddressOutcome.WAITING,
    AddressOutcome.MOVED,
    AddressOutcome.GONE,
    AddressOutcome.UNCHANGED,
)
"""What waits comes first."""
_PROPOSED, _MOVE = "as proposed", "lead to …"
_LABELS = {
    RedirectAction.MOVE: _MOVE,
    RedirectAction.KEEP: "keep: a page is there",
    RedirectAction.GONE: "gone (410)",
}
_ACTIONS = {label: action for action, label in _LABELS.items()}


class _AddressRows(Rows):
    def file(self, query: Query) -> str:
        return "old-addresses"


def planned_redirects_doc(handover: Handover, found: AddressMap) -> Iterator[Part]:
    """Yield where each old address leads."""
    yield from redirects_doc(found, handover.pages.site)
    if handover.missing:
        yield Note("As planned: no story was created yet.")


class AddressView(DecisionTable[RedirectsDecision]):
    """The addresses, and a decision for each or for all that are listed."""

    prefix = "redirects"
    label = title = "Addresses of the old site"

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._asked = ""
        """The row whose target is being asked for."""
        self._target = ""
        """Where an address is to lead."""
        rows = _AddressRows(_NOUNS, _COLUMNS, _FILTERS)
        super().__init__(handover.workspace, rows, RedirectsDecision)
        self.load()
        handover.on_checked(self._reload)

    @action("write", "Write the redirects", main=True)
    def write(self, _: str) -> None:
        """Write the map and the files of hosts."""
        written = self._handover.write_redirects()
        folder = self._handover.folder / FOLDER
        self.say(f"{counted(len(written), 'file')} written to {folder}.", "good")

    def decide(self, sent: str) -> None:
        """Decide about one address; ask for a target first where one is needed."""
        key, _, option = sent.partition("=")
        if option == _MOVE:
            self._asked = key
            self.show(focus=ident(self.named("target"), key))
        else:
            super().decide(sent)

    @action("target")
    def lead(self, sent: str) -> None:
        """Let one address lead to a target; without one it leads to none any more."""
        key, _, to = sent.partition("=")
        self._target = to.strip()
        if self._target:
            self.take({key: _MOVE}, INDIVIDUALLY)
        elif self.taken(key) == _MOVE:
            self.take({key: UNDO}, INDIVIDUALLY)
        else:
            self.load()
            self.show()

    @action("host")
    def name_host(self, value: str) -> None:
        """Put the address of the new site before each new path."""
        host = value.strip().rstrip("/")
        self.change(lambda now: replace(now, host=host), "Written to")

    def above(self) -> Markup:
        """Return how many addresses move, and what is wrong with the map."""
        return self._about

    def bars(self) -> list[Markup]:
        """Return what narrows the list, decides about all of it, and writes."""
        if self.source.dry_run:
            return super().bars()
        name, hint = self.named("host"), "https://www.example.com"
        host = text(name, "New site", self._decided.host, hint=hint)
        return [*super().bars(), bar(host, self.act("write"))]

    def held(self, row: Row, column: str) -> str | Markup | Copied:
        """Return a path as a link, everything else as every list does."""
        address = self._at(row.key)
        if column == "new" and address.new.startswith("/"):
            return site_link(self._map.host, f"{address.new}{address.tail}")
        if column == "old":
            return site_link(self._handover.pages.site, address.old)
        return super().held(row, column)

    def buttons(self, key: str, title: str) -> Markup:
        """Return what decides about an address, and the field for its target."""
        made = super().buttons(key, title)
        if key != self._asked and self.taken(key) != _MOVE:
            return made
        found = self._choices.get(self._at(key).old)
        to, about = found.to if found else "", f"Where {title} leads"
        name = self.named("target")
        return made + text(name, "", to, row=key, about=about, hint="/path")

    def options(self, key: str) -> Sequence[str]:
        """Return what can be decided about an address, where it has an effect."""
        row = self._at(key)
        if row.outcome is AddressOutcome.UNCHANGED and row.old not in self._choices:
            return ()
        return (*((_PROPOSED,) if row.old in self._proposed else ()), *_ACTIONS)

    def in_bulk(self, key: str) -> Sequence[str]:
        """Return what can be decided with others about what waits, or was decided."""
        row = self._at(key)
        if row.outcome is not AddressOutcome.WAITING and row.old not in self._choices:
            return ()
        return [each for each in super().in_bulk(key) if each != _MOVE]

    def taken(self, key: str) -> str:
        """Return what is decided about an address."""
        found = self._choices.get(self._at(key).old)
        return _LABELS[found.action] if found else ""

    def with_taken(
        self, now: RedirectsDecision, taken: Mapping[str, str], how: str
    ) -> RedirectsDecision:
        """Return the decisions with these, signed."""
        name = known_reviewer(self.workspace)
        review = stamp_review(name, how) if name else None
        kept = {each.old: each for each in now.addresses}
        for key, option in taken.items():
            old, to = self._at(key).old, self._target if option == _MOVE else ""
            kept.pop(old, None)
            if option == _PROPOSED:
                kept[old] = replace(self._proposed[old], reviewed=review)
            elif option in _ACTIONS:
                action = _ACTIONS[option]
                choice = RedirectChoice(old=old, action=action, to=to, reviewed=review)
                kept[old] = choice
        return replace(now, addresses=tuple(kept.values()))

    def place(self, key: str) -> tuple[str, ...]:
        """Return the address that a row is about."""
        return (str(FOLDER), self._at(key).old)

    def filed(self, now: RedirectsDecision, key: str) -> tuple[RedirectChoice, ...]:
        """Return what the file decides about an address."""
        old = self._at(key).old
        return tuple(each for each in now.addresses if each.old == old)

    def with_filed(
        self, now: RedirectsDecision, key: str, filed: tuple[RedirectChoice, ...]
    ) -> RedirectsDecision:
        """Return the decisions with just these about an address."""
        old = self._at(key).old
        others = (each for each in now.addresses if each.old != old)
        return replace(now, addresses=(*others, *filed))

    def change(
        self, change: Callable[[RedirectsDecision], RedirectsDecision], said: str
    ) -> None:
        """Change the decisions, unless one cannot be. Raises `DecisionsError`."""

        def checked(now: RedirectsDecision) -> RedirectsDecision:
            check_against(changed := change(now), ())
            return changed

        super().change(checked, said)

    def load(self) -> None:
        """List the addresses with what is decided about them now."""
        self._asked = ""
        self._map = self._handover.redirects()
        self._decided = decided_redirects(self.workspace.project)
        self._choices = {each.old: each for each in self._decided.addresses}
        self._proposed = {each.old: each for each in propose_redirects(self._map)}
        self.rows.put(0, map(self._line, self._map.rows))
        parts = planned_redirects_doc(self._handover, self._map)
        about = (each for each in parts if isinstance(each, Text | Note))
        self._about = doc_sheet(*about)

    def _reload(self) -> None:
        self.load()
        self.renew()

    def _line(self, row: AddressRow) -> tuple[int, tuple[str, ...]]:
        choice = self._choices.get(row.old)
        decided = _LABELS[choice.action] if choice else ""
        end = (row.why, row.name, row.sources[0])
        new = f"{row.new}{row.tail}"
        return _ORDER.index(row.outcome), (row.old, row.outcome, new, decided, *end)

    def _at(self, key: str) -> AddressRow:
        return self._map.rows[number_of(key)]
