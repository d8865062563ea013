"""Presets: contents that a component can start from."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import missing, number_in, refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, whole

WRITABLE = (
    "name",
    "preset",
    "component_id",
    "image",
    "color",
    "icon",
    "description",
)


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer the presets, of one component or of all; there are no pages."""
    wanted = whole(call.parameter("component_id"))
    rows: list[Json] = [
        preset
        for preset in space.presets.values()
        if wanted is None or preset["component_id"] == wanted
    ]
    return json_reply(200, {"presets": rows})


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one preset."""
    return json_reply(200, {"preset": _known(space, parameters)})


def create(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Make a preset for a component of the space."""
    changes = _checked(space, {"component_id": None, **wrapped(call, "preset")})
    preset: JsonObject = {
        "id": space.next_id(),
        **dict.fromkeys(WRITABLE),
        "preset": {},
        "space_id": space.space_id,
        "created_at": space.now(),
        "updated_at": space.now(),
        **changes,
    }
    if not text_of(preset["name"]).strip():
        refuse("name", "can't be blank")
    space.presets[whole(preset["id"]) or 0] = preset
    _listed(space, preset)
    return json_reply(201, {"preset": preset}, item=text_of(preset["name"]))


def update(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Replace the keys that the body names."""
    preset = _known(space, parameters)
    changes = _checked(space, wrapped(call, "preset"))
    if not text_of(changes.get("name", preset["name"])).strip():
        refuse("name", "can't be blank")
    preset.update(changes, updated_at=space.now())
    _listed(space, preset)
    return json_reply(200, {"preset": preset}, item=text_of(preset["name"]))


def delete(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Delete a preset."""
    preset = _known(space, parameters)
    del space.presets[number_in(parameters, "id")]
    _listed(space, preset)
    return json_reply(200, {"preset": preset}, item=text_of(preset["name"]))


def _checked(space: Space, body: JsonObject) -> JsonObject:
    changes = {key: value for key, value in body.items() if key in WRITABLE}
    if "component_id" in changes:
        owner = whole(changes["component_id"])
        if owner not in space.components:
            refuse("component", "must exist")
        changes["component_id"] = owner
    return changes


def _listed(space: Space, changed: JsonObject) -> None:
    """Bring the component's own list of its presets up to date."""
    shown = ("id", *WRITABLE)
    for own, component in space.components.items():
        rows = [p for p in space.presets.values() if p["component_id"] == own]
        component["all_presets"] = [{key: row[key] for key in shown} for row in rows]
        gone = changed["id"] not in space.presets
        if gone and component["preset_id"] == changed["id"]:
            component["preset_id"] = None


def _known(space: Space, parameters: Mapping[str, str]) -> JsonObject:
    preset = space.presets.get(number_in(parameters, "id"))
    if preset is None:
        missing(space)
    return preset
