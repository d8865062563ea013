"""Which kinds of values a field of the destination takes, by the field's type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject

_NUMBER = re.compile(r"-?\d*+\.?+\d*+", re.ASCII)


class ValueKind(StrEnum):
    """What a value is, as far as the service looks at it; one letter, since it is kept
    for each field of each draft."""

    NULL = "z"
    EMPTY = "e"
    """The text `""`."""
    NUMERIC = "n"
    """A text that is a number."""
    TEXT = "t"
    NUMBER = "j"
    """A JSON number, which no field takes."""
    FLAG = "b"
    DOCUMENT = "d"
    ASSET = "a"
    LINK = "m"
    OBJECT = "o"
    """Any other object."""
    LIST = "l"


NAMES: Mapping[ValueKind, str] = {
    ValueKind.NULL: "null",
    ValueKind.EMPTY: "an empty text",
    ValueKind.NUMERIC: "a text",
    ValueKind.TEXT: "a text",
    ValueKind.NUMBER: "a JSON number",
    ValueKind.FLAG: "yes or no",
    ValueKind.DOCUMENT: "a rich text document",
    ValueKind.ASSET: "a file",
    ValueKind.LINK: "a link",
    ValueKind.OBJECT: "an object",
    ValueKind.LIST: "a list",
}
_KINDS = {
    type(None): ValueKind.NULL,
    bool: ValueKind.FLAG,
    int: ValueKind.NUMBER,
    float: ValueKind.NUMBER,
    list: ValueKind.LIST,
}
_FIELD_TYPES = {"asset": ValueKind.ASSET, "multilink": ValueKind.LINK}

_ENFORCED: Mapping[str, frozenset[ValueKind]] = {
    "number": frozenset(map(ValueKind, "en")),
    "boolean": frozenset(map(ValueKind, "b")),
    "richtext": frozenset(map(ValueKind, "zd")),
    "bloks": frozenset(map(ValueKind, "zl")),
    "multiasset": frozenset(map(ValueKind, "zl")),
    "asset": frozenset(map(ValueKind, "zdamo")),
    "multilink": frozenset(map(ValueKind, "zdamo")),
}
"""What the service saves in each; all else it refuses.

Source: destination, strict validation.
"""
_EDITABLE: Mapping[str, frozenset[ValueKind]] = {
    "asset": frozenset(map(ValueKind, "za")),
    "multilink": frozenset(map(ValueKind, "zm")),
    "options": frozenset(map(ValueKind, "zel")),
    **dict.fromkeys(
        ("text", "textarea", "markdown", "datetime", "option"),
        frozenset(map(ValueKind, "zent")),
    ),
}
"""What the editor can show; whether more is refused is not known."""

TAKES: Mapping[str, str] = {
    "number": "digits with `-` and `.` only",
    "boolean": "yes or no",
    "richtext": "a rich text document",
    "bloks": "a list of blocks",
    "multiasset": "a list of files",
    "asset": "a file",
    "multilink": "a link",
    "options": "a list of choices",
    "option": "one choice",
    "datetime": "a date",
}
"""What each type takes, for an editor; a type that is not here takes text."""


def kind_of(value: Json) -> ValueKind:
    """Return the kind of a value."""
    if isinstance(value, str):
        if not value:
            return ValueKind.EMPTY
        return ValueKind.NUMERIC if _NUMBER.fullmatch(value) else ValueKind.TEXT
    if isinstance(value, dict):
        return _kind_of_object(value)
    return _KINDS[type(value)]


def _kind_of_object(value: JsonObject) -> ValueKind:
    if value.get("type") == "doc":
        return ValueKind.DOCUMENT
    return _FIELD_TYPES.get(str(value.get("fieldtype")), ValueKind.OBJECT)


def is_refused(field_type: str, kind: ValueKind) -> bool:
    """Return whether the service refuses such a value in a field of this type."""
    taken = _ENFORCED.get(field_type)
    return taken is not None and kind not in taken


def is_unfit(field_type: str, kind: ValueKind) -> bool:
    """Return whether such a value is refused, or one that the editor cannot show."""
    taken = _EDITABLE.get(field_type)
    return is_refused(field_type, kind) or (taken is not None and kind not in taken)
