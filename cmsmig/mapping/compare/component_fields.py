"""A component as fields that are compared one by one, and written one by one; and
whether an existing component holds all that ours needs.

`display_name`, `is_root` and other flags; `schema.title.required`, an attribute of a
schema field; `schema.mood.options.calm`, one of its options; `schema.subtitle`, a
whole schema field where one side has none or made it another type; and the two orders
`schema.*.pos` and `schema.mood.options`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.content_equality import (
    GENERATED,
    is_unset,
    merged_order,
    plain,
)

FLAGS = (
    "display_name",
    "description",
    "is_root",
    "is_nestable",
    "component_group_uuid",
    "preview_field",
    "preview_tmpl",
    "image",
    "icon",
    "color",
    "preset_id",
    "internal_tag_ids",
    "content_type_asset_preview",
    "metadata",
)
"""What is writable besides name and schema. Source: destination, components."""
_BOOLEANS = frozenset(("is_root", "is_nestable"))

ORDER = "schema.*.pos"
"""The order of the schema fields that all sides have."""
_SCHEMA = "schema."
_OPTIONS = "options"


@dataclass(frozen=True, slots=True)
class ComponentShape:
    """How three states of one component are divided into the same fields."""

    flags: tuple[str, ...]
    """Those that we know something of."""
    whole: frozenset[str]
    """Keys of schema fields that are compared as one value."""
    common: frozenset[str]
    """Keys of schema fields that all sides have."""
    choices: dict[str, frozenset[str]]
    """The options that all sides have, by the key of a field whose options are
    compared one by one."""

    @classmethod
    def of(
        cls, base: JsonObject, ours: JsonObject, theirs: JsonObject
    ) -> ComponentShape:
        """Return the shape of what was written, is wanted, and is there now."""
        sides = [schema_of(each) for each in (base, ours, theirs)]
        common = frozenset.intersection(*(frozenset(each) for each in sides))
        every = frozenset[str]().union(*sides)
        retyped = {
            key
            for key in common
            if sides[2][key].get("type") != sides[0][key].get("type")
        }
        return cls(
            flags=tuple(flag for flag in FLAGS if flag in base or flag in ours),
            whole=(every - common) | retyped,
            common=common,
            choices=dict(_find_choices(sides, common - retyped)),
        )

    def fields(self, record: JsonObject) -> dict[str, Json]:
        """Return the fields of one side; what is unset is no field."""
        found = dict(self._flags(record))
        schema = schema_of(record)
        for key, definition in schema.items():
            if key in self.whole:
                shown = {name: definition[name] for name in definition if name != "pos"}
                found[f"schema.{key}"] = plain(shown)
            else:
                found.update(self._attributes(key, definition))
        ordered: list[Json] = [
            key for key in keys_in_order(schema) if key in self.common
        ]
        if len(ordered) > 1:
            found[ORDER] = ordered
        return found

    def divides(self, field: str) -> bool:
        """Return whether a name is one of a flag or of an attribute in this shape."""
        key, dot, _ = field.removeprefix(_SCHEMA).partition(".")
        if not field.startswith(_SCHEMA):
            return field in self.flags
        return bool(dot) and key in self.common - self.whole

    def is_order(self, field: str) -> bool:
        """Return whether a field is only an order."""
        key, _, attribute = field.removeprefix(_SCHEMA).partition(".")
        return field == ORDER or (attribute == _OPTIONS and key in self.choices)

    def is_choice(self, field: str) -> bool:
        """Return whether a field is one option of a schema field."""
        key, _, attribute = field.removeprefix(_SCHEMA).partition(".")
        return attribute.startswith(f"{_OPTIONS}.") and key in self.choices

    def _flags(self, record: JsonObject) -> Iterator[tuple[str, Json]]:
        for flag in self.flags:
            value = record.get(flag)
            if flag in _BOOLEANS:
                yield flag, bool(value)
            elif not is_unset(plain(value)):
                yield flag, plain(value)

    def _attributes(
        self, key: str, definition: JsonObject
    ) -> Iterator[tuple[str, Json]]:
        for name, value in definition.items():
            if name == _OPTIONS and key in self.choices:
                yield from self._choices(key, definition)
            elif name != "pos" and name not in GENERATED:
                shown = plain(value)
                if not is_unset(shown):
                    yield f"{_SCHEMA}{key}.{name}", shown

    def _choices(self, key: str, definition: JsonObject) -> Iterator[tuple[str, Json]]:
        options = options_of(definition) or {}
        for value, option in options.items():
            held = {
                name: each for name, each in option.items() if name not in GENERATED
            }
            alone = held.keys() <= {"name", "value"}
            yield (
                f"schema.{key}.{_OPTIONS}.{value}",
                held.get("name") if alone else plain(held),
            )
        ordered: list[Json] = [each for each in options if each in self.choices[key]]
        if len(ordered) > 1:
            yield f"schema.{key}.{_OPTIONS}", ordered


def with_fields(
    record: JsonObject, fields: Iterable[str], source: JsonObject, shape: ComponentShape
) -> JsonObject:
    """Return `record` with `fields` as they are in `source`, unset where it has none.

    Fields are divided as in `shape`. All else stays, the service's own ids too.
    """
    changed = dict(record)
    schema: JsonObject = {key: {**each} for key, each in schema_of(record).items()}
    wanted: JsonObject = {**schema_of(source)}
    choices: dict[str, set[str]] = {}
    for field in fields:
        if not field.startswith(_SCHEMA):
            changed[field] = source.get(field)
        elif field != ORDER:
            key, _, attribute = field.removeprefix(_SCHEMA).partition(".")
            name, _, choice = attribute.partition(".")
            if not attribute:
                _copy(schema, key, wanted)
            elif name == _OPTIONS and key in shape.choices:
                choices.setdefault(key, set()).add(choice)
            else:
                _copy(_definition(schema, key), attribute, _definition(wanted, key))
    for key, values in choices.items():
        held = _definition(schema, key)
        held[_OPTIONS] = _with_options(held, _definition(wanted, key), values)
    order = _in_places(schema, changed, source, ours_leads=ORDER in fields)
    return {**changed, "schema": order}


def _in_places(
    schema: JsonObject, there: JsonObject, source: JsonObject, *, ours_leads: bool
) -> JsonObject:
    """Return field definitions in the order of one side; what only the other side has
    comes after what it comes after there. A position that fits stays."""
    theirs, ours = keys_in_order(schema_of(there)), keys_in_order(schema_of(source))
    sides = (ours, theirs) if ours_leads else (theirs, ours)
    placed: JsonObject = {}
    last: float = -1
    for key in merged_order(schema, *sides):
        definition = _definition(schema, key)
        found = definition.get("pos")
        fits = isinstance(found, int | float) and found > last
        last = found if fits and isinstance(found, int | float) else last + 1
        placed[key] = {**definition, "pos": last}
    return placed


def schema_of(record: JsonObject) -> dict[str, JsonObject]:
    """Return the field definitions of a component."""
    schema = record.get("schema")
    return {
        key: definition
        for key, definition in (schema if isinstance(schema, dict) else {}).items()
        if isinstance(definition, dict)
    }


def keys_in_order(schema: dict[str, JsonObject]) -> list[str]:
    """Return the keys of schema fields as an editor sees them."""

    def place(key: str) -> float:
        found = schema[key].get("pos")
        return found if isinstance(found, int | float) else inf

    return sorted(schema, key=place)


def options_of(definition: JsonObject) -> dict[str, JsonObject] | None:
    """Return options by value, or None where it does not identify them."""
    listed = definition.get(_OPTIONS) or []
    if not isinstance(listed, list):
        return None
    found: dict[str, JsonObject] = {}
    for option in listed:
        value = option.get("value") if isinstance(option, dict) else None
        if not isinstance(option, dict) or not isinstance(value, str) or not value:
            return None
        found[value] = option
    return found if len(found) == len(listed) else None


def _find_choices(
    sides: list[dict[str, JsonObject]], keys: Iterable[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    for key in keys:
        options = [options_of(each[key]) for each in sides]
        known = [frozenset(each) for each in options if each is not None]
        if len(known) == len(sides) and any(known):
            yield key, frozenset.intersection(*known)


def _with_options(
    definition: JsonObject, source: JsonObject, choices: set[str]
) -> list[Json]:
    """Return the options with `choices` as in `source`; an empty one is the order."""
    there, wanted = options_of(definition) or {}, options_of(source) or {}
    held = dict(there)
    for value in choices - {""}:
        if value in wanted:
            own = there.get(value, {})
            # The service knows a row by its id: ours yields to the existing one.
            ids = {name: own[name] for name in GENERATED & own.keys()}
            held[value] = {**own, **wanted[value], **ids}
        else:
            held.pop(value, None)
    sides = ([*wanted], [*there]) if "" in choices else ([*there], [*wanted])
    return [held[value] for value in merged_order(held, *sides)]


def _copy(target: JsonObject, key: str, source: JsonObject) -> None:
    if key in source:
        target[key] = source[key]
    else:
        target.pop(key, None)


def _definition(schema: JsonObject, key: str) -> JsonObject:
    """Return the definition of a field that is there."""
    found = schema[key]
    if not isinstance(found, dict):
        raise TypeError(f"the field {key} has no definition")
    return found


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
    theirs, ours = _holding(existing), _holding(body)
    return all(
        key in theirs and _fits(theirs[key], definition)
        for key, definition in ours.items()
    ) and not any(
        definition.get("required") and key not in ours
        for key, definition in theirs.items()
    )


def _holding(body: JsonObject) -> dict[str, JsonObject]:
    """Return the definitions of the fields that hold a value."""
    return {
        key: definition
        for key, definition in schema_of(body).items()
        if definition.get("type") not in _LOOKS
    }


def _fits(theirs: JsonObject, ours: JsonObject) -> bool:
    return (
        theirs.get("type") == ours.get("type")
        and all(_setting(theirs, name) == _setting(ours, name) for name in _DEFAULTS)
        and _values(ours.get("options")) <= _values(theirs.get("options"))
        and _no_tighter(theirs, ours, "filter_content_type")
        and _no_tighter(theirs, ours, "filetypes")
        and _whitelist_fits(theirs, ours)
        and all(theirs.get(name) in (None, "", ours.get(name)) for name in _LIMITS)
    )


def _setting(definition: JsonObject, name: str) -> Json:
    found = definition.get(name)
    return _DEFAULTS[name] if found is None else found


def _values(options: Json) -> set[str]:
    listed = options if isinstance(options, list) else []
    return {str(option.get("value")) for option in listed if isinstance(option, dict)}


def names_of(value: Json) -> frozenset[str]:
    """Return the names of a list; the service also writes them comma-separated."""
    if isinstance(value, str):
        return frozenset(name for name in value.split(",") if name)
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()


def _no_tighter(theirs: JsonObject, ours: JsonObject, name: str) -> bool:
    allowed = names_of(theirs.get(name))
    wanted = names_of(ours.get(name)) or (
        _ANY_FILE if name == "filetypes" else frozenset()
    )
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
    denied = names_of(theirs.get("component_denylist"))
    wanted = names_of(ours.get("component_whitelist"))
    is_denied = bool(wanted & denied if wanted else denied)
    return _no_tighter(theirs, ours, "component_whitelist") and not is_denied
