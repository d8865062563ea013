"""The kinds of record with few rules of their own: folders, tags, webhooks,
releases."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import (
    ANY,
    RecordKind,
    below,
    equal,
    holding,
    one_of,
)
from cmsmig.sandbox.destination.refusals import refuse
from cmsmig.sandbox.destination.space import OWNER, Space
from cmsmig.sandbox.destination.stories.release_versions import deploy, drop
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

# Folders of components, folders of assets.


def _fresh_folder(space: Space) -> JsonObject:
    return {"uuid": space.new_uuid(), "parent_id": None, "parent_uuid": None}


def _check_parent(
    folders: dict[int, JsonObject], record: JsonObject, changes: JsonObject
) -> None:
    """Refuse a parent that there is not, and one that is in the folder itself."""
    if "parent_id" not in changes:
        return
    own = whole(changes["parent_id"]) or 0
    parent = folders.get(own)
    if own and (parent is None or record["id"] in _upwards(folders, own)):
        refuse("parent_id", "is invalid")
    changes["parent_id"] = own or None
    changes["parent_uuid"] = parent["uuid"] if parent is not None else None


def _upwards(folders: dict[int, JsonObject], start: Json) -> Iterator[Json]:
    own = start
    while (folder := folders.get(whole(own) or 0)) is not None:
        yield folder["id"]
        own = folder["parent_id"]


def _release_group(space: Space, group: JsonObject) -> None:
    """Leave its components and groups without a group."""
    for component in space.components.values():
        if component["component_group_uuid"] == group["uuid"]:
            component["component_group_uuid"] = None
    for other in space.groups.values():
        if other["parent_id"] == group["id"]:
            other["parent_id"] = other["parent_uuid"] = None


def _release_asset_folder(space: Space, folder: JsonObject) -> None:
    """Move its assets to the root."""
    for asset in space.assets.values():
        if asset.body.get("asset_folder_id") == folder["id"]:
            asset.body["asset_folder_id"] = None


COMPONENT_GROUPS = RecordKind(
    key="component_group",
    plural="component_groups",
    table=lambda space: space.groups,
    fresh=_fresh_folder,
    writable=("name", "parent_id"),
    check=lambda space, _, group, changes: _check_parent(space.groups, group, changes),
    release=_release_group,
    filters={"search": holding, "with_parent": below},
)
ASSET_FOLDERS = RecordKind(
    key="asset_folder",
    plural="asset_folders",
    table=lambda space: space.asset_folders,
    fresh=_fresh_folder,
    writable=("name", "parent_id"),
    check=lambda space, _, folder, changes: _check_parent(
        space.asset_folders, folder, changes
    ),
    release=_release_asset_folder,
    filters={
        "search": holding,
        "with_parent": below,
        "by_ids": one_of("id"),
        "by_uuids": one_of("uuid"),
    },
    statuses=(201, 204, 204),
)


# Internal tags, of assets and of components.

_TAGGED = frozenset({"asset", "component", "idea"})
_UNKNOWN_TAG = (
    "Invalid internal_tag, there is at least one internal_tag not found in our database"
)


def _check_tag(space: Space, call: Call, tag: JsonObject, changes: JsonObject) -> None:
    if changes.get("object_type", tag["object_type"]) not in _TAGGED:
        refuse("object_type", "is not included in the list")


def _release_tag(space: Space, tag: JsonObject) -> None:
    """Take it off all that bears it."""
    bodies = (asset.body for asset in space.assets.values())
    for bearer in (*space.components.values(), *bodies):
        kept = list_of(bearer.get("internal_tag_ids"))
        bearer["internal_tag_ids"] = [t for t in kept if whole(t) != tag["id"]]


def _tag_row(space: Space, call: Call, tag: JsonObject) -> JsonObject:
    if not truthy(call.parameter("with_assets_count")):
        return tag
    bodies = (asset.body for asset in space.assets.values())
    uses = sum(tag["id"] in list_of(body.get("internal_tag_ids")) for body in bodies)
    return {**tag, "assets_count": uses}


def tag_ids(space: Space, ids: Json) -> list[int]:
    """Return the tags that a body names; one the space has not is refused."""
    named = [whole(own) or 0 for own in list_of(ids)]
    if any(own not in space.tags for own in named):
        refuse("internal_tag_ids", _UNKNOWN_TAG)
    return named


def tags_list(space: Space, ids: Json) -> list[Json]:
    """Return the tags of a record's `internal_tag_ids` as records show them."""
    found = [space.tags.get(whole(own) or 0) for own in list_of(ids)]
    return [{"id": tag["id"], "name": tag["name"]} for tag in found if tag]


TAGS = RecordKind(
    key="internal_tag",
    plural="internal_tags",
    table=lambda space: space.tags,
    fresh=lambda space: {"object_type": "asset"},
    writable=("name", "object_type"),
    unique=("name", "object_type"),
    check=_check_tag,
    release=_release_tag,
    filters={
        "by_ids": one_of("id"),
        "by_object_type": equal("object_type"),
        "search": holding,
    },
    most=100,
    row=_tag_row,
    statuses=(200, 200, 204),
    methods=("PUT", "PATCH", "DELETE"),
)


# Webhooks. None is ever delivered to: the sandbox asks no other host.


def _fresh_webhook(space: Space) -> JsonObject:
    return {
        "name": "",
        "description": None,
        "space_id": space.space_id,
        "secret": "",
        "actions": [],
        "activated": True,
        "deleted_at": None,
        "created_at": space.now(),
        "updated_at": space.now(),
    }


def _check_webhook(
    space: Space, call: Call, webhook: JsonObject, changes: JsonObject
) -> None:
    wanted = {**webhook, **changes}
    actions = [text_of(each) for each in list_of(wanted["actions"])]
    if not actions:
        refuse("actions", "can't be blank")
    changes["actions"] = [*actions]
    changes["activated"] = truthy(wanted["activated"])


WEBHOOKS = RecordKind(
    key="webhook_endpoint",
    plural="webhook_endpoints",
    table=lambda space: space.webhooks,
    fresh=_fresh_webhook,
    writable=("name", "description", "endpoint", "secret", "actions", "activated"),
    texts={"endpoint": ANY},
    check=_check_webhook,
    methods=("GET", "PUT", "DELETE"),
)


# Releases; a deployment replaces drafts by the versions that a release holds.


def _fresh_release(space: Space) -> JsonObject:
    return {
        "released": False,
        "release_at": None,
        "timezone": None,
        "uuid": space.new_uuid(),
        "public": True,
        "branches_to_deploy": [],
        "owner_id": OWNER,
        "created_at": space.now(),
    }


def _deploy(space: Space, call: Call, release: JsonObject, before: JsonObject) -> None:
    """Deploy the release where `do_release` is next to it."""
    if truthy(call.document().get("do_release")):
        release["released"] = True
        deploy(space, whole(release["id"]) or 0)


RELEASES = RecordKind(
    key="release",
    plural="releases",
    table=lambda space: space.releases,
    fresh=_fresh_release,
    writable=("name", "release_at", "timezone", "branches_to_deploy", "public"),
    # A deployment names nothing to change.
    read=lambda call, key: object_of(call.document().get(key)),
    done=_deploy,
    release=lambda space, release: drop(space, whole(release["id"]) or 0),
    filters={
        "branch_id": lambda space, release, branch: (
            whole(branch) in list_of(release["branches_to_deploy"])
        )
    },
    methods=("GET", "PUT", "DELETE"),
)
