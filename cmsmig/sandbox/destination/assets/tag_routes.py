"""Internal tags, of assets and of components."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind, equal, holding, one_of
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import text_of, truthy, whole

_KINDS = frozenset({"asset", "component", "idea"})
_UNKNOWN = (
    "Invalid internal_tag, there is at least one internal_tag not found in our database"
)


def _make(space: Space, call: Call) -> JsonObject:
    """Make a tag; its name is unique among those of its kind."""
    tag: JsonObject = {"id": space.next_id(), "object_type": "asset"}
    tag.update(_checked(space, tag, wrapped(call, "internal_tag")))
    return tag


def _change(space: Space, call: Call, tag: JsonObject) -> None:
    tag.update(_checked(space, tag, wrapped(call, "internal_tag")))


def _release(space: Space, tag: JsonObject) -> None:
    """Take it off all that bears it."""
    for bearer in (*space.components.values(), *_asset_bodies(space)):
        tagged = bearer.get("internal_tag_ids")
        if isinstance(tagged, list):
            bearer["internal_tag_ids"] = [t for t in tagged if whole(t) != tag["id"]]


def tag_ids(space: Space, ids: Json) -> list[int]:
    """Return the tags that a body names; one the space has not is refused."""
    named = [whole(own) or 0 for own in ids] if isinstance(ids, list) else []
    if any(own not in space.tags for own in named):
        refuse("internal_tag_ids", _UNKNOWN)
    return named


def tags_list(space: Space, ids: Json) -> list[Json]:
    """Return the tags of a record's `internal_tag_ids` as records show them."""
    wanted = ids if isinstance(ids, list) else []
    found = [space.tags.get(whole(own) or 0) for own in wanted]
    return [{"id": tag["id"], "name": tag["name"]} for tag in found if tag]


def _checked(space: Space, tag: JsonObject, body: JsonObject) -> JsonObject:
    name = text_of(body.get("name", tag.get("name"))).strip()
    kind = text_of(body.get("object_type", tag["object_type"]))
    if not name:
        refuse("name", "can't be blank")
    if kind not in _KINDS:
        refuse("object_type", "is not included in the list")
    for other in space.tags.values():
        same = (other["name"], other["object_type"]) == (name, kind)
        if same and other["id"] != tag["id"]:
            refuse("name", "has already been taken")
    return {"name": name, "object_type": kind}


def _row(space: Space, call: Call, tag: JsonObject) -> JsonObject:
    if not truthy(call.parameter("with_assets_count")):
        return tag
    tagged = (body.get("internal_tag_ids") for body in _asset_bodies(space))
    uses = sum(isinstance(ids, list) and tag["id"] in ids for ids in tagged)
    return {**tag, "assets_count": uses}


def _asset_bodies(space: Space) -> list[JsonObject]:
    return [asset.body for asset in space.assets.values()]


TAGS = RecordKind(
    key="internal_tag",
    plural="internal_tags",
    table=lambda space: space.tags,
    make=_make,
    change=_change,
    release=_release,
    filters={
        "by_ids": one_of("id"),
        "by_object_type": equal("object_type"),
        "search": holding,
    },
    most=100,
    row=_row,
    statuses=(200, 200, 204),
    methods=("PUT", "PATCH", "DELETE"),
)
