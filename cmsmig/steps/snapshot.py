"""The current state of a space: its lists, and what is read singly. Reads only."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Set,
)
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias, TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.token_rights import TokenRights
from cmsmig.destination.typed_records import (
    Asset,
    AssetFolder,
    Component,
    Datasource,
    DatasourceEntry,
    Space,
    Story,
    StoryRow,
    pages,
)
from cmsmig.errors import CmsmigError, first_of
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, MadeRow
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.draft import Place
from cmsmig.mapping.propose.component_payloads import datasource_bodies
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.datasource import StoredDatasource
from cmsmig.steps.worker_pool import together

T = TypeVar("T")

LISTED_TOGETHER = 25
"""Stories whose state is listed in one call before they are written. The fewer, the
shorter is the time in which an edit can be missed, and the more calls it takes."""
Listed: TypeAlias = StoryRow | Component | Asset | AssetFolder | StoredDatasource
Sharing: TypeAlias = Callable[[StoryRow], StoryRow]
"""Makes an equal row of a listed story, its texts shared with what is in memory."""


@dataclass(frozen=True, slots=True)
class FolderRule:
    """A folder that takes stories of some content types only."""

    path: str
    content_types: frozenset[str]
    locks_below: bool
    """Whether that holds for all folders below it, too."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Which lists of a space are read."""

    stories: bool = True
    components: bool = True
    assets: bool = False
    asset_folders: bool = False
    slugs: frozenset[str] = frozenset()
    """Datasources whose entries are read; without any, none is listed."""

    @classmethod
    def for_import(cls, design: Design, *, assets: bool) -> Lists:
        """Return what an import needs: what the design names, and all components."""
        slugs = frozenset(each.slug for each in datasource_bodies(design))
        types = design.content_types
        folders = any((design.asset_folder, *(each.asset_folder for each in types)))
        return cls(assets=assets, asset_folders=folders, slugs=slugs)


@dataclass(frozen=True)
class Snapshot:
    """The current state of the space; a list that was not asked for is empty."""

    rights: TokenRights
    """What the token may do."""
    space: Space
    wanted: Lists
    components: tuple[Component, ...] = ()
    stories: tuple[StoryRow, ...] = ()
    datasources: tuple[Datasource, ...] = ()
    entries: Mapping[str, tuple[DatasourceEntry, ...]] = field(default_factory=dict)
    """By the slug of their datasource."""
    asset_folders: tuple[AssetFolder, ...] = ()
    assets: Mapping[int, Asset] = field(default_factory=dict)
    """By id."""
    calls: Mapping[str, int] = field(default_factory=dict)
    """The quota calls that reading it took, by name."""
    arrived: frozenset[str] = frozenset()
    """Files that an earlier run signed and that are at their addresses, by hash."""
    interrupted: Mapping[int, str] = field(default_factory=dict)
    """The stories that a killed run was writing two versions of, by id, with the
    fingerprint of what visitors were given; empty where they were not."""
    to_put_back: int = 0
    """In how many of them what editors had has to be put back."""
    hidden: frozenset[int] = frozenset()
    """The stories that a killed run was publishing and that an editor took from
    visitors since, by id."""
    created: Mapping[ItemKey, Story] = field(default_factory=dict)
    """The stories whose create a killed run intended, by item."""
    updated: Mapping[ItemKey, Story | None] = field(default_factory=dict)
    """The stories that a killed run was updating and that are not as the ledger has
    them, by item; None for one that is gone."""
    folder_rules: Mapping[str, FolderRule] = field(default_factory=dict)
    """Of the folders that stories are to be created in or below, by path."""

    @cached_property
    def listed(self) -> Mapping[int, StoryRow]:
        """Return stories and folders by id."""
        return {row.story_id: row for row in self.stories}

    def list_calls(self) -> dict[str, int]:
        """Return the quota calls that read lists as long as these, by name."""
        wanted = self.wanted
        calls = {
            "read_components": int(wanted.components),
            "list_stories": pages(len(self.stories)) if wanted.stories else 0,
            **(self.datasource_calls() if wanted.slugs else {}),
            "list_asset_folders": int(wanted.asset_folders),
            "list_assets": pages(len(self.assets)) if wanted.assets else 0,
        }
        return {name: count for name, count in calls.items() if count}

    def datasource_calls(self) -> dict[str, int]:
        """Return those of them that read the datasources and their entries."""
        entries = sum(pages(len(rows)) for rows in self.entries.values())
        return {
            "list_datasources": pages(len(self.datasources)),
            "read_datasource_entries": entries,
        }

    def objects(self) -> dict[tuple[Kind, int], Listed]:
        """Return everything that is listed, by kind and id."""
        return {
            **{(story_kind(row), row.story_id): row for row in self.stories},
            **{(Kind.COMPONENT, each.component_id): each for each in self.components},
            **{(Kind.ASSET, own): each for own, each in self.assets.items()},
            **{
                (Kind.ASSET_FOLDER, each.folder_id): each for each in self.asset_folders
            },
            **{
                (Kind.DATASOURCE, each.datasource_id): StoredDatasource(
                    each, self.entries.get(each.slug, ())
                )
                for each in self.datasources
            },
        }

    def component(self, name: str) -> Component | None:
        """Return the component of this name, if the space has it."""
        return next((each for each in self.components if each.name == name), None)

    def datasource(self, slug: str) -> Datasource | None:
        """Return the datasource of this slug, if the space has it."""
        return next((each for each in self.datasources if each.slug == slug), None)

    def with_rows(self, rows: Iterable[StoryRow]) -> Snapshot:
        """Return it with stories as they were read or written since."""
        newer = {row.story_id: row for row in rows}
        stories = (newer.get(each.story_id, each) for each in self.stories)
        return replace(self, stories=tuple(stories))

    def with_calls(self, calls: Mapping[str, int]) -> Snapshot:
        """Return it with the calls that more reading took."""
        made = {name: count for name, count in calls.items() if count}
        return replace(self, calls={**self.calls, **made})

    def closed_by(self, path: str, content_type: str) -> FolderRule | None:
        """Return the rule that keeps stories of a type out of the folder at a path."""
        rule = self.folder_rules.get(path)
        while path and (rule is None or content_type in rule.content_types):
            path = path.rpartition("/")[0]
            rule = self.folder_rules.get(path)
            rule = rule if rule is not None and rule.locks_below else None
        return rule

    def choices(self, slug: str) -> frozenset[str]:
        """Return the values of a datasource that the design needs."""
        return frozenset(each.value for each in self.entries.get(slug, ()))

    def stored_datasource(self, slug: str) -> StoredDatasource | None:
        """Return a datasource with its entries, if the space has it."""
        found = self.datasource(slug)
        return StoredDatasource(found, self.entries.get(slug, ())) if found else None

    def folder(self, path: str, made: MadeRow | None = None) -> StoryRow | None:
        """Return the folder that a row of the ledger records, wherever an editor moved
        it, or else the one at a path. A folder and its start page share one path."""
        ours = self._folders.get((made.destination_id, made.uuid)) if made else None
        return ours or self._folders.get(path)

    @cached_property
    def _folders(self) -> Mapping[str | tuple[int, str], StoryRow]:
        """Return the folders by path (the first one counts), and by id and uuid."""
        found: dict[str | tuple[int, str], StoryRow] = {}
        for row in reversed([row for row in self.stories if row.is_folder]):
            found[row.full_slug.strip("/")] = found[row.story_id, row.uuid] = row
        return found


