"""Whether a component that exists already holds everything that ours needs."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject

_DEFAULTS: JsonObject = {
    "required": False,
    "source": "",
    "use_uuid": True,
    "is_reference_type": False,
    "datasource_slug": "",
    "field_type": "",
    "disable_time": False,
}
"""What decides about values, and what the service assumes where it is absent."""

_LIMITS = (
    "regex",
    "max_length",
    "maxlength",
    "minlength",
    "min_value",
    "max_value",
    "minimum",
    "maximum",
    "minimum_entries",
    "maximum_entries",
)

_LOOKS = frozenset(("section", "tab"))
"""Kinds that hold no value."""

_ANY_FILE = frozenset(("images", "videos", "audios", "texts"))


def equal_component(existing: JsonObject, body: JsonObject) -> bool:
    """Return whether stories made for `body` fit `existing` as it is.

    The same flags, and each of our fields there with the same type and meaning.
    Names, help texts, positions and sections do not count. More fields do no
    harm unless one is required, nor do more options; fewer, or a tighter
    restriction than ours, do.
    """
    for flag in ("is_root", "is_nestable"):
        if bool(existing.get(flag)) is not bool(body.get(flag)):
            return False
    theirs, ours = _schema(existing), _schema(body)
    return all(
        key in theirs and _fits(theirs[key], definition)
        for key, definition in ours.items()
    ) and not any(
        definition.get("required") and key not in ours
        for key, definition in theirs.items()
    )


def _schema(body: JsonObject) -> dict[str, JsonObject]:
    schema = body.get("schema")
    return {
        key: definition
        for key, definition in (schema if isinstance(schema, dict) else {}).items()
        if isinstance(definition, dict) and definition.get("type") not in _LOOKS
    }


def _fits(theirs: JsonObject, ours: JsonObject) -> bool:
    return (
        theirs.get("type") == ours.get("type")
        and all(_setting(theirs, name) == _setting(ours, name) for name in _DEFAULTS)
        and _values(ours.get("options")) <= _values(theirs.get("options"))
        and _no_tighter(theirs, ours, "filter_content_type")
        and _no_tighter(theirs, ours, "filetypes")
        and _whitelist_fits(theirs, ours)
        and _limits_fit(theirs, ours)
    )


def _setting(definition: JsonObject, name: str) -> Json:
    found = definition.get(name)
    return _DEFAULTS[name] if found is None else found


def _values(options: Json) -> set[str]:
    listed = options if isinstance(options, list) else []
    return {str(option.get("value")) for option in listed if isinstance(option, dict)}


def _names(value: Json) -> set[str]:
    """Return the names of a list; the service also writes them comma-separated."""
    if isinstance(value, str):
        return {name for name in value.split(",") if name}
    return {str(name) for name in value} if isinstance(value, list) else set()


def _no_tighter(theirs: JsonObject, ours: JsonObject, name: str) -> bool:
    allowed = _names(theirs.get(name))
    wanted = _names(ours.get(name)) or (_ANY_FILE if name == "filetypes" else set())
    if not allowed:
        return True
    return bool(wanted) and wanted <= allowed


def _whitelist_fits(theirs: JsonObject, ours: JsonObject) -> bool:
    """Return whether they take every block that ours takes.

    A restriction by group or tag fits only where nothing is chosen: which components
    are in a group is not known here.
    """
    if not theirs.get("restrict_components"):
        return True
    if theirs.get("restrict_type"):
        lists = [
            theirs.get(f"component_{of}_{side}list")
            for of in ("group", "tag")
            for side in ("white", "deny")
        ]
        return not any(lists)
    allowed = _names(theirs.get("component_whitelist"))
    denied = _names(theirs.get("component_denylist"))
    wanted = _names(ours.get("component_whitelist"))
    if not wanted:
        return not allowed | denied
    return (not allowed or wanted <= allowed) and not wanted & denied


def _limits_fit(theirs: JsonObject, ours: JsonObject) -> bool:
    """Return whether they refuse no value that ours would take."""
    return all(theirs.get(name) in (None, "", ours.get(name)) for name in _LIMITS)
