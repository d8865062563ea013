"""Asset folders."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind, below, holding, one_of
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import text_of, whole


def _make(space: Space, call: Call) -> JsonObject:
    body = wrapped(call, "asset_folder")
    name = text_of(body.get("name")).strip()
    if not name:
        refuse("name", "can't be blank")
    return {
        "id": space.next_id(),
        "name": name,
        "uuid": space.new_uuid(),
        **_parent(space, body),
    }


def _change(space: Space, call: Call, folder: JsonObject) -> None:
    """Rename or move an asset folder."""
    body = wrapped(call, "asset_folder")
    if "parent_id" in body:
        folder.update(_parent(space, body))
    folder["name"] = text_of(body.get("name")).strip() or folder["name"]


def _release(space: Space, folder: JsonObject) -> None:
    """Move its assets to the root."""
    for asset in space.assets.values():
        if asset.body.get("asset_folder_id") == folder["id"]:
            asset.body["asset_folder_id"] = None


def _parent(space: Space, body: JsonObject) -> JsonObject:
    own = whole(body.get("parent_id")) or 0
    parent = space.asset_folders.get(own)
    if own and parent is None:
        refuse("parent_id", "is invalid")
    return {
        "parent_id": own or None,
        "parent_uuid": parent["uuid"] if parent is not None else None,
    }


ASSET_FOLDERS = RecordKind(
    key="asset_folder",
    plural="asset_folders",
    table=lambda space: space.asset_folders,
    make=_make,
    change=_change,
    release=_release,
    filters={
        "search": holding,
        "with_parent": below,
        "by_ids": one_of("id"),
        "by_uuids": one_of("uuid"),
    },
    statuses=(201, 204, 204),
)
