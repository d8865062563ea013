"""Records that decision files hold. A dataclass is read from the nodes of its file
and written as plain JSON; every mistake is a sentence with its line and its place.

Keys are named as the attributes, or by the `alias` of a pydantic field, and written
in the order of the attributes. Text is taken as it is written: an unquoted `No` or
`2024` in a label stays that text. A key without a value counts as left out.
"""

from __future__ import annotations

import re
from types import GenericAlias
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import yaml
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from cmsmig.canonical import JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.yaml_documents import NO, NULL, YES, json_of

Place = tuple[str | int, ...]
R = TypeVar("R")

_NO_MAPPING = "must be a list of `key: value` lines"
_NO_TEXT = "must be one text"
_MISTAKE = "mistake"
_MISSING = ("missing", "missing_argument")
_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
_NO_ENTRY = ("dataclass_type", "named_tuple_type")


class Entry(dict[str, object]):
    """The values of one mapping by key: texts, lists and mappings."""

    def __init__(self, node: yaml.MappingNode) -> None:
        super().__init__()
        self.node = node
        self.empty: list[str] = []
        """The keys without a value."""


def read_record(kind: type[R], node: yaml.Node, where: str, place: Place = ()) -> R:
    """Return the record at a place of the file that `where` names.

    Raises `DecisionsError` naming the first mistake.
    """
    values = _values(kind, node, where, place)
    found: R
    try:
        (found,) = _adapter(kind).validate_python((values,))
    except ValidationError as error:
        raise _explain(error, kind, node, where, place) from None
    return found


def record_body(record: object) -> JsonObject:
    """Return a record as the plain JSON of its file."""
    written = _adapter(type(record)).dump_python((record,), mode="json", by_alias=True)
    body: JsonObject = written[0]
    return body


_ADAPTERS: dict[object, TypeAdapter[Any]] = {}
_TYPES: dict[object, dict[str, object]] = {None: {}}


def _adapter(kind: object) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        # A dataclass takes its configuration from what holds it.
        held: Any = GenericAlias(tuple, (kind,))
        _ADAPTERS[kind] = TypeAdapter(held, config=ConfigDict(extra="forbid"))
    return _ADAPTERS[kind]


def unless(default: object) -> FieldInfo:
    """Return the mark of a key that is not written while its value is the default."""
    made: FieldInfo = Field(exclude_if=lambda value: bool(value == default))
    return made


def mistake(what: str) -> PydanticCustomError:
    """Return a finding of a validator: the end of its sentence."""
    return PydanticCustomError(_MISTAKE, "{what}", {"what": what})


def whole_number(least: int, most: int = 10**6) -> BeforeValidator:
    """Return the reading of a whole number within bounds."""

    def read(written: object) -> int:
        word = _text(written)
        digits = re.fullmatch(r"0*([0-9]{1,9})", word)
        if not digits or not least <= int(digits[1]) <= most:
            raise mistake(f"`{word}` is no whole number from {least} to {most}")
        return int(digits[1])

    return BeforeValidator(read)


def _read_flag(written: object) -> bool:
    word = _text(written).lower()
    if word not in YES | NO:
        raise mistake(f"`{word}` is neither true nor false")
    return word in YES


def _text(written: object) -> str:
    if not isinstance(written, str):
        raise mistake(_NO_TEXT)
    return written


def _entry(written: object) -> Entry:
    if not isinstance(written, Entry):
        raise mistake(_NO_MAPPING)
    return written


def _whole_entry(written: object) -> Entry:
    found = _entry(written)
    if found.empty:
        raise mistake(f"lacks the key `{found.empty[0]}`")
    return found


def _free(written: object) -> JsonObject:
    node = _entry(written).node
    try:
        return json_of(node)
    except (ValueError, RecursionError):
        raise mistake("holds something that JSON can't") from None


def _refuse(_written: object) -> None:
    raise PydanticCustomError("extra_forbidden", "not a key of the file")


class _FreeMapping:
    # Pydantic has no schema for a type that contains itself, as JSON does.
    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_free)


