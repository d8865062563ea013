"""Notebook 07: where each address of the old site leads. What waits is decided in the
list itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import UsageError
from cmsmig.evidence.addresses import FOLDER, decided_redirects
from cmsmig.evidence.report import redirects_doc
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.decisions.redirects import (
    RedirectAction,
    RedirectChoice,
    RedirectsDecision,
)
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.mapping.redirects.address_map import AddressMap, AddressRow, Outcome
from cmsmig.mapping.redirects.redirect_proposals import propose_redirects
from cmsmig.notebook.handover import Handover
from cmsmig.notebook.kit.decision_files import known_reviewer
from cmsmig.steps.decide.decision_store import change_decision, stamp_review
from cmsmig.ui.controls import Copied, bar, ident, select, text
from cmsmig.ui.doc import Note, Part, Text
from cmsmig.ui.html.safe_html import doc_sheet, joined, site_link
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Row, Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

_FILE = f"decisions/{FILE_NAMES[RedirectsDecision]}"
_DECISION = "decision"
_COLUMNS = (
    Column("old", "Old address"),
    Column("outcome", "Outcome", css="whole"),
    Column("new", "New address"),
    Column(_DECISION, "Decision"),
    Column("why", "Why"),
    Column("name", "Item"),
    Column("source", "Known from", css="whole"),
)
_ORDER = (Outcome.WAITING, Outcome.MOVED, Outcome.GONE, Outcome.UNCHANGED)
"""What waits comes first."""
_OPEN, _AS_FOUND = ("not decided", ""), ("as it is", "")
_GONE = ("gone (410)", str(RedirectAction.GONE))
_KEEP = ("keep: a page is there", str(RedirectAction.KEEP))
_MOVE = ("lead to …", str(RedirectAction.MOVE))
_PROPOSED = ("as proposed", "proposed")


class AddressRows(Rows):
    """Old addresses with their outcomes."""

    def __init__(self, site: str) -> None:
        """`site` is the address that old paths are below."""
        filters = (Filter("outcome", "Outcome", ""), Filter("source", "Known from", ""))
        nouns = Nouns("address", "addresses", "No address of the old site is known.")
        super().__init__(nouns, _COLUMNS, filters)
        self._site = site
        self._new_site = ""

    def load(self, found: AddressMap, decided: RedirectsDecision) -> None:
        """List these addresses instead."""
        self._new_site = found.host
        actions = {each.old: str(each.action) for each in decided.addresses}
        self.put(
            0,
            (
                (_ORDER.index(row.outcome), _texts(row, actions.get(row.old, "")))
                for row in found.rows
            ),
        )

    def cell(self, column: str, text: str) -> Markup | str:
        """Return a path as a link, everything else as it is."""
        if column == "new" and text.startswith("/"):
            return site_link(self._new_site, text)
        return site_link(self._site, text) if column == "old" else text

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "old-addresses"


def planned_redirects_doc(handover: Handover, found: AddressMap) -> Iterator[Part]:
    """Yield where each old address leads."""
    yield from redirects_doc(found, handover.pages.site)
    if handover.missing:
        yield Note("As planned: no story was created yet.")


def _texts(row: AddressRow, decided: str) -> tuple[str, ...]:
    end = (row.why, row.name, row.sources[0])
    return row.old, row.outcome, f"{row.new}{row.tail}", decided, *end


class AddressView(TableView):
    """The addresses, and a decision for each or for all that are listed.

    Each decision is written at once.
    """

    prefix = "redirects"
    label = title = "Addresses of the old site"

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._workspace = handover.workspace
        self._rows = AddressRows(handover.pages.site)
        self._asked = ""
        """The address whose target is being asked for."""
        super().__init__(self._workspace.list_source(self._rows))
        self._load()
        handover.on_checked(self._reload)

    @action("write", "Write the redirects", main=True)
    def write(self, _: str) -> None:
        """Write the map and the files of hosts."""
        written = self._handover.write_redirects()
        folder = self._handover.folder / FOLDER
        self.say(f"{counted(len(written), 'file')} written to {folder}.", "good")

    @action("decide")
    def decide(self, sent: str) -> None:
        """Decide about one address; ask for a target first where one is needed."""
        key, _, value = sent.partition("=")
        old = self._at(key).old
        if value == RedirectAction.MOVE:
            self._asked = old
            self.show(focus=ident(self.named("target"), key))
        else:
            self._take({old: self._choice(old, value)})

    @action("target")
    def lead(self, sent: str) -> None:
        """Let one address lead to a target; without one nothing is decided."""
        key, _, to = sent.partition("=")
        old = self._at(key).old
        value = RedirectAction.MOVE if to.strip() else ""
        self._take({old: self._choice(old, value, to.strip())})

    @action("all", "Decide for all listed")
    def decide_all(self, sent: str) -> None:
        """Decide about all that are listed and wait, or were decided before."""
        value = sent.removeprefix("=")
        waiting = {row.old for row in self._map.rows if row.outcome is Outcome.WAITING}
        listed = [row[0] for row in self._rows.all(self.at.query)]
        olds = [old for old in listed if old in waiting or old in self._choices]
        if value != _PROPOSED[1]:
            self._take({old: self._choice(old, value, how=IN_BULK) for old in olds})
            return
        proposed = {each.old: each for each in propose_redirects(self._map)}
        found = (proposed[old] for old in olds if old in proposed)
        review = self._review(IN_BULK)
        self._take({each.old: replace(each, reviewed=review) for each in found})

    @action("host")
    def name_host(self, value: str) -> None:
        """Put the address of the new site before each new path."""
        self._change(lambda now: replace(now, host=value.strip().rstrip("/")))
        self.say(f"Written to {_FILE}.", "good")

    def above(self) -> Markup:
        """Return how many addresses move, and what is wrong with the map."""
        return self._about

    def bars(self) -> list[Markup]:
        """Return what narrows the list, decides about all of it, and writes."""
        if self._workspace.dry_run:
            return super().bars()
        name, choice = self.named("host"), self.named("choice")
        options = (_PROPOSED, _KEEP, _GONE, _OPEN)
        decides = select(
            choice, "All that are listed", options, "proposed", sends=False
        )
        host = text(
            name, "New site", self._decided.host, hint="https://www.example.com"
        )
        writes = bar(host, self.act("write"))
        return [
            *super().bars(),
            bar(decides, self.act("all", source=ident(choice))),
            writes,
        ]

    def held(self, row: Row, column: str) -> str | Markup | Copied:
        """Return what a row holds; in the column of decisions, a control."""
        address = self._at(row.key)
        if column != _DECISION or not self._can_decide(address):
            return super().held(row, column)
        found = self._choices.get(address.old)
        value = str(found.action) if found else ""
        if address.old == self._asked:
            value = _MOVE[1]
        about, name = f"Decision about {address.old}", self.named("decide")
        waits = found or address.outcome is Outcome.WAITING
        options = (_OPEN if waits else _AS_FOUND, _MOVE, _KEEP, _GONE)
        parts = [select(name, "", options, value, row=row.key, about=about)]
        if value == _MOVE[1]:
            about, name = f"Where {address.old} leads", self.named("target")
            to = found.to if found else ""
            parts.append(text(name, "", to, row=row.key, about=about, hint="/path"))
        return joined(parts)

    def _can_decide(self, row: AddressRow) -> bool:
        """Return whether a decision about an address has an effect."""
        open_ = row.outcome is not Outcome.UNCHANGED or row.old in self._choices
        return open_ and not self._workspace.dry_run

    def _at(self, key: str) -> AddressRow:
        return self._map.rows[int(key.rpartition("-")[2])]

    def _choice(
        self, old: str, value: str, to: str = "", how: str = INDIVIDUALLY
    ) -> RedirectChoice | None:
        if not value:
            return None
        action = RedirectAction(value)
        return RedirectChoice(old=old, action=action, to=to, reviewed=self._review(how))

    def _review(self, how: str) -> Reviewed | None:
        name = known_reviewer(self._workspace)
        return stamp_review(name, how) if name else None

    def _take(self, choices: Mapping[str, RedirectChoice | None]) -> None:
        """Write these choices, None: no decision."""

        def change(now: RedirectsDecision) -> RedirectsDecision:
            kept = {**{each.old: each for each in now.addresses}, **choices}
            return replace(now, addresses=tuple(filter(None, kept.values())))

        self._change(change)
        self.say(f"{counted(len(choices), 'decision')} written to {_FILE}.", "good")

    def _change(self, change: Callable[[RedirectsDecision], RedirectsDecision]) -> None:
        """Change the decisions, and list what follows. Raises `DecisionsError`."""
        if self._workspace.dry_run:
            raise UsageError("This is a dry run: no decision is written.")

        def checked(now: RedirectsDecision) -> RedirectsDecision:
            check_against(changed := change(now), ())
            return changed

        change_decision(self._workspace.project, RedirectsDecision, checked)
        self._asked = ""
        self._load()
        self.show()

    def _load(self) -> None:
        self._map = self._handover.redirects()
        self._decided = decided_redirects(self._workspace.project)
        self._choices = {each.old: each for each in self._decided.addresses}
        self._rows.load(self._map, self._decided)
        parts = planned_redirects_doc(self._handover, self._map)
        about = (each for each in parts if isinstance(each, Text | Note))
        self._about = doc_sheet(*about)

    def _reload(self) -> None:
        self._load()
        self.renew()
