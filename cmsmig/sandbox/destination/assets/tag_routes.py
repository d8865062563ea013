"""Internal tags, of assets and of components."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import (
    missing,
    number_in,
    page_of,
    refuse,
    wrapped,
)
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, truthy, whole

_KINDS = frozenset({"asset", "component", "idea"})
_UNKNOWN = (
    "Invalid internal_tag, there is at least one internal_tag not found in our database"
)


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one page of tags."""
    ids = set((call.parameter("by_ids") or "").split(",")) - {""}
    kind = call.parameter("by_object_type")
    search = (call.parameter("search") or "").lower()
    chosen = [
        tag
        for tag in space.tags.values()
        if (not ids or str(tag["id"]) in ids)
        and (not kind or tag["object_type"] == kind)
        and search in text_of(tag["name"]).lower()
    ]
    page = page_of(call, chosen)
    counted = truthy(call.parameter("with_assets_count"))
    rows: list[Json] = [_counted(space, tag) if counted else tag for tag in page.rows]
    return json_reply(200, {"internal_tags": rows}, headers=page.headers)


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make a tag; its name is unique among those of its kind."""
    tag: JsonObject = {"id": space.next_id(), "object_type": "asset"}
    tag.update(_checked(space, tag, wrapped(call, "internal_tag")))
    space.tags[whole(tag["id"]) or 0] = tag
    return json_reply(200, {"internal_tag": tag}, item=text_of(tag["name"]))


def update(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Rename a tag."""
    tag = _known(space, parameters)
    tag.update(_checked(space, tag, wrapped(call, "internal_tag")))
    return json_reply(200, {"internal_tag": tag}, item=text_of(tag["name"]))


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete a tag, also where it is in use."""
    tag = _known(space, parameters)
    own = number_in(parameters, "id")
    del space.tags[own]
    for bearer in (*space.components.values(), *_asset_bodies(space)):
        tagged = bearer.get("internal_tag_ids")
        if isinstance(tagged, list):
            bearer["internal_tag_ids"] = [t for t in tagged if whole(t) != own]
    return Reply(204, item=text_of(tag["name"]))


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


def _counted(space: Space, tag: JsonObject) -> JsonObject:
    tagged = (body.get("internal_tag_ids") for body in _asset_bodies(space))
    uses = sum(isinstance(ids, list) and tag["id"] in ids for ids in tagged)
    return {**tag, "assets_count": uses}


def _asset_bodies(space: Space) -> list[JsonObject]:
    return [asset.body for asset in space.assets.values()]


def _known(space: Space, parameters: Mapping[str, str]) -> JsonObject:
    tag = space.tags.get(number_in(parameters, "id"))
    if tag is None:
        missing(space)
    return tag