Flag = Annotated[bool, BeforeValidator(_read_flag)]
"""True or false, in YAML's words for them."""
FREE_MAPPING = _FreeMapping()
"""Marks a mapping with any keys, with YAML's own reading of scalars."""
ENTRY = BeforeValidator(_entry)
"""Marks what is a mapping in the file, although a list would fit its type too."""
WHOLE_ENTRY = BeforeValidator(_whole_entry)
"""Marks a mapping from names that people choose: each of them has a value."""
SORTED = PlainSerializer(lambda written: dict(sorted(written.items())))
"""Marks a mapping that is written in the order of its keys."""
Unwritten = Annotated[R, Field(exclude=True), BeforeValidator(_refuse)]
"""A value that is no key of the file."""


def _values(kind: object, node: yaml.Node, where: str, place: Place) -> object:
    """Return what a node holds for a value of a type: texts, lists and entries."""
    if isinstance(node, yaml.SequenceNode):
        return [
            _values(kind, each, where, (*place, index))
            for index, each in enumerate(node.value)
        ]
    if not isinstance(node, yaml.MappingNode):
        return str(node.value)
    types = _types_of(kind)
    found = Entry(node)
    for key, value in node.value:
        name = _name(key)
        if name in found or name in found.empty:
            raise _error(f"has the key `{name}` twice", key, where, place)
        if value.tag == NULL and (name in types or not types):
            found.empty.append(name)
        else:
            found[name] = _values(types.get(name), value, where, (*place, name))
    return found


def _explain(
    error: ValidationError, kind: object, node: yaml.Node, where: str, place: Place
) -> DecisionsError:
    first = error.errors(include_url=False)[0]
    problem, found, inside = first["type"], first["input"], first["loc"][1:]
    at = node_at(node, inside)
    if problem in _MISSING:
        what = f"lacks the key `{inside[-1]}`"
        inside = inside[:-1]
        at = node_at(node, inside)
    elif problem in _UNKNOWN:
        allowed = ", ".join(sorted(_types_at(kind, inside[:-1])))
        what = f"has the unknown key `{inside[-1]}`; there are {allowed}"
        inside = inside[:-1]
    elif problem == _MISTAKE:
        what = first["ctx"]["what"]
    elif problem in _NO_ENTRY:
        what = _NO_MAPPING
    elif problem == "tuple_type":
        what = "must be a list"
    elif problem == "enum" and isinstance(found, str):
        # Pydantic lists the values as 'one', 'two' or 'three'.
        allowed = first["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        what = f"`{found}` is not allowed; use one of {allowed}"
    else:
        what = _NO_TEXT
    if problem in ("string_type", "enum") and isinstance(inside[-1], int):
        # A text in a list has no place of its own, only a line.
        inside = inside[:-1]
    return _error(what, at, where, (*place, *inside))


def _error(what: str, at: yaml.Node, where: str, place: Place) -> DecisionsError:
    line = at.start_mark.line + 1
    return DecisionsError(f"{where}, line {line}{_path(place)}: {what}.")


def _types_of(kind: object) -> dict[str, object]:
    """Return the types of the values of a record, or of one in a list, by key; empty
    for what is no record."""
    while inner := get_args(kind):
        kind = inner[0]
    if kind not in _TYPES:
        hints = get_type_hints(kind, include_extras=True)
        fields = {name: FieldInfo.from_annotation(each) for name, each in hints.items()}
        _TYPES[kind] = {
            field.alias or name: field.annotation
            for name, field in fields.items()
            if not field.exclude
        }
    return _TYPES[kind]


def _types_at(kind: object, place: Place) -> dict[str, object]:
    """Return the types of the values by key, of the record at a place of another."""
    types = _types_of(kind)
    for step in place:
        if isinstance(step, str):
            types = _types_of(types[step])
    return types


def _path(place: Place) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    path = "".join(steps).strip(".")
    return f" ({path})" if path else ""


def node_at(root: Any, place: Place) -> yaml.Node:
    """Return the node at a place, or the last on the way that is there."""
    node: yaml.Node = root
    for step in place:
        if isinstance(step, int):
            node = node.value[step]
        else:
            node = next((at for key, at in node.value if _name(key) == step), node)
    return node


def _name(key: yaml.Node) -> str:
    return key.value if isinstance(key, yaml.ScalarNode) else ""
