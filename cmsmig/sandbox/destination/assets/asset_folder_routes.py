"""Asset folders."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import missing, number_in, refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, whole


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer the asset folders that the filters name, all at once."""
    search = (call.parameter("search") or "").lower()
    parent = call.parameter("with_parent")
    ids = set((call.parameter("by_ids") or "").split(",")) - {""}
    uuids = set((call.parameter("by_uuids") or "").split(",")) - {""}
    rows: list[Json] = [
        folder
        for folder in space.asset_folders.values()
        if search in text_of(folder["name"]).lower()
        and (not ids or str(folder["id"]) in ids)
        and (not uuids or folder["uuid"] in uuids)
        and (not parent or (folder["parent_id"] or 0) == (whole(parent) or 0))
    ]
    return json_reply(200, {"asset_folders": rows})


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one asset folder."""
    return json_reply(200, {"asset_folder": _known(space, parameters)})


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make an asset folder."""
    body = wrapped(call, "asset_folder")
    name = text_of(body.get("name")).strip()
    if not name:
        refuse("name", "can't be blank")
    folder: JsonObject = {
        "id": space.next_id(),
        "name": name,
        "uuid": space.new_uuid(),
        **_parent(space, body),
    }
    space.asset_folders[whole(folder["id"]) or 0] = folder
    return json_reply(201, {"asset_folder": folder}, item=name)


def update(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Rename or move an asset folder; answers without a body."""
    folder = _known(space, parameters)
    body = wrapped(call, "asset_folder")
    if "parent_id" in body:
        folder.update(_parent(space, body))
    folder["name"] = text_of(body.get("name")).strip() or folder["name"]
    return Reply(204, item=text_of(folder["name"]))


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete an asset folder; its assets move to the root. No body."""
    folder = _known(space, parameters)
    own = whole(folder["id"]) or 0
    del space.asset_folders[own]
    for asset in space.assets.values():
        if asset.body.get("asset_folder_id") == own:
            asset.body["asset_folder_id"] = None
    return Reply(204, item=text_of(folder["name"]))


def _parent(space: Space, body: JsonObject) -> JsonObject:
    own = whole(body.get("parent_id")) or 0
    parent = space.asset_folders.get(own)
    if own and parent is None:
        refuse("parent_id", "is invalid")
    return {
        "parent_id": own or None,
        "parent_uuid": parent["uuid"] if parent is not None else None,
    }


def _known(space: Space, parameters: Mapping[str, str]) -> JsonObject:
    folder = space.asset_folders.get(number_in(parameters, "id"))
    if folder is None:
        missing(space)
    return folder
