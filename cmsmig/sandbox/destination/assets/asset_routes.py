"""Assets: signing, metadata, lists, folders."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.assets.asset_list import selected
from cmsmig.sandbox.destination.assets.signing import Signer
from cmsmig.sandbox.destination.record_kinds import tag_ids, tags_list
from cmsmig.sandbox.destination.refusals import (
    missing,
    page_of,
    refuse,
    unwrapped,
)
from cmsmig.sandbox.destination.selections import remembered
from cmsmig.sandbox.destination.space import Space, StoredAsset
from cmsmig.sandbox.http.asgi import Apply, Call, Reply, json_reply
from cmsmig.sandbox.values import object_of, text_of, truthy, whole

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


def signing(signer: Signer, post_url: str) -> Callable[[Space, Call], Reply]:
    """Return what answers a signing request with this signer."""

    def sign(space: Space, call: Call) -> Reply:
        body = unwrapped(call, "asset")
        asset = _replaced(space, body) or _made(space, body)
        kind = mimetypes.guess_type(asset.key)[0] or "application/octet-stream"
        signed = signer.sign(asset.asset_id, asset.key, kind)
        address = space.address(asset)
        answer: JsonObject = {
            "id": asset.asset_id,
            "pretty_url": address.partition(":")[2],
            "public_url": address,
            "fields": dict(signed.fields),
            "post_url": post_url,
            "locked": False,
            "meta_data": asset.body.get("meta_data") or {},
        }
        return json_reply(200, answer, item=asset.key)

    return sign


def bound(space: Space, sign: Callable[[Space, Call], Reply]) -> Apply:
    """Return a signing answer in the form that routes have."""
    return lambda call: sign(space, call)


def sanitised(name: str) -> str:
    """Return a file name as the service stores it: one dot, no unsafe signs."""
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, suffix = last.rpartition(".")
    tidy = f"{stem.replace('.', '_')}{dot}{suffix}"
    return _UNSAFE.sub("_", tidy)


def listing(space: Space, call: Call) -> Reply:
    """Answer one page of asset records; the total is a header."""
    page = page_of(call, remembered(space, call, selected))
    rows: list[Json] = [record(space, a, whole_record=False) for a in page.rows]
    return json_reply(200, {"assets": rows}, headers=page.headers)


def show(space: Space, call: Call) -> Reply:
    """Answer one asset record, without a wrapper."""
    asset = _known(space, call)
    return json_reply(200, record(space, asset), item=asset.key)


def update(space: Space, call: Call) -> Reply:
    """Change metadata; answers without a body."""
    asset = _known(space, call)
    body = unwrapped(call, "asset")
    _describe(space, asset, body)
    asset.body["updated_at"] = space.now()
    return Reply(204, item=asset.key)


def delete(space: Space, call: Call) -> Reply:
    """Delete an asset and its file."""
    asset = _known(space, call)
    remove(space, asset)
    return json_reply(200, record(space, asset), item=asset.key)


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
    return json_reply(200, answer, item=asset.key)


def record(
    space: Space, asset: StoredAsset, *, whole_record: bool = True
) -> JsonObject:
    """Return an asset as the wire shows it; lists omit its last two keys."""
    known = asset.finished and asset.data is not None
    shown: JsonObject = {
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
    if whole_record:
        shown.update({"file": None, "permanently_deleted": False})
    return shown


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
        folder = whole(changes["asset_folder_id"])
        changes["asset_folder_id"] = folder
        if folder and folder not in space.asset_folders:
            space.violated("unknown_asset_folder", "assets", str(folder))
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