def story_kind(row: StoryRow) -> Kind:
    """Return the kind of what a list of stories shows."""
    return Kind.FOLDER if row.is_folder else Kind.STORY


async def read_snapshot(
    client: DestinationClient,
    wanted: Lists,
    *,
    sharing: Sharing | None,
    accept: Callable[[TokenRights], None],
) -> Snapshot:
    """Read what the token may do, the space, and its lists. Reads only.

    The token and the space first, which show whether token and region fit. Raises what
    `accept` raises for the rights of the token, and what `read_lists` raises.
    """
    rights = await client.token_rights()
    accept(rights)
    calls = {"read_token": 1, "read_space": 1}
    found = Snapshot(rights, await client.space(), wanted, calls=calls)
    return await read_lists(client, found, sharing)


async def read_lists(
    client: DestinationClient, found: Snapshot, sharing: Sharing | None = None
) -> Snapshot:
    """Read the lists of a snapshot, all at once, as fast as the budget lets it.

    `sharing` makes the rows of stories that are kept. Raises what the client raises.
    """
    wanted = found.wanted

    async def stories() -> list[StoryRow]:
        return await client.stories(sharing)

    try:
        async with asyncio.TaskGroup() as group:
            components = group.create_task(_rows(client.components, wanted.components))
            rows = group.create_task(_rows(stories, wanted.stories))
            sources = group.create_task(_datasources(client, wanted.slugs))
            folders = group.create_task(
                _rows(client.asset_folders, wanted.asset_folders)
            )
            assets = group.create_task(_rows(client.assets, wanted.assets))
    except* CmsmigError as failed:
        raise first_of(failed) from None
    datasources, entries = sources.result()
    found = replace(
        found,
        stories=rows.result(),
        components=components.result(),
        datasources=datasources,
        entries=entries,
        asset_folders=folders.result(),
        assets={each.asset_id: each for each in assets.result()},
    )
    return replace(found, calls={**found.calls, **found.list_calls()})


async def _rows(read: Callable[[], Awaitable[list[T]]], wanted: bool) -> tuple[T, ...]:
    return tuple(await read()) if wanted else ()


async def _datasources(
    client: DestinationClient, slugs: Set[str]
) -> tuple[tuple[Datasource, ...], dict[str, tuple[DatasourceEntry, ...]]]:
    """Return all datasources, and the entries of those with the `slugs`."""
    if not slugs:
        return (), {}
    listed = tuple(await client.datasources())
    needed = [each for each in listed if each.slug in slugs]
    found = await together(
        client.datasource_entries(each.datasource_id) for each in needed
    )
    entries = {each.slug: tuple(rows) for each, rows in zip(needed, found, strict=True)}
    return listed, entries


def share_texts(
    rows: Mapping[ItemKey, ItemRow], places: Mapping[ItemKey, Place]
) -> Sharing:
    """Return what makes an equal row of a listed story, whose texts are those of the
    story's record and of its item's place where they say the same."""
    items = {
        row.story_record.story_id: row
        for row in rows.values()
        if row.story_record is not None
    }
    parents: dict[int, int] = {}

    def shared(row: StoryRow) -> StoryRow:
        parent = parents.setdefault(row.parent_id, row.parent_id)
        item = items.get(row.story_id)
        if item is None or item.story_record is None:
            return replace(row, parent_id=parent)
        place, story_record = places.get(item.key), item.story_record
        return replace(
            row,
            story_id=story_record.story_id,
            uuid=_one(row.uuid, story_record.uuid),
            name=_one(row.name, item.name),
            slug=_one(row.slug, place.slug) if place else row.slug,
            full_slug=_one(row.full_slug, story_record.full_slug),
            parent_id=parent,
            updated_at=_one(row.updated_at, story_record.updated_at),
            group_id=_one(row.group_id, story_record.group_id),
        )

    return shared


def _one(text: str, same: str) -> str:
    """Return a text, as one object with another that says the same."""
    return same if text == same else text
