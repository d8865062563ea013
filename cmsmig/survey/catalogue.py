"""The items of a pulled site as rows on disk, so that lists need no item in memory.

A collection's rows are of one edition: of its raw files as they are. They are made
once, some at a time, and can be listed meanwhile. Everything is in the derived file
and can be made again.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile, Row
from cmsmig.errors import CacheError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.old_paths import OldPaths
from cmsmig.mapping.select.selection import PublicationState
from cmsmig.origin.cache import RawCache
from cmsmig.origin.files import FileStore
from cmsmig.origin.item_index import ItemFile, RecordSource, item_file
from cmsmig.origin.records import read_listed
from cmsmig.origin.schema import Collection, DataSource, Field, Site, parse_data
from cmsmig.settings import Project
from cmsmig.ui.rows import Value

AGAIN = "the site was read meanwhile; press Run this notebook, below the title"
"""Why rows are not as they were, and what to do."""


@dataclass(frozen=True, slots=True)
class NumberedSource:
    """The values of an item in a raw file that another program laid out."""

    file: ItemFile
    offset: int
    """The number of the record, from 1."""
    length: None = None

    def read(self) -> JsonObject:
        """Return the values; raises `CacheError` when the file was replaced."""
        path = self.file.path
        if item_file(path) == self.file:
            for record in read_listed("items", path):
                if record.line == self.offset:
                    return parse_data(record.value, f"{path}, line {record.line}")
        raise CacheError(f"{path} was replaced while it was in use; {AGAIN}.")


def source_at(file: ItemFile, at: int, length: int | None) -> DataSource:
    """Return the values at a byte of a raw file, or in its record of that number."""
    return RecordSource(file, at, length) if length else NumberedSource(file, at)


@dataclass(frozen=True, slots=True)
class Entry:
    """One item in one locale, as lists know it."""

    entry_id: int
    key: ItemKey
    name: str
    slug: str
    state: PublicationState
    staged: DataSource | None
    live: DataSource | None
    created: str
    updated: str
    published: str
    differs: bool
    """Whether it is live, and what editors see is not what visitors see."""
    losses: int | None
    """What its bodies lose; None before they are looked through."""
    path: str
    """Where its story goes; empty while that is not decided."""
    left_out: str
    """Why it is not imported, one sentence; or empty."""

    @property
    def title(self) -> str:
        """Return what the item is called."""
        return self.name.strip() or self.slug or self.key.item_id

    def read(self) -> JsonObject:
        """Return the values that editors see, else those that visitors see."""
        source = self.staged or self.live
        return source.read() if source else {}


class Catalogue:
    """The rows of a site. Raises `CacheError` where they cannot be read any more."""

    def __init__(self, project: Project, site_id: str | None) -> None:
        """Raises `UnreadError` when the site is not all there."""
        self.project = project
        self.cache = RawCache(project.raw)
        self.cache.require_complete()
        self.site: Site = self.cache.site(site_id)
        self.collections: Mapping[str, Collection] = {
            each.collection_id: each for each in self.cache.collections()
        }
        self.raw = {
            (each, live): item_file(self.cache.item_file(each, live=live))
            for each in self.collections
            for live in (False, True)
        }
        self._paths = OldPaths.of(self.site, self.collections.values())
        self.files = FileStore(project.files, project.raw)
        self.derived = self._usable(DerivedFile(project.derived))
        self.editions = self._opened()

    @property
    def seen(self) -> int:
        """Return how many rows there are."""
        return int(
            self.one(f"SELECT count(*) FROM entry WHERE edition IN {self.ids()}")[0]
        )

    def ids(self, collection_id: str = "") -> str:
        """Return the editions of all collections, or of one, for a query."""
        wanted = (
            [self.editions[collection_id]]
            if collection_id in self.editions
            else self.editions.values()
        )
        return f"({', '.join(map(str, wanted))})"

    def collection_of(self, edition: int) -> str:
        """Return the collection of an edition."""
        return next(name for name, each in self.editions.items() if each == edition)

    def collection(self, entry: Entry) -> Collection:
        """Return the collection of an entry."""
        return self.collections[entry.key.collection_id]

    def fields(self, collection_id: str) -> tuple[Field, ...]:
        """Return the fields of a collection; none of one that there is not."""
        found = self.collections.get(collection_id)
        return found.fields if found else ()

    def locale_tag(self, entry: Entry) -> str:
        """Return the tag of an entry's locale."""
        tags = {each.locale_id: each.tag for each in self.site.locales}
        return tags.get(entry.key.locale_id, entry.key.locale_id)

    def page_path(self, entry: Entry) -> str:
        """Return the path of an item's page at the origin, live or not."""
        return self._paths.path(entry.key, entry.slug)

    def all(self, query: str, values: Iterable[Value] = ()) -> list[Row]:
        """Return all rows of a query."""
        found = self.derived.all(query, values)
        if not found:
            self._insist()
        return found

    def one(self, query: str, values: Iterable[Value] = ()) -> Row:
        """Return the row of a query that has one."""
        found = self.derived.one(query, values)
        if found is None:
            raise CacheError(f"The list of items cannot be read: {AGAIN}.")
        return found

    def change(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Let `work` change rows in one transaction."""
        self.derived.change(work)
        self._insist()

    def entries(self, where: str, values: Iterable[Value] = ()) -> list[Entry]:
        """Return the entries that fulfil a condition, in its order."""
        return self.entries_of(self.all(f"SELECT {ENTRY} FROM entry e {where}", values))

    def entries_of(self, rows: Iterable[Row]) -> list[Entry]:
        """Return the entries of rows that hold the columns `ENTRY`."""
        return [self._entry(row) for row in rows]

    def entry(self, entry_id: int) -> Entry:
        """Return one entry; raises `CacheError` when it is there no longer."""
        found = self.entries("WHERE id = ?", (entry_id,))
        if not found:
            raise CacheError(f"This item is not in the list any more: {AGAIN}.")
        return found[0]

    def _entry(self, row: Row) -> Entry:
        entry_id, edition, item, locale, name, slug, state = row[:7]
        collection = self.collection_of(edition)
        staged, live = (
            None if at is None else source_at(self.raw[collection, live], at, length)
            for live, at, length in ((False, *row[7:9]), (True, *row[9:11]))
        )
        return Entry(
            entry_id,
            ItemKey(collection, item, locale),
            name,
            slug,
            PublicationState(state),
            staged,
            live,
            *row[11:],
        )

    def _usable(self, derived: DerivedFile) -> DerivedFile:
        """Return the project's file, or one for now where that cannot be written."""
        derived.change(lambda db: db.execute("DELETE FROM edition WHERE id = 0"))
        if derived.one("SELECT 1") is not None:
            return derived
        folder = tempfile.mkdtemp(prefix="cmsmig-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return DerivedFile(Path(folder) / "derived.sqlite")

    def _opened(self) -> Mapping[str, int]:
        made_of = {each: self._print(each) for each in self.collections}

        def note(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR IGNORE INTO edition (collection, print) VALUES (?, ?)",
                made_of.items(),
            )

        self.change(note)
        return {
            each: int(
                self.one(
                    "SELECT id FROM edition WHERE (collection, print) = (?, ?)",
                    (each, text),
                )[0]
            )
            for each, text in made_of.items()
        }

    def _print(self, collection_id: str) -> str:
        """Return what a collection's rows are made of: files as they are, and code."""
        raw = self.project.raw
        paths = (raw / "collections" / f"{collection_id}.json", raw / "files.json")
        files = (
            *(self.raw[collection_id, live] for live in (False, True)),
            *map(item_file, paths),
        )
        states = " ".join(str(each.state) for each in files)
        return f"{states} {code_digest(('mapping', 'origin', 'survey', 'richtext'))}"

    def _insist(self) -> None:
        if self.derived.one("SELECT 1") is None:
            raise CacheError(f"The list of items cannot be read: {AGAIN}.")


ENTRY = (
    "e.id, e.edition, e.item, e.locale, e.name, e.slug, e.state, e.staged_at, "
    "e.staged_length, e.live_at, e.live_length, e.created, e.updated, e.published, "
    "e.differs, e.losses, e.path, e.left_out"
)
"""The last ones are in the order of the fields of `Entry`."""
