"""Component groups, the folders of components."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind, below, holding
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import text_of, whole


def _make(space: Space, call: Call) -> JsonObject:
    body = wrapped(call, "component_group")
    name = text_of(body.get("name")).strip()
    if not name:
        refuse("name", "can't be blank")
    return {
        "id": space.next_id(),
        "name": name,
        "uuid": space.new_uuid(),
        **_parent(space, body),
    }


def _change(space: Space, call: Call, group: JsonObject) -> None:
    """Rename or move a component group."""
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


def _release(space: Space, group: JsonObject) -> None:
    """Leave its components and groups without a group."""
    for component in space.components.values():
        if component["component_group_uuid"] == group["uuid"]:
            component["component_group_uuid"] = None
    for other in space.groups.values():
        if other["parent_id"] == group["id"]:
            other["parent_id"] = other["parent_uuid"] = None


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


COMPONENT_GROUPS = RecordKind(
    key="component_group",
    plural="component_groups",
    table=lambda space: space.groups,
    make=_make,
    change=_change,
    release=_release,
    filters={"search": holding, "with_parent": below},
    silent_removal=True,
)
