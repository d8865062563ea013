"""The kinds of record with few rules of their own: folders, webhooks, releases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import (
    ANY,
    SLUG,
    RecordKind,
)
from cmsmig.sandbox.destination.refusals import missing, refuse
from cmsmig.sandbox.destination.space import OWNER, Space
from cmsmig.sandbox.destination.stories.release_versions import deploy, drop
from cmsmig.sandbox.http.asgi import AnsweredError, Call, json_reply
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
    statuses=(201, 204, 204),
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
    methods=("GET", "PUT", "DELETE"),
)


def _release_datasource(space: Space, datasource: JsonObject) -> None:
    """Delete its entries."""
    for entry in space.entries_of(whole(datasource["id"]) or 0):
        del space.entries[whole(entry["id"]) or 0]


DATASOURCES = RecordKind(
    key="datasource",
    plural="datasources",
    table=lambda space: space.datasources,
    fresh=lambda space: {"created_at": space.now(), "updated_at": space.now()},
    writable=("name", "slug"),
    texts={"name": ANY, "slug": SLUG},
    unique=("slug",),
    release=_release_datasource,
    most=100,
    statuses=(201, 200, 204),
)


def _refuse_entry(key: str, message: str) -> NoReturn:
    # This record's refusals do not name the field, unlike its neighbours'.
    text = f"{key.capitalize()} {message}"
    raise AnsweredError(json_reply(422, {"error": [text]}))


def _check_entry(
    space: Space, call: Call, entry: JsonObject, changes: JsonObject
) -> None:
    """Complete an entry; its name is unique in its datasource."""
    owner = whole(entry.get("datasource_id") or changes.get("datasource_id")) or 0
    if owner not in space.datasources:
        missing()
    others = space.entries_of(owner)
    for other in others:
        if other is not entry and other["name"] == changes["name"]:
            _refuse_entry("name", "has already been taken")
    place = whole(changes.get("position")) or entry["position"] or len(others) + 1
    text = text_of(changes.get("value", entry["value"]))
    changes.update({"datasource_id": owner, "position": place, "value": text})


def _entry(entry: JsonObject) -> JsonObject:
    return {key: entry[key] for key in ("id", "name", "value", "datasource_id")}


def _ordered(call: Call, rows: list[JsonObject]) -> list[JsonObject]:
    owner = whole(call.parameter("datasource_id"))
    kept = [row for row in rows if owner in (None, row["datasource_id"])]
    return sorted(kept, key=lambda entry: whole(entry["position"]) or 0)


ENTRIES = RecordKind(
    key="datasource_entry",
    plural="datasource_entries",
    table=lambda space: space.entries,
    fresh=lambda space: {"value": "", "position": 0},
    writable=("name", "value", "datasource_id", "position"),
    # A first character that the service refuses; with which status and text is
    # unknown. Source: destination, datasource entries.
    texts={"name": re.compile("[^-=@].*", re.DOTALL)},
    refuse=_refuse_entry,
    check=_check_entry,
    order=_ordered,
    most=1000,
    shown=_entry,
    statuses=(201, 204, 204),
)
