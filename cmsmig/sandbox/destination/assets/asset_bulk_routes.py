"""Many assets at once: deleted, brought back, moved."""

from __future__ import annotations

from cmsmig.sandbox.destination.assets.asset_routes import remove
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, whole

MOST = 100


def destroy(space: Space, call: Call) -> Reply:
    """Delete the assets of `ids`; unknown ones are passed over."""
    found = [own for own in _ids(call) if own in space.assets]
    for own in found:
        remove(space, space.assets[own])
    return _message("deleted", found)


def restore(space: Space, call: Call) -> Reply:
    """Bring deleted assets and their files back."""
    found = [own for own in _ids(call) if own in space.deleted_assets]
    for own in found:
        asset = space.deleted_assets.pop(own)
        asset.deleted_at = None
        space.assets[own] = asset
        space.by_key[asset.key] = own
    return _message("restored", found)


def move(space: Space, call: Call) -> Reply:
    """Put the assets of `ids` into one folder."""
    folder = whole(wrapped(call, "asset").get("asset_folder_id"))
    if folder and folder not in space.asset_folders:
        refuse("asset_folder_id", "is invalid")
    found = [own for own in _ids(call) if own in space.assets]
    for own in found:
        space.assets[own].body["asset_folder_id"] = folder or None
    return _message("moved", found)


def _ids(call: Call) -> list[int]:
    ids = [whole(own) or 0 for own in list_of(call.document().get("ids"))]
    if not ids:
        refuse("ids", "can't be blank")
    if len(ids) > MOST:
        refuse("ids", f"can't be more than {MOST}")
    return list(dict.fromkeys(ids))


def _message(done: str, ids: list[int]) -> Reply:
    listed = ", ".join(map(str, ids))
    return json_reply(200, {"message": f"Assets {done}: {listed}"})
