"""Records that decision files hold. A dataclass is read from the nodes of its file
and written as plain JSON; every mistake is a sentence with its line and its place.

Keys are named as the attributes, or by the `alias` of a pydantic field, and written
in the order of the attributes. Text is taken as it is written: an unquoted `No` or
`2024` in a label stays that text. A key without a value counts as left out.
"""

from __future__ import annotations

from functools import cache
from types import GenericAlias
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import yaml
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import (
    CoreSchema,
    ErrorDetails,
    PydanticCustomError,
    core_schema,
)

from cmsmig.canonical import JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.yaml_documents import NULL, json_of

Place = tuple[str | int, ...]
R = TypeVar("R")

_MISTAKE = "mistake"
_LACKS = "lacks the key `{key}`"
_SENTENCES = {
    "missing": _LACKS,
    "missing_argument": _LACKS,
    "unexpected_keyword_argument": "has the unknown key `{key}`",
    "tuple_type": "must be a list",
    "string_type": "must be one text",
}
"""What is wrong, by pydantic's name of it; else it is pydantic's own sentence."""


class Entry(dict[str, object]):
    """The values of one mapping by key: texts, lists and mappings, and None."""

    def __init__(self, node: yaml.MappingNode) -> None:
        super().__init__()
        self.node = node


class Record:
    """A dataclass that is read from one mapping of a file."""

    __slots__ = ()

    @model_validator(mode="before")
    @classmethod
    def _written(cls, written: object) -> object:
        entry, kind = _entry(written), cast(Any, cls)
        known = _keys(kind)
        for key in entry:
            if key not in known:
                raise mistake(
                    f"has the unknown key `{key}`; there are {', '.join(sorted(known))}"
                )
        return {key: value for key, value in entry.items() if value is not None}


@cache
def _keys(kind: type) -> frozenset[str]:
    hints = get_type_hints(kind, include_extras=True)
    fields = {name: FieldInfo.from_annotation(each) for name, each in hints.items()}
    written = {name: each for name, each in fields.items() if not each.exclude}
    return frozenset(each.alias or name for name, each in written.items())


def read_record(kind: type[R], node: yaml.Node, where: str, place: Place = ()) -> R:
    """Return the record at a place of the file that `where` names.

    Raises `DecisionsError` naming the first mistake.
    """
    found: R
    try:
        (found,) = _adapter(cast(Any, kind)).validate_python((_value(node, where),))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _explained(first, node, where, place) from None
    return found


def record_body(record: object) -> JsonObject:
    """Return a record as the plain JSON of its file."""
    adapter = _adapter(cast(Any, type(record)))
    written = adapter.dump_python((record,), mode="json", by_alias=True)
    body: JsonObject = written[0]
    return body


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    # A dataclass takes its configuration from what holds it.
    held: Any = GenericAlias(tuple, (kind,))
    return TypeAdapter(held, config=ConfigDict(extra="forbid"))


def unless(default: object) -> FieldInfo:
    """Return the mark of a key that is not written while its value is the default."""
    made: FieldInfo = Field(exclude_if=lambda value: bool(value == default))
    return made


def mistake(what: str) -> PydanticCustomError:
    """Return a finding of a validator: the end of its sentence."""
    return PydanticCustomError(_MISTAKE, "{what}", {"what": what})


def _entry(written: object) -> Entry:
    if not isinstance(written, Entry):
        raise mistake("must be a list of `key: value` lines")
    return written


def _free(written: object) -> JsonObject:
    node = _entry(written).node
    try:
        return json_of(node)
    except (ValueError, RecursionError):
        raise mistake("holds something that JSON can't") from None


class _FreeMapping:
    # Pydantic has no schema for a type that contains itself, as JSON does.
    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_free)


FREE_MAPPING = _FreeMapping()
"""Marks a mapping with any keys, with YAML's own reading of scalars."""
ENTRY = BeforeValidator(_entry)
"""Marks what is a mapping in the file, although a list would fit its type too."""
SORTED = PlainSerializer(lambda written: dict(sorted(written.items())))
"""Marks a mapping that is written in the order of its keys."""
Unwritten = Annotated[R, Field(exclude=True)]
"""A value that is no key of the file."""


def _value(node: yaml.Node, where: str) -> object:
    """Return what a node holds: a text, a list, an entry, or None."""
    if isinstance(node, yaml.SequenceNode):
        return [_value(each, where) for each in node.value]
    if not isinstance(node, yaml.MappingNode):
        return None if node.tag == NULL else str(node.value)
    found = Entry(node)
    for key, value in node.value:
        name = _name(key)
        if name in found:
            raise _error(f"has the key `{name}` twice", key, where)
        found[name] = _value(value, where)
    return found


def _explained(
    error: ErrorDetails, root: yaml.Node, where: str, place: Place
) -> DecisionsError:
    inside, found = error["loc"][1:], error["input"]
    at = node_at(root, inside)
    if error["type"] in _SENTENCES:
        what = _SENTENCES[error["type"]].format(key=inside[-1] if inside else "")
        if "key" in what:
            inside = inside[:-1]
            at = node_at(root, inside)
    elif error["type"] == _MISTAKE:
        what = error["msg"]
    else:
        value = f"`{found}` " if isinstance(found, str) else ""
        what = value + error["msg"].replace("Input should", "must")
    return _error(what, at, where, (*place, *inside))


def _error(what: str, at: yaml.Node, where: str, place: Place = ()) -> DecisionsError:
    line = at.start_mark.line + 1
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    path = "".join(steps).strip(".")
    named = f" ({path})" if path else ""
    return DecisionsError(f"{where}, line {line}{named}: {what}.")


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
