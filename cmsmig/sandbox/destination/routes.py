"""Which method and path of one space does what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from cmsmig.sandbox.destination import space_routes
from cmsmig.sandbox.destination.assets import (
    asset_bulk_routes,
    asset_folder_routes,
    asset_routes,
    tag_routes,
)
from cmsmig.sandbox.destination.schema import (
    component_group_routes,
    component_routes,
    datasource_routes,
    entry_routes,
    preset_routes,
)
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories import story_list, story_routes
from cmsmig.sandbox.http.asgi import Call, Reply

Handler: TypeAlias = Callable[[Space, Call, Mapping[str, str]], Reply]
Entry: TypeAlias = tuple[str, str, str, Handler]

_DESIGN: tuple[Entry, ...] = (
    ("GET", "/components", "components", component_routes.listing),
    ("POST", "/components", "create component", component_routes.create),
    ("GET", "/components/{id}", "component", component_routes.show),
    ("PUT", "/components/{id}", "update component", component_routes.update),
    ("DELETE", "/components/{id}", "delete component", component_routes.delete),
)
_STORIES: tuple[Entry, ...] = (
    ("GET", "/stories", "stories", story_list.listing),
    ("POST", "/stories", "create story", story_routes.create),
    ("POST", "/stories/validate_slugs", "validate slugs", story_routes.validate_slugs),
    ("GET", "/stories/{id}", "story", story_routes.show),
    ("PUT", "/stories/{id}", "update story", story_routes.update),
    ("DELETE", "/stories/{id}", "delete story", story_routes.delete),
    ("GET", "/stories/{id}/publish", "publish story", story_routes.publish),
    ("GET", "/stories/{id}/unpublish", "unpublish story", story_routes.unpublish),
    ("PUT", "/stories/{id}/move", "move story", story_routes.move),
    ("PUT", "/stories/{id}/duplicate", "duplicate story", story_routes.duplicate),
    ("PUT", "/stories/{id}/update_uuid", "update uuid", story_routes.update_uuid),
)
_ASSETS: tuple[Entry, ...] = (
    ("GET", "/assets", "assets", asset_routes.listing),
    ("POST", "/assets/bulk_destroy", "delete assets", asset_bulk_routes.destroy),
    ("POST", "/assets/bulk_restore", "restore assets", asset_bulk_routes.restore),
    ("POST", "/assets/bulk_update", "move assets", asset_bulk_routes.move),
    ("GET", "/assets/{id}", "asset", asset_routes.show),
    ("PUT", "/assets/{id}", "update asset", asset_routes.update),
    ("PATCH", "/assets/{id}", "update asset", asset_routes.update),
    ("DELETE", "/assets/{id}", "delete asset", asset_routes.delete),
    ("GET", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
    ("POST", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
)
_FOLDERS = {
    "component_groups": ("component group", component_group_routes),
    "asset_folders": ("asset folder", asset_folder_routes),
    "presets": ("preset", preset_routes),
    "datasources": ("datasource", datasource_routes),
    "datasource_entries": ("datasource entry", entry_routes),
}


def _plain() -> tuple[Entry, ...]:
    """Return the routes of the records that all have the same ones."""
    entries: list[Entry] = []
    for path, (name, module) in _FOLDERS.items():
        plural = path.replace("_", " ")
        one = f"/{path}/{{id}}"
        entries += [
            ("GET", f"/{path}", plural, module.listing),
            ("POST", f"/{path}", f"create {name}", module.create),
            ("GET", one, name, module.show),
            ("PUT", one, f"update {name}", module.update),
            ("PATCH", one, f"update {name}", module.update),
            ("DELETE", one, f"delete {name}", module.delete),
        ]
    return tuple(entries)


_TAGS: tuple[Entry, ...] = (
    ("GET", "/internal_tags", "internal tags", tag_routes.listing),
    ("POST", "/internal_tags", "create internal tag", tag_routes.create),
    ("PUT", "/internal_tags/{id}", "update internal tag", tag_routes.update),
    ("PATCH", "/internal_tags/{id}", "update internal tag", tag_routes.update),
    ("DELETE", "/internal_tags/{id}", "delete internal tag", tag_routes.delete),
)
_NOTHING = {
    "collaborators": "collaborators",
    "releases": "releases",
    "shared_asset_folders": "shared_asset_folders",
    "shared_assets": "assets",
    "shared_internal_tags": "internal_tags",
    "space_roles": "space_roles",
    "webhook_endpoints": "webhook_endpoints",
    "workflow_stages": "workflow_stages",
    "workflows": "workflows",
}
"""Lists that are always empty here, by their path and the key of their body."""

ROUTES: tuple[Entry, ...] = (
    ("GET", "", "space", space_routes.show),
    *_DESIGN,
    *_plain(),
    *_TAGS,
    *_STORIES,
    *_ASSETS,
    *(
        ("GET", f"/{path}", path.replace("_", " "), space_routes.empty(key))
        for path, key in _NOTHING.items()
    ),
)
