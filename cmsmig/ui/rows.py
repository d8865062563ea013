"""Rows of text in a private SQLite file, listed at any size without waiting."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from markupsafe import Markup

from cmsmig.ui.cells import Copied
from cmsmig.ui.query import Query, folded
from cmsmig.ui.relation import Column, Filter, Nouns, Page, Relation, Row

Texts: TypeAlias = Sequence[str | int]
"""The cells of a row, column by column."""
_ORDER = "rank, part, number"


class Rows(Relation):
    """Rows, part by part: a part may be put in again with others."""

    def __init__(
        self, nouns: Nouns, columns: Sequence[Column], filters: Sequence[Filter] = ()
    ) -> None:
        """`filters` are named like the columns that they count."""
        self.nouns = nouns
        self._columns = columns
        self._filters = filters
        self._names = [each.name for each in columns]
        # Without a name it is in memory, and on disk beyond a few megabytes; it goes
        # with the kernel. Panels may be served by different threads.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = OFF")
        # Without a type: numbers stay numbers, and are sorted so.
        listed = ", ".join(f'"{name}" NOT NULL' for name in self._names)
        self._db.execute(
            "CREATE TABLE line (part INTEGER, number INTEGER, rank INTEGER, "
            f"searched TEXT, {listed}, PRIMARY KEY (part, number)) WITHOUT ROWID"
        )

    def put(self, part: int, rows: Iterable[tuple[int, Texts]]) -> None:
        """Keep these rows of a part, with how soon each is listed, in place of those
        that it had."""
        self._db.execute("DELETE FROM line WHERE part = ?", (part,))
        self.add(part, rows)

    def add(self, part: int, rows: Iterable[tuple[int, Texts]]) -> None:
        """Keep more rows of a part, behind those that it has."""
        (first,) = self._db.execute(
            "SELECT coalesce(max(number) + 1, 0) FROM line WHERE part = ?", (part,)
        ).fetchone()
        marks = ", ".join("?" * (len(self._names) + 4))
        self._db.executemany(
            f"INSERT INTO line VALUES ({marks})",
            (
                (part, number, rank, folded(" ".join(map(str, row))), *row)
                for number, (rank, row) in enumerate(rows, first)
            ),
        )

    def clear(self) -> None:
        """Forget all rows."""
        self._db.execute("DELETE FROM line")

    def count(self, query: Query) -> int:
        """Return how many rows pass."""
        where, values = self._where(query)
        found = self._db.execute(f"SELECT count(*) FROM line {where}", values)
        return int(found.fetchone()[0])

    def all(self, query: Query) -> Iterator[tuple[str, ...]]:
        """Yield the texts of all rows that pass, in their order."""
        for _, *texts in self._found(query, ""):
            yield tuple(map(str, texts))

    def cell(self, column: str, text: str) -> Markup | str | Copied:
        """Return how a text is shown in a column."""
        return text

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
        for key, *texts in self._found(query, f" LIMIT {size:d} OFFSET {first:d}"):
            named = zip(self._names, map(str, texts), strict=True)
            cells = {name: self.cell(name, text) for name, text in named}
            rows.append(Row(key, texts[0], cells))
        return Page(rows, first, count)

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the key of the row `by` places behind another."""
        keys = [found for found, *_ in self._found(query, "")]
        at = keys.index(key) + by if key in keys else -1
        return keys[at] if at in range(len(keys)) else ""

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the titles of all columns, then the rows that pass."""
        yield [each.title for each in self._columns]
        yield from self.all(query)

    def _counted(self, query: Query, each: Filter) -> list[tuple[str, str]]:
        where, values = self._where(query.without(each.name))
        found = self._db.execute(
            f'SELECT "{each.name}", count(*), min(rank * 1000000 + part) FROM line '
            f"{where} GROUP BY 1 ORDER BY 3, 1",
            values,
        )
        counts = {text: number for text, number, _ in found if text}
        if query.get(each.name):
            counts.setdefault(query.get(each.name), 0)
        return [("all", ""), *((f"{t} ({n:,})", t) for t, n in counts.items())]

    def _found(self, query: Query, limit: str) -> sqlite3.Cursor:
        where, values = self._where(query)
        order = _ORDER
        if query.sort in self._names:
            way = "DESC" if query.descending else "ASC"
            order = f'"{query.sort}" COLLATE NOCASE {way}, {_ORDER}'
        listed = ", ".join(f'"{name}"' for name in self._names)
        return self._db.execute(
            f"SELECT part || '-' || number, {listed} FROM line {where} "
            f"ORDER BY {order}{limit}",
            values,
        )

    def _where(self, query: Query) -> tuple[str, tuple[str, ...]]:
        pairs = [each for each in query.filters if each[0] in self._names]
        tests = [
            "1",
            *("instr(searched, ?)" for _ in query.words),
            *(f'"{name}" = ?' for name, _ in pairs),
        ]
        values = (*query.words, *(value for _, value in pairs))
        return f"WHERE {' AND '.join(tests)}", values
