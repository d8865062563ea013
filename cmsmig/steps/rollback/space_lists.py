"""The lists of a space that a rollback compares with the ledger. Reads only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import (
    Asset,
    AssetFolder,
    Component,
    Datasource,
    DatasourceEntry,
    StoryRow,
    pages,
)
from cmsmig.errors import CmsmigError, first_of
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import Piece
from cmsmig.steps.worker_pool import together

T = TypeVar("T")

_OPEN_AS = {
    Kind.STORY: "create",
    Kind.FOLDER: "folder",
    Kind.ASSET: "sign",
    Kind.ASSET_FOLDER: "asset_folder",
    Kind.DATASOURCE: "datasource",
    Kind.COMPONENT: "component",
}
"""The kind of the intents that create one of a kind."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which lists are read: those of the kinds that this ledger may have created."""

    kinds: frozenset[Kind]
    slugs: frozenset[str]
    """Datasources whose entries are read."""

    @property
    def components(self) -> bool:
        """Return whether components are read: they use datasources, too."""
        return bool(self.kinds & {Kind.COMPONENT, Kind.DATASOURCE})

    @property
    def assets(self) -> bool:
        """Return whether assets are read: they lie in asset folders, too."""
        return bool(self.kinds & {Kind.ASSET, Kind.ASSET_FOLDER})

    @classmethod
    def of(cls, job: RollbackJob) -> Scope:
        """Return the scope for what the ledger records, or intended to make."""
        ledger = job.ledger
        kinds = {Kind.STORY} if not job.subset.is_all else set(_created(ledger))
        slugs = {row.name for row in ledger.inventory.made("datasource").values()}
        slugs |= {intent.subject for intent in ledger.intents.open("datasource")}
        wanted = slugs if Kind.DATASOURCE in kinds else ()
        return cls(frozenset(kinds), frozenset(wanted))


def has_created(ledger: Ledger) -> bool:
    """Return whether this ledger created anything, or may have. Reads only."""
    return bool(_created(ledger))


def _created(ledger: Ledger) -> Set[Kind]:
    found = {kind for kind in Kind if ledger.intents.open(_OPEN_AS[kind])}
    if any(row.home and row.home.made for row in ledger.items.all().values()):
        found.add(Kind.STORY)
    if any(row.asset_id for row in ledger.inventory.assets().values()):
        found.add(Kind.ASSET)
    for kind in set(Kind) - {Kind.STORY, Kind.ASSET}:
        if any(row.made for row in ledger.inventory.made(kind).values()):
            found.add(kind)
    return found


@dataclass(frozen=True, slots=True)
class SpaceLists:
    """What the space lists; what was not asked for is empty."""

    stories: tuple[StoryRow, ...] = ()
    components: tuple[Component, ...] = ()
    assets: tuple[Asset, ...] = ()
    asset_folders: tuple[AssetFolder, ...] = ()
    datasources: tuple[Datasource, ...] = ()
    entries: Mapping[int, tuple[DatasourceEntry, ...]] = field(default_factory=dict)
    """By the number of their datasource."""

    def calls(self, scope: Scope) -> int:
        """Return how many quota calls it takes to read lists as long as these."""
        return (
            pages(len(self.stories))
            + scope.components
            + (pages(len(self.assets)) if scope.assets else 0)
            + (Kind.ASSET_FOLDER in scope.kinds)
            + (self.source_calls() if scope.slugs else 0)
        )

    def source_calls(self) -> int:
        """Return how many of them read the datasources and their entries."""
        entries = sum(pages(len(rows)) for rows in self.entries.values())
        return pages(len(self.datasources)) + entries

    def without(self, going: Iterable[Piece]) -> SpaceLists:
        """Return what is listed when those are gone."""
        ids = {(each.kind, each.own) for each in going}

        def stays(kind: Kind, own: int) -> bool:
            return (kind, own) not in ids

        return SpaceLists(
            stories=tuple(
                row
                for row in self.stories
                if stays(Kind.FOLDER if row.is_folder else Kind.STORY, row.story_id)
            ),
            components=tuple(
                each
                for each in self.components
                if stays(Kind.COMPONENT, each.component_id)
            ),
            assets=tuple(
                each for each in self.assets if stays(Kind.ASSET, each.asset_id)
            ),
            asset_folders=tuple(
                each
                for each in self.asset_folders
                if stays(Kind.ASSET_FOLDER, each.folder_id)
            ),
            datasources=tuple(
                each
                for each in self.datasources
                if stays(Kind.DATASOURCE, each.datasource_id)
            ),
            entries={
                own: rows
                for own, rows in self.entries.items()
                if stays(Kind.DATASOURCE, own)
            },
        )


async def read_lists(client: DestinationClient, scope: Scope) -> SpaceLists:
    """Read the lists of a scope, all at once, as fast as the budget lets it."""
    folders_too = Kind.ASSET_FOLDER in scope.kinds
    try:
        async with asyncio.TaskGroup() as group:
            stories = group.create_task(client.stories())
            components = group.create_task(_rows(client.components, scope.components))
            assets = group.create_task(_rows(client.assets, scope.assets))
            folders = group.create_task(_rows(client.asset_folders, folders_too))
            sources = group.create_task(read_datasources(client, scope.slugs))
    except* CmsmigError as failed:
        raise first_of(failed) from None
    datasources, entries = sources.result()
    return SpaceLists(
        stories=tuple(stories.result()),
        components=components.result(),
        assets=assets.result(),
        asset_folders=folders.result(),
        datasources=datasources,
        entries=entries,
    )


async def _rows(read: Callable[[], Awaitable[list[T]]], wanted: bool) -> tuple[T, ...]:
    return tuple(await read()) if wanted else ()


async def read_datasources(
    client: DestinationClient, slugs: Set[str]
) -> tuple[tuple[Datasource, ...], dict[int, tuple[DatasourceEntry, ...]]]:
    """Return all datasources, and the entries of those with the `slugs`."""
    if not slugs:
        return (), {}
    datasources = tuple(await client.datasources())
    ids = [each.datasource_id for each in datasources if each.slug in slugs]
    entries = await together(client.datasource_entries(own) for own in ids)
    return datasources, {
        own: tuple(rows) for own, rows in zip(ids, entries, strict=True)
    }
