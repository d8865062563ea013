"""Assets: signed, described, listed, deleted, also many at once."""

from __future__ import annotations

import hashlib
import mimetypes
import re

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.assets.uploads import sign
from cmsmig.sandbox.destination.lists import Filter, filtered, page_reply, remembered
from cmsmig.sandbox.destination.refusals import missing, refuse, unwrapped
from cmsmig.sandbox.destination.space import Space, StoredAsset
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_MIRRORED = ("alt", "title", "copyright", "source")
_TEXTS = (*_MIRRORED, "focus")
WRITABLE = (
    *_TEXTS,
    "asset_folder_id",
    "is_private",
    "ext_id",
    "publish_at",
    "expire_at",
    "internal_tag_ids",
    "meta_data",
)
_SIZE = re.compile(r"\d+x\d+")
_UNSAFE = re.compile(r"[^A-Za-z0-9.+_-]")


def signed(space: Space, call: Call) -> Reply:
    """Answer what an upload has to hold: of a new asset, or of one that is replaced."""
    body = unwrapped(call, "asset")
    asset = _replaced(space, body) or _made(space, body)
    kind = mimetypes.guess_type(asset.key)[0] or "application/octet-stream"
    address = space.address(asset)
    answer: JsonObject = {
        "id": asset.asset_id,
        "pretty_url": address.partition(":")[2],
        "public_url": address,
        "fields": {**sign(space, asset, kind).fields},
        "post_url": f"{space.asset_base.removesuffix('/a')}/upload",
        "locked": False,
        "meta_data": asset.body.get("meta_data") or {},
    }
    return json_reply(200, answer)


def sanitised(name: str) -> str:
    """Return a file name as the service stores it: one dot, no unsafe signs."""
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, suffix = last.rpartition(".")
    tidy = f"{stem.replace('.', '_')}{dot}{suffix}"
    return _UNSAFE.sub("_", tidy)


def listing(space: Space, call: Call) -> Reply:
    """Answer one page of asset records; the total is a header."""
    found = remembered(space, call, _selected)
    return page_reply(
        "assets", call, found, lambda asset: listed(space, asset), _FILTERS.keys()
    )


def show(space: Space, call: Call) -> Reply:
    """Answer one asset record, without a wrapper."""
    asset = _known(space, call)
    return json_reply(200, record(space, asset))


def update(space: Space, call: Call) -> Reply:
    """Change metadata; answers without a body."""
    asset = _known(space, call)
    body = unwrapped(call, "asset")
    _describe(space, asset, body)
    asset.body["updated_at"] = space.now()
    return Reply(204)


def delete(space: Space, call: Call) -> Reply:
    """Delete an asset and its file."""
    asset = _known(space, call)
    remove(space, asset)
    return json_reply(200, record(space, asset))


def finish(space: Space, call: Call) -> Reply:
    """Complete an upload: type and length are filled from the stored bytes."""
    asset = _known(space, call)
    asset.finished = asset.data is not None
    space.version += 1
    answer: JsonObject = {
        "id": asset.asset_id,
        "filename": space.address(asset),
        **{key: asset.body.get(key) for key in _TEXTS},
        "is_private": bool(asset.body.get("is_private")),
    }
    return json_reply(200, answer)


def record(space: Space, asset: StoredAsset) -> JsonObject:
    """Return an asset as the wire shows it."""
    return {**listed(space, asset), "file": None, "permanently_deleted": False}


def listed(space: Space, asset: StoredAsset) -> JsonObject:
    """Return an asset as a list shows it."""
    known = asset.finished and asset.data is not None
    return {
        "id": asset.asset_id,
        "filename": space.address(asset),
        "short_filename": asset.key.rpartition("/")[2],
        "space_id": space.space_id,
        "content_type": asset.content_type if known else None,
        "content_length": len(asset.data or b"") if known else None,
        "locked": False,
        "internal_tags_list": [],
        "created_at": asset.created_at,
        "deleted_at": asset.deleted_at,
        **asset.body,
    }


def restore_many(space: Space, call: Call) -> Reply:
    """Bring deleted assets and their files back."""
    ids = [whole(own) or 0 for own in list_of(call.document().get("ids"))]
    found = [own for own in ids if own in space.deleted_assets]
    for own in found:
        asset = space.deleted_assets.pop(own)
        asset.deleted_at = None
        space.assets[own] = asset
        space.by_key[asset.key] = own
    listed = ", ".join(map(str, found))
    return json_reply(200, {"message": f"Assets restored: {listed}"})


def _made(space: Space, body: JsonObject) -> StoredAsset:
    name = sanitised(text_of(body.get("filename")).strip())
    if not name.strip("._"):
        refuse("filename", "can't be blank")
    own = space.next_id()
    size = text_of(body.get("size"))
    folder = f"{size}/" if _SIZE.fullmatch(size) else ""
    mark = hashlib.sha256(f"{space.space_id}:{own}".encode()).hexdigest()[:10]
    key = f"f/{space.space_id}/{folder}{mark}/{name}"
    now = space.now()
    asset = StoredAsset(own, key, dict.fromkeys(WRITABLE), now)
    asset.body.update({"is_private": False, "internal_tag_ids": [], "meta_data": {}})
    _describe(space, asset, body)
    asset.body["updated_at"] = now
    space.assets[own] = asset
    space.by_key[key] = own
    return asset


def _replaced(space: Space, body: JsonObject) -> StoredAsset | None:
    own = whole(body.get("id"))
    if own is None:
        return None
    asset = space.assets.get(own)
    if asset is None:
        missing()
    _describe(space, asset, body)
    return asset


def _describe(space: Space, asset: StoredAsset, body: JsonObject) -> None:
    """Store metadata, and copy the texts to `meta_data` unless the body sets that.

    Source: destination, shapes the editor writes.
    """
    changes = _metadata(space, body)
    asset.body.update(changes)
    if "meta_data" not in changes:
        texts = {key: changes[key] for key in _MIRRORED if text_of(changes.get(key))}
        asset.body["meta_data"] = {**object_of(asset.body["meta_data"]), **texts}


def _metadata(space: Space, body: JsonObject) -> JsonObject:
    changes = {key: value for key, value in body.items() if key in WRITABLE}
    if "is_private" in changes:
        changes["is_private"] = truthy(changes["is_private"])
    if not isinstance(changes.get("meta_data", {}), dict):
        changes["meta_data"] = {}
    if "asset_folder_id" in changes:
        changes["asset_folder_id"] = whole(changes["asset_folder_id"])
    return changes


def _known(space: Space, call: Call) -> StoredAsset:
    asset = space.assets.get(call.record_id)
    if asset is None:
        missing()
    return asset


def remove(space: Space, asset: StoredAsset) -> None:
    """Take an asset and its file away; both can come back."""
    del space.assets[asset.asset_id]
    space.by_key.pop(asset.key, None)
    asset.deleted_at = space.now()
    space.deleted_assets[asset.asset_id] = asset


def _selected(space: Space, call: Call) -> list[StoredAsset]:
    """Return the assets that a list request names, in its order."""
    return filtered(space, call.parameters(), space.assets.values(), _FILTERS)


_FILTERS: dict[str, Filter[StoredAsset]] = {
    "ext_id": lambda space, asset, text: asset.body.get("ext_id") == text
}
