"""Strict validation of a story's values on POST and PUT."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories.story_rules import blank, blocks_of, schema_of
from cmsmig.sandbox.http.asgi import AnsweredError, Call, json_reply
from cmsmig.sandbox.values import object_of, text_of, truthy

NUMBER = re.compile(r"-?[0-9]*\.?[0-9]*")
"""Has to match a whole number value; the empty string does."""


def is_strict(space: Space, call: Call) -> bool:
    """Return whether a save is validated: always in recently created spaces, in older
    ones on a PUT with `strict_mode=1`. Source: destination, strict validation."""
    asked = call.method == "PUT" and truthy(call.parameter("strict_mode"))
    return space.unknowns.strict or asked


def check_values(space: Space, content: JsonObject) -> None:
    """Refuse blank required fields and values whose form does not fit the field type.

    Nested blocks count, in rich text too; translated keys do not. Ends the request
    with 422. Source: destination, strict validation.
    """
    found: list[Json] = [
        one for block in blocks_of(space, content) for one in _of(space, block)
    ]
    if found:
        raise AnsweredError(json_reply(422, {"error": {"base": found}}))


def _of(space: Space, block: JsonObject) -> Iterator[str]:
    component = text_of(block.get("component"))
    for key, definition in schema_of(space, block).items():
        field = object_of(definition)
        wrong = _fault(field, key, block)
        if wrong:
            place = f"The value of the field {key} in the component {component}"
            yield f"Block {text_of(block.get('_uid'))}: {place} {wrong}"


def _fault(field: JsonObject, key: str, block: JsonObject) -> str:
    value = block.get(key)
    if truthy(field.get("required")) and blank(field, value):
        return "can't be blank"
    form = _FORMS.get(text_of(field.get("type")))
    if form is None or key not in block:
        return ""
    fits, message = form
    return "" if fits(value) else message


def _is_number(value: Json) -> bool:
    return isinstance(value, str) and NUMBER.fullmatch(value) is not None


def _is_document(value: Json) -> bool:
    return value is None or object_of(value).get("type") == "doc"


def _is_array(value: Json) -> bool:
    return value is None or isinstance(value, list)


def _is_object(value: Json) -> bool:
    return value is None or isinstance(value, dict)


_ARRAY = (_is_array, "must be an array")
_OBJECT = (_is_object, "must be an object")
_FORMS: dict[str, tuple[Callable[[Json], bool], str]] = {
    "number": (
        _is_number,
        "must be a string with numbers and allow '-' and '.'",
    ),
    "boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "richtext": (_is_document, "must be a prosemirror document"),
    "bloks": _ARRAY,
    "multiasset": _ARRAY,
    "asset": _OBJECT,
    "multilink": _OBJECT,
}
"""By field type. Null counts as absent, except for numbers and booleans."""
