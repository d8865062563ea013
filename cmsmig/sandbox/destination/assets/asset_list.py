"""The asset list: its filters and order."""

from __future__ import annotations

from collections.abc import Callable

from cmsmig.canonical import Json
from cmsmig.sandbox.destination.record_kinds import tags_list
from cmsmig.sandbox.destination.space import Space, StoredAsset
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_WORDS = ("alt", "title", "copyright", "source", "focus")
_EXACT = {"by_alt": "alt", "by_title": "title", "by_copyright": "copyright"}
_UNFILTERED = frozenset({"page", "per_page", "sort_by"})
_TIMES = ("created_at", "updated_at", "expire_at")
_SORTS: dict[str, Callable[[StoredAsset], str | int]] = {
    "created_at": lambda asset: asset.created_at,
    "updated_at": lambda asset: text_of(asset.body.get("updated_at")),
    "filename": lambda asset: asset.key,
    "short_filename": lambda asset: asset.key.rpartition("/")[2],
    "content_length": lambda asset: len(asset.data or b""),
    "id": lambda asset: asset.asset_id,
}


def selected(space: Space, call: Call) -> list[StoredAsset]:
    """Return the assets that a list request names, in its order."""
    asked = any(name not in _UNFILTERED for name, _ in call.query)
    chosen = [*space.assets.values()]
    if (ext_id := call.parameter("ext_id")) is not None:
        chosen = [a for a in chosen if text_of(a.body.get("ext_id")) == ext_id]
    if asked:
        chosen = [asset for asset in chosen if _wanted(space, asset, call)]
    key, _, direction = (call.parameter("sort_by") or "").partition(":")
    if key in _SORTS:
        chosen.sort(key=_SORTS[key], reverse=direction.startswith("desc"))
    return chosen


def _wanted(space: Space, asset: StoredAsset, call: Call) -> bool:
    return (
        _placed(asset, call)
        and _said(asset, call)
        and _timed(asset, call)
        and _tagged(tags_list(space, asset.body.get("internal_tag_ids")), call)
    )


def _placed(asset: StoredAsset, call: Call) -> bool:
    folder, private = call.parameter("in_folder"), call.parameter("is_private")
    ids = call.parameter("by_ids")
    own = asset.body.get("asset_folder_id") or 0
    return (
        (not folder or own == (whole(folder) or 0))
        and (not private or asset.body.get("is_private") is truthy(private))
        and (not ids or str(asset.asset_id) in ids.split(","))
    )


def _said(asset: StoredAsset, call: Call) -> bool:
    for name, key in _EXACT.items():
        part = (call.parameter(name) or "").lower()
        if part not in text_of(asset.body.get(key)).lower():
            return False
    search = (call.parameter("search") or "").lower()
    words = [asset.key, *(text_of(asset.body.get(key)) for key in _WORDS)]
    return any(search in word.lower() for word in words)


def _timed(asset: StoredAsset, call: Call) -> bool:
    moments = {**asset.body, "created_at": asset.created_at}
    for name in _TIMES:
        own = text_of(moments.get(name))
        first, last = call.parameter(f"{name}_gte"), call.parameter(f"{name}_lte")
        if (first and not own >= first) or (last and not "" < own <= last):
            return False
    return True


def _tagged(tags: list[Json], call: Call) -> bool:
    wanted = set((call.parameter("with_tags") or "").split(",")) - {""}
    return not wanted or any(
        wanted & {str(object_of(tag)["id"]), text_of(object_of(tag)["name"])}
        for tag in list_of(tags)
    )
