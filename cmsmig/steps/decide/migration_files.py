"""The files that the selected items use: where they are, and the outcome of each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from sys import intern
from typing import TypeAlias, cast

from pydantic import TypeAdapter

from cmsmig.canonical import Json, fingerprint, fingerprint_of_each
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.asset_uploads import (
    KNOWN_FILE_HOSTS,
    AssetUse,
    FileFact,
    UploadPlan,
    alts_of,
    find_assets,
    plan_uploads,
)
from cmsmig.mapping.convert.file_addresses import host_of
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.select.translations import own_key
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.origin.schema import Collection, Item
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.settings import Project
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.process_pool import in_processes
from cmsmig.steps.worker_pool import batches

_AT_ONCE = 500
"""Items whose uses are written in one transaction."""
LEAST = 600
"""Items that are worth the start of processes."""
_TOGETHER = 100
"""Items that a process is given together."""
_KEPT = "FROM file_use WHERE (key, print) = (?, ?)"
_Order: TypeAlias = tuple[Item, str]
"""An item, and the fingerprint that its uses are kept under."""


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
    left_out: frozenset[tuple[str, str]]
    """Fields that are not migrated, by collection: nothing of them is uploaded."""

    def __iter__(self) -> Iterator[AssetUse]:
        fresh: list[tuple[str, str, str]] = []
        for item, made_of in self._orders():
            uses = self._kept(item, made_of)
            if uses is None:
                collection = self.collections[item.key.collection_id]
                uses = find_assets(item, collection, self.hosts)
                fresh.append((str(item.key), made_of, _packed(uses)))
            yield from (each for each in uses if not self._is_left_out(each))
            if len(fresh) == _AT_ONCE:
                self._keep(fresh)
                fresh = []
        if fresh:
            self._keep(fresh)

    def _is_left_out(self, use: AssetUse) -> bool:
        return (use.key.collection_id, own_key(use.field)) in self.left_out

    def find_ahead(self, least: int = LEAST) -> None:
        """Find the uses of items that are not kept, on all cores, where there are at
        least so many.

        What is left over, when a process dies, is found when it is asked for.
        """
        fresh = self._fresh()
        first = list(islice(fresh, least))
        if len(first) < least:
            return
        work = partial(_find, self.collections, self.hosts)
        found = in_processes(work, batches(chain(first, fresh), _TOGETHER))
        with suppress(BrokenProcessPool):
            for part, uses in found:
                keys = ((str(item.key), made_of) for item, made_of in part)
                self._keep([(*k, each) for k, each in zip(keys, uses, strict=True)])

    def _fresh(self) -> Iterator[_Order]:
        """Yield the items whose uses are not kept, with what those are kept under."""
        for item, made_of in self._orders():
            kept = self.derived.one(
                f"SELECT 1 {_KEPT}",
                (str(item.key), made_of),
            )
            if kept is None:
                yield item, made_of

    def _orders(self) -> Iterator[_Order]:
        shared = {name: self.shared(each) for name, each in self.collections.items()}
        for item in self.items:
            yield item, f"{item.data_hash} {shared[item.key.collection_id]}"

    def shared(self, collection: Collection) -> str:
        """Return the fingerprint of what the uses in a collection's items depend on,
        next to the items."""
        types: list[Json] = [[each.slug, each.type] for each in collection.fields]
        digest = code_digest(("mapping", "origin", "richtext"))
        return fingerprint([digest, types, sorted(self.hosts)])

    def _kept(self, item: Item, made_of: str) -> tuple[AssetUse, ...] | None:
        row = self.derived.one(
            f"SELECT uses {_KEPT}",
            (str(item.key), made_of),
        )
        try:
            return None if row is None else _uses(item, json.loads(row[0]))
        except (ValueError, TypeError):
            # None of our runs wrote that.
            return None

    def _keep(self, rows: list[tuple[str, str, str]]) -> None:
        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO file_use VALUES (?, ?, ?)", rows)

        self.derived.change(write)


@dataclass(frozen=True, slots=True)
class MigrationFiles:
    """The files of a migration."""

    uses: FileUses
    """To be gone through again and again; not in memory."""
    uploads: tuple[UploadPlan, ...]
    """One for each content, however many addresses it has."""
    missing: Mapping[str, str]
    """Why there are no bytes, by address."""
    alts: Mapping[str, str]
    """Alt texts by address and by file id."""
    hosts: frozenset[str]
    """Where the origin keeps its files."""
    store: FileStore
    content_types: Mapping[str, str]
    """By the hash of a file's bytes."""

    def used_by(self, items: Sequence[Item]) -> MigrationFiles:
        """Return the files that some of the items use, each as it is for all."""
        uses = replace(self.uses, items=items)
        addresses = {use.address for use in uses}
        return replace(
            self,
            uses=uses,
            uploads=tuple(
                each
                for each in self.uploads
                if not addresses.isdisjoint(each.addresses)
            ),
            missing={
                address: why
                for address, why in self.missing.items()
                if address in addresses
            },
        )

    def planned_assets(
        self, proven: Mapping[str, UploadedAsset]
    ) -> dict[str, UploadedAsset]:
        """Return the assets as they will be when every file has been uploaded.

        `proven` holds the addresses whose files are at the destination already.
        """
        planned = {
            address: UploadedAsset(None, f"planned:{upload.sha256}/{upload.name}")
            for upload in self.uploads
            for address in upload.addresses
        }
        return planned | dict(proven)

    def path(self, sha256: str) -> Path:
        """Return where the downloaded bytes are."""
        return self.store.path(sha256)

    def content_type(self, sha256: str) -> str:
        """Return what the origin's file host said a file is."""
        return self.content_types.get(sha256) or "application/octet-stream"


