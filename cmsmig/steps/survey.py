"""What is in the destination now, read once before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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

    def component(self, name: str) -> Component | None:
        """Return the component of this name, if the space has it."""
        return next((each for each in self.components if each.name == name), None)


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
    if datasource_bodies(design):
        datasources = tuple(await client.datasources())
        calls["list_datasources"] = pages(len(datasources))
    folders: tuple[AssetFolder, ...] = ()
    if design.asset_folder:
        folders = tuple(await client.asset_folders())
        calls["list_asset_folders"] = 1
    return Survey(space, tuple(components), stories, datasources, folders, calls)


def pages(rows: int) -> int:
    """Return how many list calls `rows` rows take."""
    return max(1, -(-rows // PAGE))
