"""Rows that a list shows: what it can be narrowed and sorted by, page by page.

Those that are made while they are shown are in a private SQLite file, listed at any
size without waiting, by one search: all words, each anywhere, without accents and case.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.ui.controls import Copied
from cmsmig.ui.query import Query, folded
from cmsmig.valid_text import valid_text

Texts: TypeAlias = Sequence[str | int]
"""The cells of a row, column by column; numbers are sorted as such. What is behind the
last column is searched in place of the cells."""
_ORDER = "rank, part, number"
_HOLDS = 'instr(char(10) || "{}" || char(10), ?)'


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
    about: str = ""
    """Its name in full, where the label alone does not say it."""


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


def _sort_key(cell: str | int) -> str | int:
    return folded(cell) if isinstance(cell, str) else cell


class Rows(Relation):
    """Rows, part by part: a part may be put in again with others.

    A cell of a column that is filtered holds its values in lines.
    """

    key = "part || '-' || number"
    """What names a row: SQL over part and number."""

    def __init__(
        self, nouns: Nouns, columns: Sequence[Column], filters: Sequence[Filter] = ()
    ) -> None:
        """`filters` are named like the columns that they count. A column that is hidden
        and not optional is only filtered by."""
        self.nouns = nouns
        self._columns = columns
        self._filters = filters
        self._names = [each.name for each in columns]
        self._written = [n for n, e in enumerate(columns) if e.optional or not e.hidden]
        self._found_words: list[str] = []
        # Without a name it is in memory, and on disk beyond a few megabytes; it goes
        # with the kernel. Panels may be served by different threads.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.create_function("folded", 1, _sort_key, deterministic=True)
        self._db.execute("PRAGMA journal_mode = OFF")
        listed = "".join(f', "{name}" NOT NULL' for name in self._names)
        # What is searched is apart: lists and counts do not read it.
        for table, more in (
            ("line", f", rank INTEGER{listed}"),
            ("searched", ", words TEXT"),
            ("found", ""),
        ):
            self._db.execute(
                f"CREATE TABLE {table} (part INTEGER, number INTEGER{more}, "
                "PRIMARY KEY (part, number)) WITHOUT ROWID"
            )

    def put(self, part: int, rows: Iterable[tuple[int, Texts]]) -> None:
        """Keep these rows of a part, with how soon each is listed, in place of those
        that it had."""
        for table in ("line", "searched"):
            self._db.execute(f"DELETE FROM {table} WHERE part = ?", (part,))
        self.add(part, rows)

    def add(self, part: int, rows: Iterable[tuple[int, Texts]]) -> None:
        """Keep more rows of a part, behind those that it has."""
        (first,) = self._db.execute(
            "SELECT coalesce(max(number) + 1, 0) FROM line WHERE part = ?", (part,)
        ).fetchone()
        for number, (rank, row) in enumerate(rows, first):
            self.put_row(part, number, rank, row)

    def put_row(self, part: int, number: int, rank: int, row: Texts) -> None:
        """Keep one row, in place of the one that it may have had."""
        width = len(self._names)
        marks = ", ".join("?" * (width + 3))
        self._db.execute(
            f"INSERT OR REPLACE INTO line VALUES ({marks})",
            (part, number, rank, *row[:width]),
        )
        searched = folded(" ".join(map(str, row[width:] or row)))
        self._db.execute(
            "INSERT OR REPLACE INTO searched VALUES (?, ?, ?)",
            (part, number, valid_text(searched)),
        )
        self._found_words = []

    def change(self, part: int, number: int, cells: Mapping[str, str | int]) -> None:
        """Change cells of a row; it is searched as before."""
        changes = ", ".join(f'"{name}" = ?' for name in cells)
        self._db.execute(
            f"UPDATE line SET {changes} WHERE (part, number) = (?, ?)",
            (*cells.values(), part, number),
        )

    def clear(self) -> None:
        """Forget all rows."""
        for table in ("line", "searched"):
            self._db.execute(f"DELETE FROM {table}")
        self._found_words = []

    def count(self, query: Query) -> int:
        """Return how many rows pass."""
        where, values = self._where(query)
        found = self._db.execute(f"SELECT count(*) FROM line {where}", values)
        return int(found.fetchone()[0])

    def keys(self, query: Query) -> list[str]:
        """Return the keys of all rows that pass, in their order."""
        return [str(key) for key, *_ in self._listed(query)]

    def all(self, query: Query) -> Iterator[tuple[str, ...]]:
        """Yield the texts of all rows that pass, in their order."""
        for _, *texts in self._listed(query, self._names):
            yield tuple(map(str, texts))

    def cell(self, column: str, text: str) -> Markup | str | Copied:
        """Return how a text is shown in a column."""
        return text

    def options(self, name: str, values: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return values of a filter, each with its label, in the order they are
        offered; here those that are listed first come first."""
        return [(each, each) for each in values]

    def columns(self, query: Query) -> Sequence[Column]:
        """Return the columns."""
        return self._columns

    def filters(self, query: Query) -> Sequence[Filter]:
        """Return the filters, with counts of what the other ones let pass."""
        return [
            Filter(e.name, e.label, query.get(e.name), self._counted(query, e), e.key)
            for e in self._filters
        ]

    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return rows from a place on."""
        count = self.count(query)
        first = max(0, min(first, (count - 1) // size * size))
        rows = []
        limit = f" LIMIT {size:d} OFFSET {first:d}"
        for key, *texts in self._listed(query, self._names, limit):
            words = [each if isinstance(each, str) else f"{each:,}" for each in texts]
            named = zip(self._names, words, strict=True)
            cells = {name: self.cell(name, text) for name, text in named}
            rows.append(Row(str(key), words[0], cells))
        return Page(rows, first, count)

    def groups(self, query: Query, column: str) -> Sequence[Group]:
        """Return the rows that pass by what they hold in a column, in their order."""
        where, values = self._where(query)
        alike = "".join(
            f', CASE WHEN min("{e}") = max("{e}") THEN min("{e}") ELSE \'\' END'
            for e in self._names
        )
        found = self._db.execute(
            f'SELECT "{column}", count(*){alike} FROM line {where} GROUP BY 1 '
            "ORDER BY min(rank), count(*) DESC, 1",
            values,
        )
        return [
            Group(str(value), count, dict(zip(self._names, cells, strict=True)))
            for value, count, *cells in found
        ]

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the key of the row `by` places behind another."""
        keys = self.keys(query)
        at = keys.index(key) + by if key in keys else -1
        return keys[at] if at in range(len(keys)) else ""

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the titles of all columns, then the rows that pass."""
        yield [self._columns[n].title for n in self._written]
        for row in self.all(query):
            yield [row[n] for n in self._written]

    def _counted(self, query: Query, each: Filter) -> list[tuple[str, str]]:
        where, values = self._where(query.without(each.name))
        found = self._db.execute(
            f'SELECT "{each.name}", count(*), min(rank * 1000000 + part) FROM line '
            f"{where} GROUP BY 1 ORDER BY 3, 1",
            values,
        )
        counts: Counter[str] = Counter()
        for text, number, _ in found:
            for value in filter(None, str(text).split("\n")):
                counts[value] += number
        if chosen := query.get(each.name):
            counts.setdefault(chosen, 0)
        listed = self.options(each.name, list(counts))
        return [("all", ""), *((f"{t} ({counts[v]:,})", v) for t, v in listed)]

    def _listed(
        self, query: Query, names: Sequence[str] = (), limit: str = ""
    ) -> sqlite3.Cursor:
        where, values = self._where(query)
        order = _ORDER
        if query.sort in self._names:
            way = "DESC" if query.descending else "ASC"
            order = f'folded("{query.sort}") {way}, {_ORDER}'
        listed = "".join(f', "{name}"' for name in names)
        return self._db.execute(
            f"SELECT {self.key}{listed} FROM line {where} ORDER BY {order}{limit}",
            values,
        )

    def _where(self, query: Query) -> tuple[str, tuple[str, ...]]:
        pairs = [each for each in query.filters if each[0] in self._names]
        tests = ["1", *(_HOLDS.format(name) for name, _ in pairs)]
        if words := [valid_text(each) for each in query.words]:
            self._find(words)
            tests.append("(part, number) IN found")
        values = tuple(f"\n{value}\n" for _, value in pairs)
        return f"WHERE {' AND '.join(tests)}", values

    def _find(self, words: list[str]) -> None:
        """Look up which rows hold all words; a list asks several times for the same."""
        if words == self._found_words:
            return
        tests = " AND ".join("instr(words, ?)" for _ in words)
        self._db.execute("DELETE FROM found")
        self._db.execute(
            f"INSERT INTO found SELECT part, number FROM searched WHERE {tests}", words
        )
        self._found_words = words
