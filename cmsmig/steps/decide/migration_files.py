"""The files that the selected items use: where they are, what becomes of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cmsmig.mapping.convert.asset_uploads import (
    AssetUse,
    UploadPlan,
    find_assets,
    plan_uploads,
)
from cmsmig.origin.files import FileStore
from cmsmig.origin.schema import Item
from cmsmig.settings import Project
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.pull.pulled_files import file_facts, hosts_of_files, missing_files


@dataclass(frozen=True, slots=True)
class MigrationFiles:
    """The files of a migration."""

    uses: tuple[AssetUse, ...]
    uploads: tuple[UploadPlan, ...]
    """One for each content, however many addresses it has."""
    missing: Mapping[str, str]
    """Why there are no bytes, by address."""
    hosts: frozenset[str]
    """Where the origin keeps its files."""
    store: FileStore
    content_types: Mapping[str, str]
    """By the hash of a file's bytes."""

    def path(self, sha256: str) -> Path:
        """Return where the downloaded bytes are."""
        return self.store.path(sha256)

    def content_type(self, sha256: str) -> str:
        """Return what the origin's file host said a file is."""
        return self.content_types.get(sha256) or "application/octet-stream"


def find_files(
    project: Project, origin: Origin, items: Iterable[Item], namespace: str
) -> MigrationFiles:
    """Return the files that items use. Reads no file."""
    hosts = hosts_of_files(origin.files)
    uses = tuple(_uses(origin, items, hosts))
    return MigrationFiles(
        uses=uses,
        uploads=plan_uploads(uses, file_facts(origin.files), namespace=namespace),
        missing=missing_files(uses, origin.files),
        hosts=hosts,
        store=FileStore(project.files, project.raw),
        content_types={row.sha256: row.content_type for row in origin.files.values()},
    )


def _uses(
    origin: Origin, items: Iterable[Item], hosts: frozenset[str]
) -> Iterator[AssetUse]:
    by_id = {each.collection_id: each for each in origin.collections}
    for item in items:
        yield from find_assets(item, by_id[item.key.collection_id], hosts)
