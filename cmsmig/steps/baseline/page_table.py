"""The table of the old site's addresses and the last comparison, in `baseline.sqlite`.
Each answer is committed as it comes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, fields
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import StorageError
from cmsmig.mapping.redirects.address_map import KnownAddress, Source
from cmsmig.mapping.select.address import Address
from cmsmig.settings import Project
from cmsmig.steps.baseline.page_record import PageRecord

_SCHEMA = """
CREATE TABLE IF NOT EXISTS page (
    url TEXT PRIMARY KEY, sources TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT '', location TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    canonical TEXT NOT NULL DEFAULT '', robots TEXT NOT NULL DEFAULT '',
    read_at TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE IF NOT EXISTS comparison (
    number INTEGER PRIMARY KEY CHECK (number = 1), record TEXT NOT NULL) STRICT;
"""
"""`read_at` is empty as long as an address waits to be asked."""
_COLUMNS = ", ".join(each.name for each in fields(PageRecord))


class PageTable:
    """The old site's addresses: complete once no address waits."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @property
    def base(self) -> str:
        """Return the address that the site was read at; empty before the first time."""
        found = self._db.execute("SELECT url FROM page").fetchone()
        return "/".join(found[0].split("/", 3)[:3]) if found else ""

    @property
    def finished(self) -> str:
        """Return when the last address was read, in UTC; empty while one waits."""
        query = "SELECT max(read_at) FROM page HAVING min(read_at) > ''"
        found = self._db.execute(query).fetchone()
        return str(found[0]) if found else ""

    def begin(self, base: str, *, again: bool) -> None:
        """Start or continue a reading: addresses without an answer wait, or all where
        they are asked `again`. Those of another site are dropped."""
        if self.base != base:
            self._db.execute("DELETE FROM page")
        wait = "UPDATE page SET read_at = '' WHERE problem > '' OR ?"
        self._db.execute(wait, (again,))

    def add(self, known: Mapping[str, str]) -> None:
        """Let addresses wait, each with its sources; those that are known stay."""
        add = "INSERT OR IGNORE INTO page (url, sources) VALUES (?, ?)"
        self._db.executemany(add, known.items())

    def waiting(self) -> list[PageRecord]:
        """Return the addresses that wait, with what is known of them."""
        return [*self._select("WHERE read_at = ''")]

    def pages(self) -> Iterator[PageRecord]:
        """Return every address, in order."""
        return self._select("ORDER BY url")

    def _select(self, which: str) -> Iterator[PageRecord]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM page {which}")
        return (PageRecord(*row) for row in rows)

    def keep(self, record: PageRecord) -> None:
        """Keep the answer to one address."""
        values = (*astuple(record), datetime.now(UTC).isoformat(timespec="seconds"))
        places = ", ".join("?" * len(values))
        self._db.execute(f"REPLACE INTO page VALUES ({places})", values)


@contextmanager
def open_pages(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file, made where there is none. Raises `StorageError`."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(_SCHEMA)
            yield db
    except (sqlite3.Error, OSError, ValueError) as error:
        raise StorageError(
            f"{path} cannot be used ({error}); move it away, and read the site's pages"
            " again with `cmsmig baseline`."
        ) from error


def baseline_addresses(project: Project) -> Iterator[KnownAddress]:
    """Yield the pages that visitors could open, and the redirects that they met; none
    before a baseline is complete. Reads only. Raises `StorageError`."""
    if not project.baseline.exists():
        return
    with open_pages(project.baseline) as db:
        table = PageTable(db)
        base = f"{table.base}/"
        for page in table.pages() if table.finished else ():
            asked, to = Address.at(page.url), page.location
            if to.startswith(base):
                to = str(Address.at(to))
            # The query of a page, and one that a redirect passes on, say nothing.
            passed = f"?{asked.query}"
            if not to or to.endswith(passed):
                asked, to = Address(asked.path), to.removesuffix(passed)
            if page.status == 200 or (to and to != str(asked)):
                yield KnownAddress(str(asked), Source.BASELINE, to)
