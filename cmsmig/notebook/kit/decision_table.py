"""Lists whose rows are decided in place, alone or together."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.decision_files import (
    FILE_NAMES,
    D,
    from_text,
    to_text,
)
from cmsmig.notebook.kit.decision_history import DecisionHistory
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.steps.decide.decision_store import change_decision
from cmsmig.ui.controls import bar, words
from cmsmig.ui.relation import Row
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import action

DECISION = "decision"
"""The column in which rows are decided."""
UNDO = "undo"
"""Restores what was decided before the last choice: another decision, or none."""


class DecisionTable(TableView, Generic[D]):
    """A list whose rows are decided in place, alone or together; written at once."""

    says_last = True  # a message above the rows would move them under the mouse
    follows = ""
    """What follows a decision, in a sentence."""
    order: Sequence[str] = ()
    """The options, as their buttons for all are side by side."""
    deletion = ""
    """The option that deletes stories; its button for all has their number, below the
    others."""

    def __init__(self, workspace: Workspace, rows: Rows, kind: type[D]) -> None:
        super().__init__(workspace.list_source(rows))
        self.workspace, self.rows = workspace, rows
        self._kind: type[D] = kind
        self._asks = False
        """Whether it asks whether to delete."""
        self._history = DecisionHistory(workspace.project, FILE_NAMES[kind])

    @abstractmethod
    def load(self) -> None:
        """List the rows, with what is decided now."""

    @abstractmethod
    def options(self, key: str) -> Collection[str]:
        """Return what can be decided about a row, as buttons say it."""

    @abstractmethod
    def taken(self, key: str) -> str:
        """Return what is decided about a row; empty: nothing."""

    @abstractmethod
    def with_taken(self, now: D, taken: Mapping[str, str], how: str) -> D:
        """Return the decisions with these, by the key of their row."""

    @abstractmethod
    def place(self, key: str) -> tuple[str, ...]:
        """Return what a row's decision is about, as it stays when rows move."""

    @abstractmethod
    def filed(self, now: D, key: str) -> tuple[Any, ...]:
        """Return what the file decides about a row."""

    @abstractmethod
    def with_filed(self, now: D, key: str, filed: tuple[Any, ...]) -> D:
        """Return the decisions with just these about a row."""

    def in_bulk(self, key: str) -> Sequence[str]:
        """Return what can be decided about a row together with others; one that is
        decided keeps that until it is undone."""
        return (UNDO,) if self.taken(key) else [*self.options(key)]

    @action("decide")
    def decide(self, sent: str) -> None:
        """Decide about one row."""
        key, _, option = sent.partition("=")
        self.take({key: option}, INDIVIDUALLY)

    @action("all")
    def decide_all(self, option: str) -> None:
        """Decide about all rows that are listed and offer this."""
        self._asks = False
        keys = self.rows.keys(self.at.query)
        self.take({e: option for e in keys if option in self.in_bulk(e)}, IN_BULK)

    def take(self, taken: Mapping[str, str], how: str) -> None:
        """Take these decisions, by the key of their row; or restore those before."""
        said = f"{counted(len(taken), 'decision')} written to"
        new = {key: option for key, option in taken.items() if option != UNDO}
        places = {key: self.place(key) for key in taken}
        undone = taken.keys() - new.keys()
        before: list[str] = []

        def change(now: D) -> D:
            before.append(to_text(now))
            for key in undone:
                now = self.with_filed(now, key, self._earlier(places[key], key))
            return self.with_taken(now, new, how)

        self.change(change, said)
        self.workspace.news.decided += len(taken)
        self._history.keep(
            before[0], (places[key] for key in new), (places[key] for key in undone)
        )

    def _earlier(self, place: tuple[str, ...], key: str) -> tuple[Any, ...]:
        """Return what the file decided about a row before the last choice about it."""
        text = self._history.before(place)
        if text is None:
            return ()
        return self.filed(from_text(text, FILE_NAMES[self._kind], self._kind), key)

    def change(self, change: Callable[[D], D], said: str) -> None:
        """Change the decisions, and list what follows."""
        if self.source.dry_run:
            raise UsageError("This is a dry run: no decision is written.")
        change_decision(self.workspace.project, self._kind, change)
        self.load()
        self.show()
        file = f"decisions/{FILE_NAMES[self._kind]}"
        self.say(f"{said} {file}. {self.follows}".strip(), "good")

    def bars(self) -> list[Markup]:
        """Return what narrows the list, and what decides about all of it."""
        keys = self.rows.keys(self.at.query)
        options = Counter(each for key in keys for each in self.in_bulk(key))
        if self.source.dry_run or self.at.opened or not options:
            return super().bars()
        deleted = options.pop(self.deletion, 0)
        known = [each for each in self.order if each in options]
        listed = [*known, *(each for each in options if each not in known)]
        buttons = (
            self.act("all", f"{o}: {options[o]:,}", value=o, row=str(n))
            for n, o in enumerate(listed)
        )
        bars = [*super().bars(), bar(words("All that are listed:"), *buttons)]
        if deleted:
            label = f"Delete {counted(deleted, 'story', 'stories')}"
            bars.append(bar(*self._deleting(label)))
        return bars

    def _deleting(self, label: str) -> list[Markup]:
        """Return the button that deletes, or what it asks first."""
        if not self._asks:
            return [self.act("ask", label, value="yes")]
        sure = self.act("all", f"Yes: {label}", value=self.deletion, row="delete")
        return [
            words("The next import deletes them in the space."),
            sure,
            self.act("ask", "No"),
        ]

    @action("ask")
    def ask(self, value: str) -> None:
        """Ask whether to delete, or leave it."""
        self._asks = bool(value)
        self.show()

    def control(self, row: Row, column: str) -> Markup:
        """Return the buttons of a row, in the column of decisions."""
        if column != DECISION or self.source.dry_run:
            return super().control(row, column)
        return self.buttons(row.key, row.title)

    def buttons(self, key: str, title: str) -> Markup:
        """Return what decides about a row; what is decided is marked."""
        now = self.taken(key)
        buttons = [
            self.act(
                "decide",
                f"✓ {option}" if option == now else option,
                value=f"{key}={option}",
                row=f"{key}-{number}",
                about=f"{option}: {title}",
                main=option == now,
            )
            for number, option in enumerate(self._offered(key))
        ]
        return bar(*buttons)

    def _offered(self, key: str) -> list[str]:
        options = list(self.options(key))
        if self.taken(key):
            options.append(UNDO)
        return options


def number_of(key: str) -> int:
    """Return the place of a row in the order in which it was put in."""
    return int(key.rpartition("-")[2])
