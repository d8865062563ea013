"""Makes the rows of a catalogue: both sets of each collection, side by side."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from cmsmig.errors import CacheError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.cleaning.search import searched_text
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.select.selection import publication_state
from cmsmig.origin.files import FileRow
from cmsmig.origin.item_index import RecordSource, item_file
from cmsmig.origin.records import read_listed
from cmsmig.origin.schema import Collection, Item, parse_item
from cmsmig.survey.catalogue import AGAIN, Catalogue, NumberedSource, source_at
from cmsmig.survey.cleaning_findings import CHANGED, NOTICE, noticed_in, trial_hosts
from cmsmig.survey.value_facts import cells_of, files_of
from cmsmig.ui.query import folded

_AT_ONCE = 40
"""Items whose rows are made in one transaction: some 20 milliseconds of work."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """An item as it is in either set."""

    staged: Item | None
    live: Item | None

    @property
    def item(self) -> Item:
        """Return the version that editors see, else the one that visitors see."""
        found = self.staged or self.live
        assert found is not None
        return found

    @property
    def differs(self) -> bool:
        """Return whether it is live, and editors see something else than visitors."""
        staged, live = self.staged, self.live
        return (
            staged is not None
            and live is not None
            and staged.data_hash != live.data_hash
        )


def build(catalogue: Catalogue) -> Iterator[int]:
    """Make the rows that are missing; yield how many there are now and then.

    Raises `CacheError` when a raw file is damaged, or replaced meanwhile.
    """
    seen = catalogue.seen
    files = catalogue.files.rows()
    for collection in catalogue.collections.values():
        edition = catalogue.editions[collection.collection_id]
        (complete,) = catalogue.one(
            "SELECT complete FROM edition WHERE id = ?", (edition,)
        )
        if complete:
            continue
        pairs = _pairs(catalogue, collection)
        while some := list(islice(pairs, _AT_ONCE)):
            seen += _keep(catalogue, collection, edition, some, files)
            yield seen
        _close(catalogue, collection.collection_id, edition)
    yield from _forget_others(catalogue, seen)


def _pairs(catalogue: Catalogue, collection: Collection) -> Iterator[_Pair]:
    """Yield every item once, with the values still on disk.

    Both sets are read in step: in most sites they have the same order, so that an
    item waits for its other version only shortly.
    """
    waiting: dict[tuple[ItemKey, bool], Item] = {}
    sets = (_items(catalogue, collection, live=live) for live in (False, True))
    for both in zip_longest(*sets):
        for live, item in zip((False, True), both, strict=True):
            if item is None:
                continue
            other = waiting.pop((item.key, not live), None)
            if other is None:
                waiting[item.key, live] = item
            else:
                yield _Pair(other, item) if live else _Pair(item, other)
    for (_, live), item in waiting.items():
        yield _Pair(None, item) if live else _Pair(item, None)


def _items(
    catalogue: Catalogue, collection: Collection, *, live: bool
) -> Iterator[Item]:
    identifier = collection.collection_id
    file = catalogue.raw[identifier, live]
    catalogue.cache.require_closed(identifier, live=live)
    for record in read_listed("items", file.path):
        item = parse_item(record.value, identifier, f"{file.path}, line {record.line}")
        at = record.offset if record.length else record.line
        yield replace(item, source=source_at(file, at, record.length))


def _keep(
    catalogue: Catalogue,
    collection: Collection,
    edition: int,
    pairs: list[_Pair],
    files: Mapping[str, FileRow],
) -> int:
    """Write the rows of some items; return how many were not there yet."""
    # Read before the transaction: others wait for that one.
    values = [(pair, pair.item.data, _changed(collection, pair)) for pair in pairs]
    added, no_file = 0, FileRow("")
    hosts = trial_hosts(catalogue.site)

    def write(db: sqlite3.Connection) -> None:
        nonlocal added
        for pair, data, changed in values:
            made = db.execute(_INSERT, _row(edition, collection, pair, data))
            if not made.rowcount:
                continue
            added += 1
            entry = made.lastrowid
            db.execute(_SEARCHED, (entry, "", folded(pair.item.key.item_id)))
            db.executemany(
                NOTICE, [(entry, CHANGED, slug, 1, _SINCE, "", "") for slug in changed]
            )
            for field in collection.fields:
                value = data.get(field.slug)
                if is_blank(value):
                    continue
                db.executemany(
                    "INSERT INTO cell (entry, field, ordinal, kind, facet, shown, "
                    "number) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [
                        (entry, field.slug, n, c.kind, c.facet, c.shown, c.number)
                        for n, c in enumerate(cells_of(field, value))
                    ],
                )
                if field.type != "RichText":
                    db.executemany(NOTICE, noticed_in(entry, field, value, hosts))
                searched = searched_text(field, value)
                db.execute(_SEARCHED, (entry, field.slug, searched))
                db.executemany(
                    "INSERT INTO held_file VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        (
                            entry,
                            field.slug,
                            n,
                            f.address,
                            f.alt,
                            f.picture,
                            row.sha256,
                            row.size,
                        )
                        for n, f in enumerate(files_of(field, value))
                        for row in (files.get(f.address, no_file),)
                    ],
                )

    catalogue.change(write)
    return added


_INSERT = """INSERT OR IGNORE INTO entry (edition, item, locale, name, sorted, slug,
    state, created, updated, published, differs, staged_at, staged_length, live_at,
    live_length, bodies, losses)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


