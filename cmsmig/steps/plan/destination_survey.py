"""What is in the destination now, read once before anything is planned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import (
    Asset,
    AssetFolder,
    Component,
    Datasource,
    DatasourceEntry,
    Space,
    Story,
    StoryRow,
    Webhook,
    pages,
)
from cmsmig.destination.token_rights import TokenRights
from cmsmig.errors import CmsmigError, first_of
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.component_payloads import datasource_bodies
from cmsmig.steps.plan.listed_rows import Sharing


@dataclass(frozen=True, slots=True)
class FolderRule:
    """A folder that takes stories of some content types only."""

    path: str
    content_types: frozenset[str]
    locks_below: bool
    """Whether that holds for all folders below it, too."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A story of which a killed run was writing two versions."""

    put_back: bool
    """Whether what editors had has to be put back."""
    public_record: str
    """The fingerprint of what visitors were given; empty where they were not."""


@dataclass(frozen=True, slots=True)
class PendingRelease:
    """A release that is not deployed yet."""

    name: str
    release_at: str
    """When it is to be deployed; empty where that is done by hand."""
    paths: tuple[str, ...]
    """Of the stories of this import that it holds, in order."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The space as it stands. `calls` says what reading it cost, by name."""

    rights: TokenRights
    """What the token may do."""
    space: Space
    components: tuple[Component, ...]
    stories: tuple[StoryRow, ...]
    datasources: tuple[Datasource, ...]
    asset_folders: tuple[AssetFolder, ...]
    calls: Mapping[str, int]
    entries: Mapping[str, tuple[DatasourceEntry, ...]] = field(default_factory=dict)
    """Of the datasources that the design needs and the space has, by slug."""
    assets: Mapping[int, Asset] = field(default_factory=dict)
    """By id; empty unless they were asked for."""
    arrived: frozenset[str] = frozenset()
    """Files that an earlier run signed and that are at their addresses, by hash."""
    interrupted: Mapping[int, Interrupted] = field(default_factory=dict)
    """The stories of which a killed run was writing two versions, by id."""
    hidden: frozenset[int] = frozenset()
    """The stories that a killed run was publishing and that an editor took from
    visitors since, by id."""
    created: Mapping[ItemKey, Story] = field(default_factory=dict)
    """The stories whose create a killed run intended, by item."""
    folder_rules: Mapping[str, FolderRule] = field(default_factory=dict)
    """Of the folders that stories are to be created in or below, by path."""
    webhooks: tuple[Webhook, ...] | None = ()
    """None where they could not be read; empty unless they were asked for."""
    releases: tuple[PendingRelease, ...] | None = ()
    """None where they could not be read; empty unless they were asked for."""

    def component(self, name: str) -> Component | None:
        """Return the component of this name, if the space has it."""
        return next((each for each in self.components if each.name == name), None)

    def datasource(self, slug: str) -> Datasource | None:
        """Return the datasource of this slug, if the space has it."""
        return next((each for each in self.datasources if each.slug == slug), None)

    def with_rows(self, rows: Iterable[StoryRow]) -> Survey:
        """Return the survey with stories as they were read or written since."""
        newer = {row.story_id: row for row in rows}
        stories = (newer.get(each.story_id, each) for each in self.stories)
        return replace(self, stories=tuple(stories))

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

    def story_at(self, full_slug: str) -> StoryRow | None:
        """Return the story at a path, if there is one; folders do not count."""
        return next(
            (
                row
                for row in self.stories
                if not row.is_folder and row.full_slug.strip("/") == full_slug
            ),
            None,
        )


def _accept_any(rights: TokenRights) -> None:
    pass


async def survey(
    client: DestinationClient,
    design: Design,
    *,
    files: bool = False,
    sharing: Sharing | None = None,
    accept: Callable[[TokenRights], None] = _accept_any,
) -> Survey:
    """Read the space, its components and every story's row. Reads only.

    With `files` the records of all assets too; `sharing` makes the rows that are
    kept. The token and the space first, which show whether token and region fit; the
    rest at once, as fast as the budget lets it. Raises what `accept` raises for the
    rights of the token.
    """
    rights = await client.token_rights()
    accept(rights)
    space = await client.space()
    slugs = {each.slug for each in datasource_bodies(design)}
    try:
        async with asyncio.TaskGroup() as group:
            components = group.create_task(client.components())
            listed = group.create_task(client.stories(sharing))
            sources = group.create_task(_datasources(client, slugs))
            folders = group.create_task(_asset_folders(client, design))
            assets = group.create_task(_assets(client, files=files))
    except* CmsmigError as failed:
        raise first_of(failed) from None
    stories = tuple(listed.result())
    calls = {
        "read_token": 1,
        "read_space": 1,
        "read_components": 1,
        "list_stories": pages(len(stories)),
    }
    datasources, entries = sources.result()
    if slugs:
        calls["list_datasources"] = pages(len(datasources))
        calls["read_datasource_entries"] = sum(
            pages(len(rows)) for rows in entries.values()
        )
    if design.asset_folder:
        calls["list_asset_folders"] = 1
    if files:
        calls["list_assets"] = pages(len(assets.result()))
    return Survey(
        rights,
        space,
        tuple(components.result()),
        stories,
        datasources,
        folders.result(),
        calls,
        entries,
        assets.result(),
    )


async def _datasources(
    client: DestinationClient, slugs: Set[str]
) -> tuple[tuple[Datasource, ...], dict[str, tuple[DatasourceEntry, ...]]]:
    """Return all datasources, and the entries of those with the `slugs`."""
    if not slugs:
        return (), {}
    datasources = tuple(await client.datasources())
    needed = [each for each in datasources if each.slug in slugs]
    async with asyncio.TaskGroup() as group:
        entries = {
            each.slug: group.create_task(client.datasource_entries(each.datasource_id))
            for each in needed
        }
    return datasources, {
        slug: tuple(listed.result()) for slug, listed in entries.items()
    }


async def _assets(client: DestinationClient, *, files: bool) -> dict[int, Asset]:
    return {each.asset_id: each for each in await client.assets()} if files else {}


async def _asset_folders(
    client: DestinationClient, design: Design
) -> tuple[AssetFolder, ...]:
    return tuple(await client.asset_folders()) if design.asset_folder else ()


def folder_at(rows: Iterable[StoryRow], path: str) -> StoryRow | None:
    """Return the folder at `path`, if there is one.

    A folder and its start page share one full slug, so stories do not count.
    """
    return next(
        (row for row in rows if row.is_folder and row.full_slug.strip("/") == path),
        None,
    )
