"""Assets: signed, described, listed, deleted, also many at once."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.assets.uploads import sign
from cmsmig.sandbox.destination.lists import Filter, filtered, page_reply, remembered
from cmsmig.sandbox.destination.record_kinds import tag_ids, tags_list
from cmsmig.sandbox.destination.refusals import missing, refuse, unwrapped
from cmsmig.sandbox.destination.space import Space, StoredAsset
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

MOST = 100
"""Assets that one request deletes, restores or moves."""
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
    return page_reply("assets", call, found, lambda asset: listed(space, asset))


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
        "internal_tags_list": tags_list(space, asset.body.get("internal_tag_ids")),
        "created_at": asset.created_at,
        "deleted_at": asset.deleted_at,
        **asset.body,
    }


def destroy_many(space: Space, call: Call) -> Reply:
    """Delete the assets of `ids`; unknown ones are passed over."""
    found = [own for own in _ids(call) if own in space.assets]
    for own in found:
        remove(space, space.assets[own])
    return _message("deleted", found)


def restore_many(space: Space, call: Call) -> Reply:
    """Bring deleted assets and their files back."""
    found = [own for own in _ids(call) if own in space.deleted_assets]
    for own in found:
        asset = space.deleted_assets.pop(own)
        asset.deleted_at = None
        space.assets[own] = asset
        space.by_key[asset.key] = own
    return _message("restored", found)


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
    if "internal_tag_ids" in changes:
        changes["internal_tag_ids"] = [*tag_ids(space, changes["internal_tag_ids"])]
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
    chosen = filtered(space, call.parameters(), space.assets.values(), _FILTERS)
    key, _, direction = (call.parameter("sort_by") or "").partition(":")
    if key in _SORTS:
        chosen.sort(key=_SORTS[key], reverse=direction.startswith("desc"))
    return chosen


def _holds(*keys: str) -> Filter[StoredAsset]:
    """Return the filter by a part of one of some texts."""
    return lambda space, asset, part: any(
        part.lower() in text_of(asset.body.get(key)).lower() for key in keys
    )


def _time(asset: StoredAsset, key: str) -> str:
    return asset.created_at if key == "created_at" else text_of(asset.body.get(key))


def _from(key: str) -> Filter[StoredAsset]:
    return lambda space, asset, first: _time(asset, key) >= first


def _until(key: str) -> Filter[StoredAsset]:
    return lambda space, asset, last: "" < _time(asset, key) <= last


def _tagged(space: Space, asset: StoredAsset, names: str) -> bool:
    tags = map(object_of, tags_list(space, asset.body.get("internal_tag_ids")))
    borne = {text for tag in tags for text in (str(tag["id"]), tag["name"])}
    return not borne.isdisjoint(names.split(","))


_TIMES = ("created_at", "updated_at", "expire_at")
_FILTERS: dict[str, Filter[StoredAsset]] = {
    "ext_id": lambda space, asset, text: asset.body.get("ext_id") == text,
    "in_folder": lambda space, asset, own: (
        (asset.body.get("asset_folder_id") or 0) == (whole(own) or 0)
    ),
    "is_private": lambda space, asset, flag: (
        asset.body.get("is_private") is truthy(flag)
    ),
    "by_ids": lambda space, asset, ids: str(asset.asset_id) in ids.split(","),
    "search": lambda space, asset, part: (
        part.lower() in asset.key.lower() or _holds(*_TEXTS)(space, asset, part)
    ),
    "with_tags": _tagged,
    **{f"by_{key}": _holds(key) for key in ("alt", "title", "copyright")},
    **{f"{key}_gte": _from(key) for key in _TIMES},
    **{f"{key}_lte": _until(key) for key in _TIMES},
}
_SORTS: dict[str, Callable[[StoredAsset], str | int]] = {
    "created_at": lambda asset: asset.created_at,
    "updated_at": lambda asset: text_of(asset.body.get("updated_at")),
    "filename": lambda asset: asset.key,
    "short_filename": lambda asset: asset.key.rpartition("/")[2],
    "content_length": lambda asset: len(asset.data or b""),
    "id": lambda asset: asset.asset_id,
}
