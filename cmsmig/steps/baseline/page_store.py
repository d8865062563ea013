"""The pages that were read, in `baseline.sqlite`: one list of the old site, and one of
each new site that it was compared with. Each page is committed as it comes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pydantic import TypeAdapter

from cmsmig.errors import StorageError
from cmsmig.mapping.redirects.address_map import KnownAddress, Source
from cmsmig.mapping.select.address import Address
from cmsmig.settings import Project
from cmsmig.steps.baseline.page_record import PageRecord

OLD = "old"
"""The name of the old site's list; a new site's is its address."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS reading (
    name TEXT PRIMARY KEY, base TEXT NOT NULL, finished TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS page (
    name TEXT NOT NULL, url TEXT NOT NULL, fresh INTEGER NOT NULL,
    record TEXT NOT NULL, PRIMARY KEY (name, url)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS comparison (
    number INTEGER PRIMARY KEY CHECK (number = 1), record TEXT NOT NULL) STRICT;
"""
_RECORD = TypeAdapter(PageRecord)


class PageStore:
    """The list of one site: made page by page, complete once `finish` was called."""

    def __init__(self, db: sqlite3.Connection, name: str) -> None:
        self._db = db
        self._name = name

    @property
    def base(self) -> str:
        """Return the address that the site was read at; empty before the first time."""
        return self._reading()[0]

    @property
    def finished(self) -> str:
        """Return when all pages had been read, in UTC; empty until then."""
        return self._reading()[1]

    def _reading(self) -> tuple[str, str]:
        query = "SELECT base, finished FROM reading WHERE name = ?"
        found = self._db.execute(query, (self._name,)).fetchone()
        return (str(found[0]), str(found[1])) if found else ("", "")

    def begin(self, base: str, *, again: bool) -> None:
        """Start or continue a reading; `again` asks each page once more. The pages of
        another address are dropped."""
        values = (self._name, base)
        if self.base not in ("", base):
            self._db.execute("DELETE FROM page WHERE name = ?", (self._name,))
        elif again and self.finished:
            self._db.execute("UPDATE page SET fresh = 0 WHERE name = ?", (self._name,))
        self._db.execute("REPLACE INTO reading VALUES (?, ?, '')", values)

    def finish(self, at: str) -> None:
        """Mark the list as complete, and drop what was not asked for any more."""
        stale = "DELETE FROM page WHERE name = ? AND NOT fresh"
        self._db.execute(stale, (self._name,))
        done = "UPDATE reading SET finished = ? WHERE name = ?"
        self._db.execute(done, (at, self._name))

    def sources(self) -> dict[str, tuple[str, ...]]:
        """Return every address, also of an earlier reading, and how it is known."""
        query = "SELECT record FROM page WHERE name = ?"
        rows = self._db.execute(query, (self._name,))
        records = (_RECORD.validate_json(record) for (record,) in rows)
        return {each.url: each.sources for each in records}

    def page(self, url: str) -> tuple[PageRecord | None, bool]:
        """Return what is known of an address, and whether this reading asked it."""
        query = "SELECT record, fresh FROM page WHERE name = ? AND url = ?"
        found = self._db.execute(query, (self._name, url)).fetchone()
        if found is None:
            return None, False
        return _RECORD.validate_json(found[0]), bool(found[1])

    def pages(self) -> Iterator[PageRecord]:
        """Yield the pages that were read, by address."""
        query = "SELECT record FROM page WHERE name = ? AND fresh ORDER BY url"
        for (record,) in self._db.execute(query, (self._name,)):
            yield _RECORD.validate_json(record)

    def follow(self, url: str) -> tuple[list[PageRecord], bool]:
        """Return what an address and the redirects from it lead to, in order, and
        whether they lead in a circle."""
        found: dict[str, PageRecord] = {}
        while url not in found:
            record, _ = self.page(url)
            if record is None:
                return [*found.values()], False
            found[url] = record
            if not record.location:
                return [*found.values()], False
            url = record.location
        return [*found.values()], True

    def keep(self, record: PageRecord) -> None:
        """Keep the answer to one address."""
        text = _RECORD.dump_json(record).decode()
        values = (self._name, record.url, text)
        self._db.execute("REPLACE INTO page VALUES (?, ?, 1, ?)", values)


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
        store = PageStore(db, OLD)
        for page in store.pages() if store.finished else ():
            asked, to = Address.at(page.url), page.location
            if to.startswith(f"{store.base}/"):
                to = str(Address.at(to))
            # The query of a page, and one that a redirect passes on, say nothing.
            passed = f"?{asked.query}"
            if not to or to.endswith(passed):
                asked, to = Address(asked.path), to.removesuffix(passed)
            if page.status == 200 or (to and to != str(asked)):
                yield KnownAddress(str(asked), Source.BASELINE, to)