_SEARCHED = "INSERT INTO searched VALUES (?, ?, ?)"
_SINCE = "changed since it was published"


def _changed(collection: Collection, pair: _Pair) -> list[str]:
    """Return the fields in which visitors see something else than editors."""
    if not pair.differs or pair.staged is None or pair.live is None:
        return []
    staged, live = pair.staged.data, pair.live.data
    known = [each.slug for each in collection.fields]
    slugs = dict.fromkeys((*known, *staged, *live))
    return [each for each in slugs if staged.get(each) != live.get(each)]


def _row(
    edition: int, collection: Collection, pair: _Pair, data: Mapping[str, object]
) -> tuple[str | int | None, ...]:
    item, staged, live = pair.item, pair.staged, pair.live
    bodies = sum(
        field.type == "RichText" and bool(str(data.get(field.slug) or "").strip())
        for field in collection.fields
    )
    return (
        edition,
        item.key.item_id,
        item.key.locale_id,
        item.name,
        folded(item.name),
        item.slug,
        str(publication_state(staged, live)),
        item.created_on,
        item.last_updated,
        item.last_published,
        int(pair.differs),
        *_place(staged),
        *_place(live),
        bodies,
        None if bodies else 0,
    )


def _place(item: Item | None) -> tuple[int | None, int | None]:
    source = item.source if item else None
    if isinstance(source, RecordSource | NumberedSource):
        return source.offset, source.length
    return None, None


def _close(catalogue: Catalogue, collection_id: str, edition: int) -> None:
    for live in (False, True):
        file = catalogue.raw[collection_id, live]
        if item_file(file.path) != file:
            raise CacheError(f"{file.path} was replaced while it was in use: {AGAIN}.")
    catalogue.change(
        lambda db: db.execute(
            "UPDATE edition SET complete = 1 WHERE id = ?", (edition,)
        )
    )


def _forget_others(catalogue: Catalogue, seen: int) -> Iterator[int]:
    """Remove the rows of earlier editions, some at a time."""
    old = f"SELECT id FROM edition WHERE id NOT IN {catalogue.ids()}"
    while True:
        found = catalogue.derived.all(
            f"SELECT id FROM entry WHERE edition IN ({old}) LIMIT 200"
        )
        if not found:
            break
        ids = f"({', '.join(str(row[0]) for row in found)})"

        def remove(db: sqlite3.Connection, ids: str = ids) -> None:
            for table in ("cell", "searched", "held_file", "noticed"):
                db.execute(f"DELETE FROM {table} WHERE entry IN {ids}")
            db.execute(f"DELETE FROM entry WHERE id IN {ids}")

        catalogue.change(remove)
        yield seen
    catalogue.change(
        lambda db: db.execute(f"DELETE FROM edition WHERE id NOT IN {catalogue.ids()}")
    )
