"""Findings kept in a private SQLite file, so that a list of any size is searched,
sorted and shown page by page without waiting."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields

from cmsmig.ui.documents.finding_list import Finding

COLUMNS = tuple(each.name for each in fields(Finding))
"""What findings can be sorted by."""
_ORDER = "rank, part, number"


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings are wanted, and in what order."""

    text: str = ""
    """Part of anything that is said of it."""
    kind: str = ""
    part: int | None = None
    """None: of all parts."""
    sort: str = ""
    """One of `COLUMNS`, or empty: what matters most first."""
    descending: bool = False


class FindingRows:
    """Findings, part by part: a part may be put in again with others."""

    def __init__(self) -> None:
        # Without a name it is in memory, and on disk beyond a few megabytes; it goes
        # with the kernel. Panels may be served by different threads.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = OFF")
        listed = ", ".join(f'"{name}" TEXT NOT NULL' for name in COLUMNS)
        self._db.execute(
            "CREATE TABLE finding (part INTEGER, number INTEGER, rank INTEGER, "
            f"searched TEXT, {listed}, PRIMARY KEY (part, number)) WITHOUT ROWID"
        )

    def put(self, part: int, findings: Iterable[tuple[int, Finding]]) -> None:
        """Keep these findings of a part, with how soon each is listed, in place of
        those that it had."""
        self._db.execute("DELETE FROM finding WHERE part = ?", (part,))
        self._insert(part, 0, findings)

    def add(self, part: int, findings: Iterable[tuple[int, Finding]]) -> None:
        """Keep more findings of a part, behind those that it has."""
        found = self._db.execute(
            "SELECT coalesce(max(number) + 1, 0) FROM finding WHERE part = ?", (part,)
        )
        self._insert(part, int(found.fetchone()[0]), findings)

    def clear(self) -> None:
        """Forget all findings."""
        self._db.execute("DELETE FROM finding")

    def _insert(
        self, part: int, first: int, findings: Iterable[tuple[int, Finding]]
    ) -> None:
        marks = ", ".join("?" * (len(COLUMNS) + 4))
        self._db.executemany(
            f"INSERT INTO finding VALUES ({marks})",
            (
                (
                    part,
                    number,
                    rank,
                    "\n".join(astuple(each)).casefold(),
                    *astuple(each),
                )
                for number, (rank, each) in enumerate(findings, first)
            ),
        )

    def count(self, wanted: FindingFilter) -> int:
        """Return how many findings pass."""
        where, values = _where(wanted)
        found = self._db.execute(f"SELECT count(*) FROM finding {where}", values)
        return int(found.fetchone()[0])

    def kinds(self, part: int | None = None) -> list[tuple[str, int, str, str]]:
        """Return each kind, how often it occurs, why, and what to do about it; those
        of one part, or of all."""
        where, values = _where(FindingFilter(part=part))
        found = self._db.execute(
            "SELECT kind, count(*), why, todo, min(rank * 1000000 + part) "
            f"FROM finding {where} GROUP BY kind ORDER BY 5",
            values,
        )
        return [row[:4] for row in found]

    def page(self, wanted: FindingFilter, first: int, count: int) -> list[Finding]:
        """Return up to `count` findings that pass, from the place `first` on."""
        return [*self._found(wanted, f" LIMIT {count:d} OFFSET {first:d}")]

    def all(self, wanted: FindingFilter | None = None) -> Iterator[Finding]:
        """Yield all findings that pass, in their order."""
        return self._found(wanted or FindingFilter(), "")

    def _found(self, wanted: FindingFilter, limit: str) -> Iterator[Finding]:
        where, values = _where(wanted)
        order = _ORDER
        if wanted.sort in COLUMNS:
            way = "DESC" if wanted.descending else "ASC"
            order = f'"{wanted.sort}" COLLATE NOCASE {way}, {_ORDER}'
        listed = ", ".join(f'"{name}"' for name in COLUMNS)
        for row in self._db.execute(
            f"SELECT {listed} FROM finding {where} ORDER BY {order}{limit}", values
        ):
            yield Finding(*row)


def _where(wanted: FindingFilter) -> tuple[str, tuple[str | int, ...]]:
    tests: list[str] = ["1"]
    values: list[str | int] = []
    if text := wanted.text.strip().casefold():
        tests.append("instr(searched, ?)")
        values.append(text)
    if wanted.kind:
        tests.append("kind = ?")
        values.append(wanted.kind)
    if wanted.part is not None:
        tests.append("part = ?")
        values.append(wanted.part)
    return f"WHERE {' AND '.join(tests)}", tuple(values)
