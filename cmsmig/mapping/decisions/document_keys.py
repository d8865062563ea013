"""The keys of decision files as models, which they are read and written by, and
every mistake as a sentence with its line and its place.

Text is taken as it is written: an unquoted `No` or `2024` in a label stays that
text. A key without a value counts as left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    PlainValidator,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from cmsmig.canonical import JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.decisions.yaml_documents import NO, NULL, YES, json_of, text_of

Place = tuple[str | int, ...]
Made = TypeVar("Made")
K = TypeVar("K", bound="Keys")

_NO_MAPPING = "must be a list of `key: value` lines"
_NO_TEXT = "must be one text"
_MISTAKE = "mistake"


class Keys(BaseModel):
    """The keys that one mapping may have, in the order that they are written.

    They are named as the attributes of the value that they make, or by `alias`.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    brief: ClassVar[bool] = False
    """Whether a key is not written while its value is its default. One that has a
    `default_factory` is written always."""

    def made(self, kind: Callable[..., Made]) -> Made:
        """Return the value that the keys stand for."""
        return kind(**dict(self))

    @classmethod
    def taken(cls, made: Any) -> dict[str, Any]:
        """Return what is written of a value, by attribute."""
        return {name: getattr(made, name) for name in cls.model_fields}

    @classmethod
    def body(cls, made: object) -> JsonObject:
        """Return a value as the plain JSON that stands in the file."""
        taken = {
            _key(cls, name): each
            for name, each in cls.taken(made).items()
            if not (cls.brief and each == cls.model_fields[name].default)
        }
        return cls.model_construct(**taken).model_dump(
            mode="json", by_alias=True, exclude_unset=True
        )

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, node: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        given = values_of(node)
        known = [_key(cls, name) for name in cls.model_fields]
        found = read({key: each for key, each in given.items() if each is not None})
        for key in given:
            if key not in known:
                allowed = ", ".join(sorted(known))
                raise mistake(
                    f"has the unknown key `{key}`; there are {allowed}",
                    _node_at(node, (key,)),
                )
        return found


def _key(keys: type[Keys], name: str) -> str:
    return keys.model_fields[name].alias or name


@dataclass(frozen=True, slots=True)
class From:
    """Marks a type whose values stand in the file as these keys."""

    keys: type[Keys]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            lambda keys: keys.made(source),
            handler.generate_schema(self.keys),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self.keys.body
            ),
        )


class _ReviewedKeys(Keys):
    by: str
    at: str
    how: str


class DecisionKeys(Keys):
    """What every decision file begins with."""

    reviewed: Annotated[Reviewed, From(_ReviewedKeys)] | None = None


def read_keys(model: type[K], node: yaml.Node, where: str, place: Place = ()) -> K:
    """Return what stands in a mapping at a place of the file that `where` names.

    Raises `DecisionsError` naming the first mistake.
    """
    try:
        return model.model_validate(node)
    except ValidationError as error:
        raise _explain(error, node, where, place) from None


def values_of(node: object) -> dict[str, object]:
    """Return a mapping's values by key: texts, lists of nodes, None, else nodes."""
    if not isinstance(node, yaml.MappingNode):
        raise mistake(_NO_MAPPING)
    found: dict[str, object] = {}
    for key, value in node.value:
        name = _name(key)
        if name in found:
            raise mistake(f"has the key `{name}` twice", key)
        listed = isinstance(value, yaml.SequenceNode)
        found[name] = list(value.value) if listed else text_of(value)
        if value.tag == NULL:
            found[name] = None
    return found


def mistake(what: str, node: yaml.Node | None = None) -> PydanticCustomError:
    """Return a finding of a validator: the end of its sentence, and the node whose
    line it names if that is not the value's own."""
    return PydanticCustomError(_MISTAKE, "{what}", {"what": what, "node": node})


def _flag(written: object) -> bool:
    word = _text(written).lower()
    if word not in YES | NO:
        raise mistake(f"`{word}` is neither true nor false")
    return word in YES


def whole_number(least: int, most: int = 10**6) -> BeforeValidator:
    """Return the reading of a whole number within bounds."""

    def read(written: object) -> int:
        word = _text(written)
        digits = re.fullmatch(r"0*([0-9]{1,9})", word)
        if not digits or not least <= int(digits[1]) <= most:
            raise mistake(f"`{word}` is no whole number from {least} to {most}")
        return int(digits[1])

    return BeforeValidator(read)


def _text(written: object) -> str:
    if not isinstance(written, str):
        raise mistake(_NO_TEXT)
    return written


def _free(written: object) -> JsonObject:
    if not isinstance(written, yaml.MappingNode):
        raise mistake(_NO_MAPPING)
    try:
        return json_of(written)
    except (ValueError, RecursionError):
        raise mistake("holds something that JSON can't") from None


Flag = Annotated[bool, BeforeValidator(_flag)]
"""True or false, in YAML's words for them."""

FreeMapping = Annotated[dict[str, Any], PlainValidator(_free)]
"""A mapping with any keys, with YAML's own reading of scalars."""


def _explain(
    error: ValidationError, node: yaml.Node, where: str, place: Place
) -> DecisionsError:
    first = error.errors(include_url=False)[0]
    kind, found, inside = first["type"], first["input"], first["loc"]
    context = first.get("ctx", {})
    if kind == "missing" or found is None:  # None: of the keys that people name
        what = f"lacks the key `{inside[-1]}`"
        inside = inside[:-1]
    elif kind == _MISTAKE:
        what = context["what"]
    elif kind == "tuple_type":
        what = "must be a list"
    elif kind == "enum" and isinstance(found, str):
        # The values stand there as 'one', 'two' or 'three'.
        allowed = context["expected"].replace("'", "").replace(" or ", ", ")
        what = f"`{found}` is not allowed; use one of {allowed}"
    else:
        what = _NO_TEXT
    at = context.get("node") or _node_at(node, inside)
    if kind in ("string_type", "enum") and isinstance(inside[-1], int):
        # A text in a list has no place of its own, only a line.
        inside = inside[:-1]
    line = at.start_mark.line + 1
    return DecisionsError(f"{where}, line {line}{_path((*place, *inside))}: {what}.")


def _path(place: Place) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    path = "".join(steps).strip(".")
    return f" ({path})" if path else ""


def _node_at(root: Any, place: Place) -> yaml.Node:
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
