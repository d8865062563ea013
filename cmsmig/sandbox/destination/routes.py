"""Which method and path of one space does what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cmsmig.sandbox.destination import space_routes
from cmsmig.sandbox.destination.assets import asset_routes
from cmsmig.sandbox.destination.components import COMPONENTS
from cmsmig.sandbox.destination.datasources import DATASOURCES, ENTRIES
from cmsmig.sandbox.destination.record_kind import RecordKind
from cmsmig.sandbox.destination.record_kinds import (
    ASSET_FOLDERS,
    COMPONENT_GROUPS,
    PRESETS,
    RELEASES,
    TAGS,
    WEBHOOKS,
)
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories import story_list, story_routes
from cmsmig.sandbox.http.asgi import Call, Reply, Route

Handler: TypeAlias = Callable[[Space, Call], Reply]
Entry: TypeAlias = tuple[str, str, str, Handler]

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
    ("POST", "/assets", "sign upload", asset_routes.signed),
    ("POST", "/assets/bulk_destroy", "delete assets", asset_routes.destroy_many),
    ("POST", "/assets/bulk_restore", "restore assets", asset_routes.restore_many),
    ("POST", "/assets/bulk_update", "move assets", asset_routes.move_many),
    ("GET", "/assets/{id}", "asset", asset_routes.show),
    ("PUT", "/assets/{id}", "update asset", asset_routes.update),
    ("PATCH", "/assets/{id}", "update asset", asset_routes.update),
    ("DELETE", "/assets/{id}", "delete asset", asset_routes.delete),
    ("GET", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
    ("POST", "/assets/{id}/finish_upload", "finish upload", asset_routes.finish),
)
_RECORDS = (
    COMPONENTS,
    COMPONENT_GROUPS,
    PRESETS,
    DATASOURCES,
    ENTRIES,
    ASSET_FOLDERS,
    TAGS,
    WEBHOOKS,
    RELEASES,
)


def _record_routes(kind: RecordKind) -> tuple[Entry, ...]:
    many, one = f"/{kind.plural}", f"/{kind.plural}/{{id}}"
    name = kind.key.replace("_", " ")
    single: tuple[Entry, ...] = (
        ("GET", one, name, kind.show),
        ("PUT", one, f"update {name}", kind.update),
        ("PATCH", one, f"update {name}", kind.update),
        ("DELETE", one, f"delete {name}", kind.delete),
    )
    return (
        ("GET", many, kind.plural.replace("_", " "), kind.listing),
        ("POST", many, f"create {name}", kind.create),
        *(entry for entry in single if entry[0] in kind.methods),
    )


_NOTHING = {
    "collaborators": "collaborators",
    "shared_asset_folders": "shared_asset_folders",
    "shared_assets": "assets",
    "shared_internal_tags": "internal_tags",
    "space_roles": "space_roles",
    "workflow_stages": "workflow_stages",
    "workflows": "workflows",
}
"""Lists that are always empty here, by their path and the key of their body."""

ROUTES: tuple[Entry, ...] = (
    ("GET", "", "space", space_routes.show),
    ("GET", "/api_keys", "api keys", space_routes.api_keys),
    *(route for kind in _RECORDS for route in _record_routes(kind)),
    *_STORIES,
    *_ASSETS,
    *(
        ("GET", f"/{path}", path.replace("_", " "), space_routes.empty(key))
        for path, key in _NOTHING.items()
    ),
)

_RESOURCES = {
    "": "spaces",
    "asset_folders": "asset_folders",
    "assets": "assets",
    "collaborators": "collaborators",
    "components": "components",
    "datasource_entries": "datasource_entries",
    "datasources": "datasources",
    "releases": "releases",
    "shared_asset_folders": "asset_folders",
    "shared_assets": "assets",
    "stories": "stories",
    "webhook_endpoints": "webhooks",
    "workflow_stages": "workflows",
    "workflows": "workflows",
}
"""What scopes call the records of a path. The paths that are not here declare no scope:
presets, component groups, internal tags and the space's access tokens among them."""
_OUTSIDE = {"spaces": "spaces:read", "user": "users:read"}
"""What routes outside the space declare, by name."""
_PUBLISHING = frozenset({"publish story", "unpublish story"})


def needed_scope(route: Route, call: Call) -> str:
    """Return the scope that a call needs, empty where its route declares none.

    Raises `AnsweredError` for a body that is not JSON. Source: destination, scoped
    tokens.
    """
    if route.name in _OUTSIDE:
        return _OUTSIDE[route.name]
    head = (*route.template.split("/"), "")[4]
    resource = _RESOURCES.get(head)
    if not resource:
        return ""
    if route.name in _PUBLISHING:
        return f"{resource}:publish"
    if route.method == "GET" and route.name != "finish upload":
        return f"{resource}:read"
    deploys = resource == "releases" and "do_release" in call.document()
    if deploys or (resource == "stories" and story_routes.publishes(call)):
        return f"{resource}:publish"
    return f"{resource}:write"