def fields_left_out(design: Design) -> frozenset[tuple[str, str]]:
    """Return the fields that are not migrated, by collection."""
    return frozenset(
        (made.collection_id, each.origin)
        for made in design.content_types
        for each in made.left_out
    )


def find_files(
    project: Project,
    origin: Origin,
    items: Sequence[Item],
    namespace: str,
    derived: DerivedFile,
    left_out: frozenset[tuple[str, str]],
) -> MigrationFiles:
    """Return the files that items use, but for those of fields that are left out. Reads
    no file."""
    taken_from = {host for row in origin.files if (host := host_of(row))}
    hosts = KNOWN_FILE_HOSTS | taken_from
    collections = {each.collection_id: each for each in origin.collections}
    uses = FileUses(items, collections, hosts, derived, left_out)
    made_of = _print(uses, origin, namespace)

    def find() -> _Found:
        uses.find_ahead()
        return _Found(
            uploads=plan_uploads(uses, _file_facts(origin.files), namespace=namespace),
            missing=_missing_files(uses, origin.files),
            alts=alts_of(uses),
        )

    found = derived.derive("files", made_of, _CODEC, find)
    return MigrationFiles(
        uses=uses,
        uploads=tuple(map(_shared_texts, found.uploads)),
        missing=found.missing,
        alts={intern(address): alt for address, alt in found.alts.items()},
        hosts=hosts,
        store=FileStore(project.files, project.raw),
        content_types={row.sha256: row.content_type for row in origin.files.values()},
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What all uses together say."""

    uploads: tuple[UploadPlan, ...]
    missing: dict[str, str]
    alts: dict[str, str]


_CODEC = TypeAdapter(_Found)


def _shared_texts(upload: UploadPlan) -> UploadPlan:
    # The rows of files and of assets name the same: one text for all of them.
    addresses = tuple(map(intern, upload.addresses))
    return replace(upload, sha256=intern(upload.sha256), addresses=addresses)


def _print(uses: FileUses, origin: Origin, namespace: str) -> str:
    """Return the fingerprint of everything that `find_files` finds its result by."""
    return fingerprint(
        [
            namespace,
            [uses.shared(each) for each in uses.collections.values()],
            fingerprint_of_each([str(each.key), each.data_hash] for each in uses.items),
            fingerprint_of_each(each.record() for each in origin.files.values()),
            sorted(map(list, uses.left_out)),
        ]
    )


def _find(
    collections: Mapping[str, Collection],
    hosts: frozenset[str],
    orders: Sequence[_Order],
) -> list[str]:
    return [
        _packed(find_assets(item, collections[item.key.collection_id], hosts))
        for item, _ in orders
    ]


def _packed(uses: Sequence[AssetUse]) -> str:
    return json.dumps([[u.address, u.field, u.index, u.alt, u.file_id] for u in uses])


def _uses(item: Item, rows: object) -> tuple[AssetUse, ...]:
    return tuple(
        AssetUse(str(address), item.key, str(slug), int(index), str(alt), str(file_id))
        for address, slug, index, alt, file_id in cast(
            "list[tuple[str, str, int, str, str]]", rows
        )
    )


def _file_facts(files: Mapping[str, FileRow]) -> dict[str, FileFact]:
    """Return what the pull knows of each file that it has, by address."""
    return {
        address: FileFact(
            sha256=row.sha256,
            width=row.width,
            height=row.height,
            content_type=row.content_type,
            size=row.size,
        )
        for address, row in files.items()
        if not row.error
    }


def _missing_files(
    uses: Iterable[AssetUse], files: Mapping[str, FileRow]
) -> dict[str, str]:
    """Return the addresses in use whose files could not be fetched, with the reason."""
    missing: dict[str, str] = {}
    for use in uses:
        row = files.get(use.address)
        if row is None:
            missing[use.address] = "It was not downloaded; run `cmsmig pull` again."
        elif row.error:
            missing[use.address] = row.detail or row.error
    return missing
