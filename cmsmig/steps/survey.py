"""What is in the destination now, read once before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import (
    AssetFolder,
    Component,
    Datasource,
    Space,
    StoryRow,
)
from cmsmig.mapping.components import datasource_bodies
from cmsmig.mapping.design import Design

PAGE = 100
"""Rows of a list answer; the most that the service gives."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The space as it stands. `calls` says what reading it cost, by name."""

    space: Space
    components: tuple[Component, ...]
    stories: tuple[StoryRow, ...]
    datasources: tuple[Datasource, ...]
    asset_folders: tuple[AssetFolder, ...]
    calls: Mapping[str, int]
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Values of the datasources that the design needs and the space has, by slug."""
    arrived: frozenset[str] = frozenset()
    """Files that an earlier run signed and that are at their addresses, by hash."""

    def component(self, name: str) -> Component | None:
        """Return the component of this name, if the space has it."""
        return next((each for each in self.components if each.name == name), None)

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


async def survey(client: DestinationClient, design: Design) -> Survey:
    """Read the space, its components and every story's row. Reads only."""
    space = await client.space()
    components = await client.components()
    stories = tuple(await client.stories())
    calls = {
        "read_space": 1,
        "read_components": 1,
        "list_stories": pages(len(stories)),
    }
    datasources: tuple[Datasource, ...] = ()
    choices: dict[str, frozenset[str]] = {}
    if wanted := {each.slug for each in datasource_bodies(design)}:
        datasources = tuple(await client.datasources())
        calls["list_datasources"] = pages(len(datasources))
        for each in datasources:
            if each.slug in wanted:
                entries = await client.datasource_entries(each.datasource_id)
                choices[each.slug] = frozenset(entry.value for entry in entries)
        calls["read_datasource_entries"] = sum(
            pages(len(values)) for values in choices.values()
        )
    folders: tuple[AssetFolder, ...] = ()
    if design.asset_folder:
        folders = tuple(await client.asset_folders())
        calls["list_asset_folders"] = 1
    return Survey(
        space, tuple(components), stories, datasources, folders, calls, choices
    )


def pages(rows: int) -> int:
    """Return how many list calls `rows` rows take."""
    return max(1, -(-rows // PAGE))
