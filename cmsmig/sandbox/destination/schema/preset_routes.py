"""Presets: contents that a component can start from."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind, numbered
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
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


def _make(space: Space, call: Call) -> JsonObject:
    """Make a preset for a component of the space."""
    changes = _checked(space, {"component_id": None, **wrapped(call, "preset")})
    own = space.next_id()
    preset: JsonObject = {
        "id": own,
        **dict.fromkeys(WRITABLE),
        "preset": {},
        "space_id": space.space_id,
        "created_at": space.now(),
        "updated_at": space.now(),
        **changes,
    }
    if not text_of(preset["name"]).strip():
        refuse("name", "can't be blank")
    space.presets[own] = preset  # now, for its component to list it
    _listed(space, preset)
    return preset


def _change(space: Space, call: Call, preset: JsonObject) -> None:
    changes = _checked(space, wrapped(call, "preset"))
    if not text_of(changes.get("name", preset["name"])).strip():
        refuse("name", "can't be blank")
    preset.update(changes, updated_at=space.now())
    _listed(space, preset)


def _release(space: Space, preset: JsonObject) -> None:
    # Now, so that its component no longer lists it.
    del space.presets[whole(preset["id"]) or 0]
    _listed(space, preset)


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


PRESETS = RecordKind(
    key="preset",
    plural="presets",
    table=lambda space: space.presets,
    make=_make,
    change=_change,
    release=_release,
    filters={"component_id": numbered("component_id")},
)
