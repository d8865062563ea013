"""The files that the selected items use: where they are, what becomes of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from sys import intern
from typing import Any, cast

from cmsmig.canonical import Json, fingerprint, fingerprint_of_each
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.asset_uploads import (
    UploadPlan,
    alts_of,
    plan_uploads,
)
from cmsmig.mapping.draft import UploadedAsset
from cmsmig.origin.files import FileStore
from cmsmig.origin.schema import Item
from cmsmig.settings import Project
from cmsmig.steps.decide.file_uses import FileUses
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.steps.pull.pulled_files import file_facts, hosts_of_files, missing_files


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
            address: UploadedAsset(None, f"planned:{upload.sha256}")
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


def find_files(
    project: Project,
    origin: Origin,
    items: Sequence[Item],
    namespace: str,
    derived: DerivedFile,
) -> MigrationFiles:
    """Return the files that items use. Reads no file."""
    hosts = hosts_of_files(origin.files)
    collections = {each.collection_id: each for each in origin.collections}
    uses = FileUses(items, collections, hosts, derived)
    made_of = _print(uses, origin, namespace)
    found = _kept(derived, made_of)
    if found is None:
        uses.find_ahead()
        found = _Found(
            uploads=plan_uploads(uses, file_facts(origin.files), namespace=namespace),
            missing=missing_files(uses, origin.files),
            alts=alts_of(uses),
        )
        derived.keep_parts(_NAME, made_of, [json.dumps(found.as_json()).encode()])
    return MigrationFiles(
        uses=uses,
        uploads=found.uploads,
        missing=found.missing,
        alts=found.alts,
        hosts=hosts,
        store=FileStore(project.files, project.raw),
        content_types={row.sha256: row.content_type for row in origin.files.values()},
    )


_NAME = "files"


@dataclass(frozen=True, slots=True)
class _Found:
    """What all uses together say."""

    uploads: tuple[UploadPlan, ...]
    missing: Mapping[str, str]
    alts: Mapping[str, str]

    def as_json(self) -> Json:
        return [
            [asdict(each) for each in self.uploads],
            dict(self.missing),
            dict(self.alts),
        ]

    @classmethod
    def from_json(cls, body: object) -> _Found:
        """Return what `as_json` gave; raises `ValueError` and the like for others."""
        uploads, missing, alts = cast(
            "tuple[list[dict[str, Any]], dict[str, str], dict[str, str]]", body
        )
        return cls(
            uploads=tuple(_upload(each) for each in uploads),
            missing=missing,
            alts={intern(address): alt for address, alt in alts.items()},
        )


def _upload(kept: dict[str, Any]) -> UploadPlan:
    # The rows of files and of assets name the same: one text for all of them.
    addresses = tuple(intern(each) for each in kept["addresses"])
    return UploadPlan(
        **{**kept, "sha256": intern(kept["sha256"]), "addresses": addresses}
    )


def _print(uses: FileUses, origin: Origin, namespace: str) -> str:
    """Return the fingerprint of everything that `find_files` finds its result by."""
    return fingerprint(
        [
            namespace,
            [uses.shared(each) for each in uses.collections.values()],
            fingerprint_of_each([str(each.key), each.data_hash] for each in uses.items),
            fingerprint_of_each(each.record() for each in origin.files.values()),
        ]
    )


def _kept(derived: DerivedFile, made_of: str) -> _Found | None:
    body = derived.part(_NAME, 0, made_of)
    try:
        return _Found.from_json(json.loads(body)) if body else None
    except (ValueError, TypeError, KeyError, AttributeError):
        # Nobody of ours wrote that.
        return None
