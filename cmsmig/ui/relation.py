"""What a list shows, and what it asks for: columns, filters, rows, page by page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.ui.controls import Copied
from cmsmig.ui.query import Query


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list."""

    name: str
    title: str
    most_first: bool = False
    """Whether a first sort has the newest or the largest first."""
    optional: bool = False
    """Whether it can be hidden and shown."""
    hidden: bool = False
    """Whether it is hidden at first."""
    css: str = ""
    """The class of its cells: `whole` for what stays on its line, `number`."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a list can be narrowed by."""

    name: str
    label: str
    value: str
    options: Sequence[tuple[str, str]] | None = None
    """(label with its count, value) each; None: a text is typed."""
    key: str = ""
    """The key that goes to it."""
    hint: str = ""
    row: int = 0
    """The line of controls that it is in."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a list."""

    key: str
    title: str
    """What the row is called."""
    cells: Mapping[str, Markup | str | Copied]
    """By column; a text is searched and marked, HTML stays as it is."""
    picture: str = ""
    """What is before its title."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the wanted rows, and how many there are."""

    rows: Sequence[Row]
    first: int
    """The place of the first one, from 0."""
    count: int

    @property
    def end(self) -> int:
        """Return the place behind the last row."""
        return self.first + len(self.rows)


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that hold the same in one column."""

    value: str
    count: int
    cells: Mapping[str, str]
    """By column, what all of them hold alike; empty where they differ."""


@dataclass(frozen=True, slots=True)
class Nouns:
    """What the rows of a list are called, and what is said where there are none."""

    one: str
    many: str
    none: str = ""
    """Said when there is nothing at all."""

    def counted(self, count: int) -> str:
        """Return a number of rows in words."""
        return counted(count, self.one, self.many)


class Relation(ABC):
    """Rows, and what a list asks about them."""

    nouns: Nouns

    @abstractmethod
    def columns(self, query: Query) -> Sequence[Column]:
        """Return all columns that can be shown, in their order; the first opens."""

    @abstractmethod
    def filters(self, query: Query) -> Sequence[Filter]:
        """Return what the rows can be narrowed by, with counts."""

    @abstractmethod
    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return up to `size` rows from a place on, with the cells of these columns;
        the last ones for a place behind the end."""

    @abstractmethod
    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the head and the lines of the wanted rows."""

    def groups(self, query: Query, column: str) -> Sequence[Group]:
        """Return the wanted rows by what they hold in a column; none where rows are not
        grouped."""
        return ()

    def file(self, query: Query) -> str:
        """Return the name of a CSV file of these rows, without its ending."""
        return self.nouns.many

    def narrowed(self, query: Query, name: str, value: str) -> Query:
        """Return a query with another value of a filter. Raises `UsageError`."""
        return query.having(name, value)

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the key of the row `by` places behind another; empty: none."""
        return ""

    def explained(self, query: Query) -> Markup:
        """Return what is said above the rows of this query."""
        return Markup("")


@dataclass(frozen=True, slots=True)
class Source:
    """What a list shows, and where its CSV files go."""

    relation: Relation
    folder: Path
    dry_run: bool = False
