"""Where the selected items use files: found once, kept on disk, read one at a time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cmsmig.canonical import Json, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.asset_uploads import AssetUse, find_assets
from cmsmig.origin.schema import Collection, Item

_AT_ONCE = 500
"""Items whose uses are written in one transaction."""


@dataclass(frozen=True, slots=True)
class FileUses:
    """Every use of a file in some items, in their order; to be gone through again and
    again."""

    items: Sequence[Item]
    collections: Mapping[str, Collection]
    """By id."""
    hosts: frozenset[str]
    """Where the origin keeps its files."""
    derived: DerivedFile

    def __iter__(self) -> Iterator[AssetUse]:
        fresh: list[tuple[str, str, str]] = []
        shared = {name: self.shared(each) for name, each in self.collections.items()}
        for item in self.items:
            made_of = f"{item.data_hash} {shared[item.key.collection_id]}"
            uses = self._kept(item, made_of)
            if uses is None:
                collection = self.collections[item.key.collection_id]
                uses = find_assets(item, collection, self.hosts)
                fresh.append((str(item.key), made_of, json.dumps(_rows(uses))))
            yield from uses
            if len(fresh) == _AT_ONCE:
                self._keep(fresh)
                fresh = []
        if fresh:
            self._keep(fresh)

    def shared(self, collection: Collection) -> str:
        """Return the fingerprint of what the uses in a collection's items depend on,
        beside the items."""
        types: list[Json] = [[each.slug, each.type] for each in collection.fields]
        digest = code_digest(("mapping", "origin", "richtext"))
        return fingerprint([digest, types, sorted(self.hosts)])

    def _kept(self, item: Item, made_of: str) -> tuple[AssetUse, ...] | None:
        row = self.derived.one(
            "SELECT uses FROM file_use WHERE (key, print) = (?, ?)",
            (str(item.key), made_of),
        )
        try:
            return None if row is None else _uses(item, json.loads(row[0]))
        except (ValueError, TypeError):
            # Nobody of ours wrote that.
            return None

    def _keep(self, rows: list[tuple[str, str, str]]) -> None:
        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO file_use VALUES (?, ?, ?)", rows)

        self.derived.change(write)


def _rows(uses: Sequence[AssetUse]) -> Json:
    return [[u.address, u.field, u.index, u.alt, u.file_id] for u in uses]


def _uses(item: Item, rows: object) -> tuple[AssetUse, ...]:
    return tuple(
        AssetUse(str(address), item.key, str(slug), int(index), str(alt), str(file_id))
        for address, slug, index, alt, file_id in cast(
            "list[tuple[str, str, int, str, str]]", rows
        )
    )
