"""Component groups, the folders of components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import missing, number_in, refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, whole


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer the component groups that the filters name, all at once."""
    search = (call.parameter("search") or "").lower()
    parent = call.parameter("with_parent")
    rows: list[Json] = [
        group
        for group in space.groups.values()
        if search in text_of(group["name"]).lower()
        and (not parent or (group["parent_id"] or 0) == (whole(parent) or 0))
    ]
    return json_reply(200, {"component_groups": rows})


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one component group."""
    return json_reply(200, {"component_group": _known(space, parameters)})


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make a component group."""
    body = wrapped(call, "component_group")
    name = text_of(body.get("name")).strip()
    if not name:
        refuse("name", "can't be blank")
    group: JsonObject = {
        "id": space.next_id(),
        "name": name,
        "uuid": space.new_uuid(),
        **_parent(space, body),
    }
    space.groups[whole(group["id"]) or 0] = group
    return json_reply(201, {"component_group": group}, item=name)


def update(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Rename or move a component group."""
    group = _known(space, parameters)
    body = wrapped(call, "component_group")
    name = text_of(body.get("name", group["name"])).strip()
    if not name:
        refuse("name", "can't be blank")
    if "parent_id" in body:
        place = _parent(space, body)
        if group["id"] in _upwards(space, place["parent_id"]):
            refuse("parent_id", "is invalid")
        group.update(place)
    group["name"] = name
    return json_reply(200, {"component_group": group}, item=name)


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete a component group; its components stay, without a group."""
    group = _known(space, parameters)
    del space.groups[number_in(parameters, "id")]
    for component in space.components.values():
        if component["component_group_uuid"] == group["uuid"]:
            component["component_group_uuid"] = None
    for other in space.groups.values():
        if other["parent_id"] == group["id"]:
            other["parent_id"] = other["parent_uuid"] = None
    return json_reply(200, {"component_group": group})


def _parent(space: Space, body: JsonObject) -> JsonObject:
    parent = space.groups.get(whole(body.get("parent_id")) or 0)
    return {
        "parent_id": parent["id"] if parent else None,
        "parent_uuid": parent["uuid"] if parent else None,
    }


def _upwards(space: Space, start: Json) -> Iterator[Json]:
    own = start
    while (group := space.groups.get(whole(own) or 0)) is not None:
        yield group["id"]
        own = group["parent_id"]


def _known(space: Space, parameters: Mapping[str, str]) -> JsonObject:
    group = space.groups.get(number_in(parameters, "id"))
    if group is None:
        missing(space)
    return group
