"""How each thing that an import created stands in the space now. Reads only.

Edited is what holds something else than our last write left there. A change date
alone is no edit: a story is read where it differs, and its content compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from cmsmig.canonical import fingerprint
from cmsmig.destination.schema import (
    Asset,
    AssetFolder,
    Component,
    Datasource,
    DatasourceEntry,
    StoryRow,
)
from cmsmig.ledger.rows import AssetRow, MadeRow
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Owner, Resource, Rules, compare
from cmsmig.reconcile.rules.asset import ALT, FOLDER, asset_resource
from cmsmig.reconcile.rules.asset_folder import ASSET_FOLDERS
from cmsmig.reconcile.rules.component import ComponentRules
from cmsmig.reconcile.rules.datasource import DATASOURCES, StoredDatasource
from cmsmig.reconcile.rules.folder import FOLDERS, ROOT
from cmsmig.steps.rollback.pieces import Piece
from cmsmig.steps.snapshot import Snapshot

D = TypeVar("D")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Standing:
    """One thing of ours as it stands."""

    piece: Piece
    fields: tuple[str, ...] = ()
    """What was edited; empty where it is as we left it."""
    seen: str = ""
    """What names that edit, so that a decision does not hold for another one."""
    mentions: frozenset[str | int] = frozenset()
    """Every text and number in the content of a story that was read."""
    components: frozenset[str] = frozenset()
    """Every component in it."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders that this ledger knows, by path: what is below one of them has its
    number as parent."""

    folders: Mapping[str, int]

    def moves(self, row: StoryRow, path: str) -> Iterator[str]:
        """Yield what differs between where a story or folder is and where it was put.

        A folder above it may have been renamed, which is no move of what is in it.
        """
        if row.full_slug.strip("/") == path:
            return
        above, _, slug = path.rpartition("/")
        if row.slug != slug:
            yield "slug"
        if row.parent_id != (self.folders.get(above, -1) if above else 0):
            yield "folder"


@dataclass(frozen=True, slots=True)
class Records:
    """The records of the space by their numbers."""

    places: Places
    stories: Mapping[int, StoryRow]
    components: Mapping[int, Component]
    assets: Mapping[int, Asset]
    asset_folders: Mapping[int, AssetFolder]
    datasources: Mapping[int, Datasource]
    entries: Mapping[str, tuple[DatasourceEntry, ...]]

    @classmethod
    def of(cls, lists: Snapshot, folders: Iterable[MadeRow]) -> Records:
        """Return the records of the lists; `folders` are those that the ledger has."""
        return cls(
            places=Places({row.name: row.destination_id for row in folders}),
            stories={row.story_id: row for row in lists.stories},
            components={each.component_id: each for each in lists.components},
            assets=lists.assets,
            asset_folders={each.folder_id: each for each in lists.asset_folders},
            datasources={each.datasource_id: each for each in lists.datasources},
            entries=lists.entries,
        )

    def standing(self, piece: Piece) -> Standing | None:
        """Return how something that is no story stands; None where it is gone."""
        match piece.row:
            case AssetRow() as asset:
                return self._asset(piece, asset)
            case MadeRow() as made:
                return self._made(piece, made)
            case _:
                raise TypeError(f"{piece} is compared with its content")

    def _made(self, piece: Piece, row: MadeRow) -> Standing | None:
        match piece.kind:
            case Kind.FOLDER:
                return self._folder(piece, row)
            case Kind.COMPONENT:
                return self._component(piece, row)
            case Kind.DATASOURCE:
                return self._datasource(piece, row)
            case _:
                return self._asset_folder(piece, row)

    def _asset(self, piece: Piece, row: AssetRow) -> Standing | None:
        asset = self.assets.get(piece.own)
        if asset is None or not _is_file(row, asset):
            return None
        shown = [asset.alt, asset.asset_folder_id, *asset.filled]
        return _standing(piece, shown, _asset_edits(asset, row))

    def _folder(self, piece: Piece, row: MadeRow) -> Standing | None:
        there = self.stories.get(piece.own)
        if there is None or not there.is_folder:
            return None
        if there.uuid != row.uuid and there.full_slug != row.name:
            # A space that was made anew may give an old number again.
            return None
        edits = [*self.places.moves(there, row.name)]
        if there.uuid != row.uuid:
            edits.append("uuid")
        if row.body:
            edits += _edited(row, there, FOLDERS)
        shown = [there.full_slug, there.name, there.uuid]
        shown += [there.default_root] if ROOT in edits else []
        return _standing(piece, shown, edits)

    def _component(self, piece: Piece, row: MadeRow) -> Standing | None:
        found = self.components.get(piece.own)
        if found is None:
            return None
        edits = [] if found.name == row.name else ["name"]
        edits += _edited(row, found, ComponentRules())
        return _standing(piece, found.body, edits)

    def _datasource(self, piece: Piece, row: MadeRow) -> Standing | None:
        found = self.datasources.get(piece.own)
        if found is None:
            return None
        stored = StoredDatasource(found, self.entries.get(found.slug, ()))
        held = sorted((each.name, each.value) for each in stored.entries)
        edits = [] if found.slug == row.name else ["slug"]
        edits += _edited(row, stored, DATASOURCES)
        return _standing(piece, [found.name, found.slug, *map(list, held)], edits)

    def _asset_folder(self, piece: Piece, row: MadeRow) -> Standing | None:
        found = self.asset_folders.get(piece.own)
        if found is None:
            return None
        edits = _edited(row, found, ASSET_FOLDERS)
        return _standing(piece, [found.name, found.parent_id], edits)


def _standing(piece: Piece, shown: object, edits: Iterable[str]) -> Standing:
    stamp = fingerprint(shown)
    return Standing(replace(piece, stamp=stamp), tuple(edits), seen_of(stamp))


def _is_file(row: AssetRow, asset: Asset) -> bool:
    return asset.ext_id == row.ext_id or asset.content_url == row.content_url


def _asset_edits(asset: Asset, row: AssetRow) -> Iterator[str]:
    if ALT in row.body:
        yield from compare(asset_resource(row, asset), ConflictsDecision()).edited
    if FOLDER in row.body and asset.asset_folder_id != row.body[FOLDER]:
        yield FOLDER
    yield from asset.filled


def _edited(row: MadeRow, actual: A, rules: Rules[D, A]) -> list[str]:
    """Return the fields of an object that were edited since our last write."""
    resource = Resource(Ref(Kind(row.kind), row.name), None, row, actual, rules)
    compared = compare(resource, ConflictsDecision())
    if compared.owner is Owner.LEFT:
        return ["what this import wrote of it is not known"]
    return compared.edited
