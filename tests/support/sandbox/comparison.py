"""The space's state without what differs from one run to the next.

Ids, UUIDs, addresses and times are replaced by names of what has them, so that two
runs in different orders can be compared byte by byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject, canonical
from cmsmig.sandbox.destination.space import Space, StoredAsset, StoredStory

_Names: TypeAlias = Mapping[Json, str]
_STORY_KEYS = (
    "name",
    "position",
    "tag_list",
    "is_folder",
    "is_startpage",
    "default_root",
    "sort_by_date",
    "first_published_at",
    "translated_slugs_attributes",
)
_ASSET_KEYS = (
    "alt",
    "title",
    "copyright",
    "source",
    "focus",
    "meta_data",
    "is_private",
)
_COMPONENT_KEYS = (
    "name",
    "display_name",
    "description",
    "is_root",
    "is_nestable",
    "preview_field",
    "icon",
    "color",
)


def comparable_state(space: Space) -> JsonObject:
    """Return stories by path, assets by folder, name and digest, their folders,
    components, datasources; every list in an order that depends on the content
    alone."""
    names = _names_of(space)
    return {
        "components": _components(space, names),
        "datasources": _datasources(space),
        "stories": _stories(space, names),
        "assets": _sorted([_asset(space, names, one) for one in _stored(space)]),
        "asset_folders": _asset_folders(space, names),
    }


def _names_of(space: Space) -> _Names:
    """Return the names that replace the values which only this run has."""
    names: dict[Json, str] = {}
    for story in space.stories.values():
        mark = f"story {space.full_slug(story)}"
        names[story.uuid] = names[story.story_id] = mark
    for asset in space.assets.values():
        mark = f"asset {asset.key.rpartition('/')[2]} {asset.digest}"
        names[space.address(asset)] = names[asset.asset_id] = mark
    for group in space.groups.values():
        names[group["uuid"]] = f"group {group['name']}"
    for own, folder in space.asset_folders.items():
        names[own] = f"asset folder {folder['name']}"
    return names


def _named(names: _Names, value: Json) -> Json:
    if isinstance(value, list):
        return [_named(names, part) for part in value]
    if isinstance(value, dict):
        return {key: _named(names, part) for key, part in value.items()}
    return value if isinstance(value, bool) else names.get(value, value)


def _stories(space: Space, names: _Names) -> list[Json]:
    rows: list[Json] = []
    for story in space.stories.values():
        if story.is_plain:
            shown: JsonObject = {key: story.body.get(key) for key in _STORY_KEYS}
            shown["full_slug"] = space.full_slug(story)
            shown["alternates"] = _alternates(space, story)
            shown["content"] = _named(names, story.content)
            shown["published"] = _named(names, story.published_content)
            rows.append(shown)
    return _sorted(rows)


def _alternates(space: Space, story: StoredStory) -> list[Json]:
    """Return the paths of the stories that share its group; the mark is the run's."""
    shared = space.alternates.get(story.group_id, set()) if story.group_id else set()
    others = shared - {story.story_id}
    return [*sorted(space.full_slug(space.stories[own]) for own in others)]


def _components(space: Space, names: _Names) -> list[Json]:
    rows: list[Json] = []
    for component in space.components.values():
        shown: JsonObject = {key: component.get(key) for key in _COMPONENT_KEYS}
        schema = component["schema"]
        fields = schema.items() if isinstance(schema, dict) else ()
        shown["schema"] = {key: _named(names, _without_id(one)) for key, one in fields}
        shown["group"] = _named(names, component["component_group_uuid"])
        rows.append(shown)
    return _sorted(rows)


def _without_id(field: Json) -> Json:
    if not isinstance(field, dict):
        return field
    return {key: value for key, value in field.items() if key != "id"}


def _datasources(space: Space) -> list[Json]:
    rows: list[Json] = [
        {
            "name": source["name"],
            "slug": source["slug"],
            "entries": [[e["name"], e["value"]] for e in space.entries_of(own)],
        }
        for own, source in space.datasources.items()
    ]
    return _sorted(rows)


def _stored(space: Space) -> list[StoredAsset]:
    return [asset for asset in space.assets.values() if asset.data is not None]


def _asset(space: Space, names: _Names, asset: StoredAsset) -> Json:
    shown: JsonObject = {key: asset.body.get(key) for key in _ASSET_KEYS}
    shown["asset"] = names[space.address(asset)]
    shown["folder"] = _named(names, asset.body.get("asset_folder_id"))
    shown["size"] = asset.key.split("/")[2] if asset.key.count("/") > 3 else ""
    return shown


def _asset_folders(space: Space, names: _Names) -> list[Json]:
    return _sorted(
        [
            {"name": folder["name"], "parent": _named(names, folder.get("parent_id"))}
            for folder in space.asset_folders.values()
        ]
    )


def _sorted(rows: list[Json]) -> list[Json]:
    return sorted(rows, key=canonical)
