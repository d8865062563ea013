"""Components."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import (
    SLUG,
    RecordKind,
)
from cmsmig.sandbox.destination.refusals import refuse, refuse_base
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import object_of, text_of, truthy

FIELD_TYPES = frozenset(
    (
        "text",
        "textarea",
        "richtext",
        "markdown",
        "number",
        "datetime",
        "boolean",
        "option",
        "options",
        "asset",
        "multiasset",
        "multilink",
        "bloks",
        "table",
        "section",
        "tab",
        "custom",
        "image",
        "file",
        "link",
        "group",
        "commerce",
    )
)
WRITABLE = (
    "name",
    "display_name",
    "description",
    "schema",
    "is_root",
    "is_nestable",
    "component_group_uuid",
    "preview_field",
    "preview_tmpl",
    "image",
    "icon",
    "color",
    "preset_id",
    "all_presets",
    "internal_tag_ids",
    "content_type_asset_preview",
    "metadata",
)
_NAME_LISTS = frozenset(("component_whitelist", "component_denylist"))


def _fresh(space: Space) -> JsonObject:
    return {
        **dict.fromkeys(WRITABLE),
        "is_root": False,
        "is_nestable": True,
        "schema": {},
        "all_presets": [],
        "internal_tag_ids": [],
        "metadata": {},
        "created_at": space.now(),
        "updated_at": space.now(),
    }


def _check(
    space: Space, call: Call, component: JsonObject, changes: JsonObject
) -> None:
    """Check and complete the keys of a body; `schema` is replaced as a whole."""
    for flag in ("is_root", "is_nestable"):
        if flag in changes:
            changes[flag] = truthy(changes[flag])
    if "schema" in changes:
        changes["schema"] = _schema(space, changes["schema"])
    wanted = {**component, **changes}
    changes["real_name"] = wanted["display_name"] or wanted["name"]


def _release(space: Space, component: JsonObject) -> None:
    """Refuse to remove the default content type; content stays as it is."""
    if space.default_root and component["name"] == space.default_root:
        refuse("base", "The default content type can't be deleted")


def _schema(space: Space, schema: Json) -> JsonObject:
    """Return a schema as it is stored: as sent, with an id per field.

    Only type and plugin of a field are checked. Source: destination, what a save does.
    """
    if not isinstance(schema, dict):
        refuse("schema", "is invalid")
    for key, value in schema.items():
        if text_of(object_of(value).get("type")) not in FIELD_TYPES:
            refuse("schema", f"the field {key} has no known type")
    stored: JsonObject = {}
    for key, value in schema.items():
        field = object_of(value)
        own = field.get("id") or str(space.next_id())
        stored[key] = {**_restricted(field), "id": own}
    _check_plugins(space, stored)
    return stored


def _check_plugins(space: Space, schema: JsonObject) -> None:
    custom = [f for f in map(object_of, schema.values()) if f["type"] == "custom"]
    lacking = {text_of(field.get("field_type")) for field in custom} - space.plugins
    if lacking:
        listed = ", ".join(sorted(lacking))
        text = "The following field-type plugin(s) are not available in this space"
        refuse_base(f"{text}: {listed}")


def _restricted(field: JsonObject) -> JsonObject:
    """Return a field without the name lists of a restriction that is off.

    Rich text fields keep them. Source: destination, shapes the editor writes.
    """
    if field["type"] != "bloks" or truthy(field.get("restrict_components")):
        return field
    return {key: value for key, value in field.items() if key not in _NAME_LISTS}


COMPONENTS = RecordKind(
    key="component",
    plural="components",
    table=lambda space: space.components,
    fresh=_fresh,
    writable=WRITABLE,
    texts={"name": SLUG},
    unique=("name",),
    check=_check,
    release=_release,
    extra=lambda space: {"component_groups": [*space.groups.values()]},
    methods=("GET", "PUT", "DELETE"),
)
