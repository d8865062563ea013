"""Rows in SQLite: one search, one way to narrow, count, sort and page, in every list.

A search finds the rows that hold all words, each anywhere, without accents and case.
"""

from __future__ import annotations

import json
import sqlite3
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from markupsafe import Markup

from cmsmig.ui.controls import Copied
from cmsmig.ui.query import Query, folded
from cmsmig.ui.relation import Column, Filter, Group, Nouns, Page, Relation, Row
from cmsmig.valid_text import valid_text

Value: TypeAlias = str | int | float | None
"""A value in a condition."""
Condition: TypeAlias = tuple[str, tuple[Value, ...]]
"""SQL, and its values."""
Texts: TypeAlias = Sequence[str | int]
"""The cells of a row, column by column; numbers are sorted as such. What is behind the
last column is searched in place of the cells."""
_ORDER = "rank, part, number"
_HOLDS = "instr(char(10) || {} || char(10), ?)"


class SqlRelation(Relation):
    """Rows of a table.

    A column that is filtered holds its values in lines, or they are in another table.
    """

    table: str
    """What rows are selected from."""
    key: str
    """What names a row: SQL."""
    texts: str
    """Selects `key` and `text`: what rows are found by, folded, whole or in parts."""

    def __init__(self) -> None:
        self._found: tuple[object, str] = (None, "")
        """The keys of the rows that hold all words, and what they were found for."""

    @abstractmethod
    def select(self, sql: str, values: Iterable[Value] = ()) -> list[tuple[Any, ...]]:
        """Return what a query selects."""

    @abstractmethod
    def version(self) -> object:
        """Return what is another value once the rows are others."""

    @abstractmethod
    def expression(self, name: str) -> str:
        """Return the SQL of what a row holds in a column; empty where there is none."""

    @abstractmethod
    def order(self, query: Query) -> Condition:
        """Return what the rows are sorted by."""

    def values_of(self, name: str, value: str = "") -> Condition | None:
        """Return what selects `key` and `value`, where a filter's values are in another
        table; of one value alone, where that is less."""
        return None

    def test(self, name: str, value: str) -> Condition | None:
        """Return the condition of a filter; None for one that the rows do not have."""
        if held := self.values_of(name, value):
            sql, values = held
            test = f"{self.key} IN (SELECT key FROM ({sql}) WHERE value = ?)"
            return test, (*values, value)
        expression = self.expression(name)
        return (_HOLDS.format(expression), (f"\n{value}\n",)) if expression else None

    def where(self, query: Query, *, without: str = "") -> Condition:
        """Return the condition of the rows that pass; `without` leaves a filter out, to
        count what else there is."""
        tests: list[Condition] = [("1", ())]
        for name, value in query.filters:
            if name != without and (test := self.test(name, value)):
                tests.append(test)
        if words := [valid_text(each) for each in query.words]:
            found = f"{self.key} IN (SELECT value FROM json_each(?))"
            tests.append((found, (self._find(words),)))
        sql = " AND ".join(each for each, _ in tests)
        return f"WHERE {sql}", tuple(value for _, some in tests for value in some)

    def count(self, query: Query) -> int:
        """Return how many rows pass."""
        where, values = self.where(query)
        ((count,),) = self.select(f"SELECT count(*) FROM {self.table} {where}", values)
        return int(count)

    def keys(self, query: Query) -> list[str]:
        """Return the keys of all rows that pass, in their order."""
        return [str(key) for (key,) in self.listed(query, self.key)]

    def listed(
        self, query: Query, wanted: str, limit: str = ""
    ) -> list[tuple[Any, ...]]:
        """Return what is selected of the rows that pass, in their order."""
        where, values = self.where(query)
        order, more = self.order(query)
        return self.select(
            f"SELECT {wanted} FROM {self.table} {where} ORDER BY {order}{limit}",
            (*values, *more),
        )

    def counts(self, query: Query, name: str) -> Mapping[str, int]:
        """Return how many of the wanted rows hold each value of a filter, the most
        first, whatever value of it is wanted."""
        where, values = self.where(query, without=name)
        if held := self.values_of(name):
            sql, own = held
            return dict(
                self.select(
                    f"SELECT value, count(DISTINCT key) FROM ({sql}) WHERE key IN "
                    f"(SELECT {self.key} FROM {self.table} {where}) "
                    "GROUP BY 1 ORDER BY 2 DESC, 1",
                    (*own, *values),
                )
            )
        found: Counter[str] = Counter()
        for text, number in self.select(
            f"SELECT {self.expression(name)}, count(*) FROM {self.table} {where} "
            f"GROUP BY 1 ORDER BY {self.first_of_group}, 1",
            values,
        ):
            for value in filter(None, str(text).split("\n")):
                found[value] += number
        return found

    first_of_group = "2 DESC"
    """What values of a column are sorted by."""

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the key of the row `by` places behind another."""
        keys = self.keys(query)
        at = keys.index(key) + by if key in keys else -1
        return keys[at] if at in range(len(keys)) else ""

    def start(self, count: int, first: int, size: int) -> int:
        """Return where a page begins; that of the last one for a place behind it."""
        return max(0, min(first, (count - 1) // size * size))

    def _find(self, words: list[str]) -> str:
        """Return the keys of the rows that hold all words, as JSON; a list asks several
        times for the same ones."""
        found_for = words, self.version()
        if found_for != self._found[0]:
            one = f"SELECT key FROM ({self.texts}) WHERE instr(text, ?)"
            rows = self.select(" INTERSECT ".join([one] * len(words)), words)
            self._found = found_for, json.dumps([key for (key,) in rows])
        return self._found[1]


def _sort_key(cell: str | int) -> str | int:
    return folded(cell) if isinstance(cell, str) else cell


class Rows(SqlRelation):
    """Rows that are made while they are shown, part by part, in a private file: a part
    may be put in again with others."""

    table = "line"
    key = "part || '-' || number"
    first_of_group = "min(rank * 1000000 + part)"

    def __init__(
        self, nouns: Nouns, columns: Sequence[Column], filters: Sequence[Filter] = ()
    ) -> None:
        """`filters` are named like the columns that they count. A column that is hidden
        and not optional is only filtered by."""
        super().__init__()
        self.nouns = nouns
        self.texts = f"SELECT {self.key} AS key, words AS text FROM searched"
        self._columns = columns
        self._filters = filters
        self._names = [each.name for each in columns]
        self._written = [n for n, e in enumerate(columns) if e.optional or not e.hidden]
        self._version = 0
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
        self._version += 1

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
        self._version += 1

    def all(self, query: Query) -> Iterator[tuple[str, ...]]:
        """Yield the texts of all rows that pass, in their order."""
        for texts in self.listed(query, self._columns_sql()):
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
            Filter(e.name, e.label, query.get(e.name), self._offered(query, e), e.key)
            for e in self._filters
        ]

    def page(self, query: Query, first: int, size: int, shown: Sequence[str]) -> Page:
        """Return rows from a place on."""
        count = self.count(query)
        first = self.start(count, first, size)
        wanted = f"{self.key}, {self._columns_sql()}"
        limit = f" LIMIT {size:d} OFFSET {first:d}"
        rows = []
        for key, *texts in self.listed(query, wanted, limit):
            words = [each if isinstance(each, str) else f"{each:,}" for each in texts]
            named = zip(self._names, words, strict=True)
            cells = {name: self.cell(name, text) for name, text in named}
            rows.append(Row(str(key), words[0], cells))
        return Page(rows, first, count)

    def groups(self, query: Query, column: str) -> Sequence[Group]:
        """Return the rows that pass by what they hold in a column, in their order."""
        where, values = self.where(query)
        alike = "".join(
            f', CASE WHEN min("{e}") = max("{e}") THEN min("{e}") ELSE \'\' END'
            for e in self._names
        )
        found = self.select(
            f'SELECT "{column}", count(*){alike} FROM line {where} GROUP BY 1 '
            "ORDER BY min(rank), count(*) DESC, 1",
            values,
        )
        return [
            Group(str(value), count, dict(zip(self._names, cells, strict=True)))
            for value, count, *cells in found
        ]

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the titles of all columns, then the rows that pass."""
        yield [self._columns[n].title for n in self._written]
        for row in self.all(query):
            yield [row[n] for n in self._written]

    def select(self, sql: str, values: Iterable[Value] = ()) -> list[tuple[Any, ...]]:
        """Return what a query of the private file selects."""
        return self._db.execute(sql, tuple(values)).fetchall()

    def version(self) -> object:
        """Return how often rows were put."""
        return self._version

    def expression(self, name: str) -> str:
        """Return a column by its name."""
        return f'"{name}"' if name in self._names else ""

    def order(self, query: Query) -> Condition:
        """Return a column, else how soon each row is listed."""
        if query.sort not in self._names:
            return _ORDER, ()
        way = "DESC" if query.descending else "ASC"
        return f'folded("{query.sort}") {way}, {_ORDER}', ()

    def _columns_sql(self) -> str:
        return ", ".join(map(self.expression, self._names))

    def _offered(self, query: Query, each: Filter) -> list[tuple[str, str]]:
        counts = {**self.counts(query, each.name)}
        if chosen := query.get(each.name):
            counts.setdefault(chosen, 0)
        listed = self.options(each.name, list(counts))
        return [("all", ""), *((f"{t} ({counts[v]:,})", v) for t, v in listed)]
