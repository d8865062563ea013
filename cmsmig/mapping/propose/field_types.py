"""The types of fields that the origin documents: one row says all that a type is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import TypeAlias

from cmsmig.mapping.decisions.design import Encoding, FieldDesign
from cmsmig.mapping.propose import type_proposals as proposals
from cmsmig.mapping.propose.field_facts import FieldFacts
from cmsmig.mapping.propose.type_proposals import FieldContext
from cmsmig.mapping.value_checks import (
    Check,
    anything_goes,
    check_color,
    check_email,
    check_link,
    check_number,
    check_phone,
)
from cmsmig.origin.schema import Field

_Propose: TypeAlias = Callable[[Field, Encoding, FieldFacts, FieldContext], FieldDesign]


class Shown(StrEnum):
    """How a value of a type is listed, counted and shown."""

    TEXT = auto()
    BODY = auto()
    NUMBER = auto()
    SWITCH = auto()
    DATE = auto()
    OPTION = auto()
    COLOR = auto()
    LINK = auto()
    EMAIL = auto()
    REFERENCES = auto()
    FILES = auto()


_TEXTS = (
    Encoding.TEXT,
    Encoding.TEXTAREA,
    Encoding.MARKDOWN,
    Encoding.MARKDOWN_AS_RICHTEXT,
)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A type of the origin's fields."""

    name: str
    """As the schema has it; empty for any that the origin does not document."""
    encodings: tuple[Encoding, ...]
    """What a design may choose; the first is proposed as a rule. Every type may also
    become JSON text, which keeps any value verbatim."""
    shown: Shown = Shown.TEXT
    propose: _Propose = proposals.propose_plain
    check: Check = anything_goes
    """Only of what the destination has no type for, or whose limits no page checks."""
    several: bool = False
    """Whether a value is a list."""


_ROWS = (
    FieldType("PlainText", _TEXTS, propose=proposals.propose_text),
    FieldType("RichText", (Encoding.RICHTEXT,), Shown.BODY),
    FieldType("Image", (Encoding.ASSET,), Shown.FILES),
    FieldType("MultiImage", (Encoding.MULTIASSET,), Shown.FILES, several=True),
    FieldType("File", (Encoding.ASSET,), Shown.FILES),
    FieldType(
        "Link", (Encoding.MULTILINK, Encoding.TEXT), Shown.LINK, check=check_link
    ),
    FieldType(
        "VideoLink",
        (Encoding.VIDEO_BLOCK, Encoding.VIDEO_MULTILINK, Encoding.VIDEO_TEXT),
        Shown.LINK,
    ),
    FieldType("Email", (Encoding.TEXT,), Shown.EMAIL, check=check_email),
    FieldType("Phone", (Encoding.TEXT,), check=check_phone),
    FieldType(
        "Color",
        (Encoding.COLOR_TEXT, Encoding.COLOR_PLUGIN),
        Shown.COLOR,
        proposals.propose_color,
        check_color,
    ),
    FieldType("Number", (Encoding.NUMBER,), Shown.NUMBER, check=check_number),
    FieldType(
        "DateTime",
        (Encoding.DATETIME, Encoding.DATE),
        Shown.DATE,
        proposals.propose_moment,
    ),
    FieldType("Switch", (Encoding.BOOLEAN,), Shown.SWITCH),
    FieldType(
        "Option",
        (Encoding.OPTION, Encoding.OPTION_DATASOURCE),
        Shown.OPTION,
        proposals.propose_option,
    ),
    FieldType(
        "Reference",
        (Encoding.RELATION,),
        Shown.REFERENCES,
        proposals.propose_relation,
    ),
    FieldType(
        "MultiReference",
        (Encoding.RELATIONS,),
        Shown.REFERENCES,
        proposals.propose_relation,
        several=True,
    ),
)
FIELD_TYPES: Mapping[str, FieldType] = {each.name: each for each in _ROWS}
"""By the name in the schema."""
_UNKNOWN = FieldType(
    "",
    (
        *_TEXTS,
        Encoding.NUMBER,
        Encoding.BOOLEAN,
        Encoding.ASSET,
        Encoding.MULTIASSET,
        Encoding.PRICE_AMOUNT,
        Encoding.PRICE_CURRENCY,
    ),
)


def field_type(name: str) -> FieldType:
    """Return a type; one without a name where the origin documents none."""
    return FIELD_TYPES.get(name, _UNKNOWN)


def types_shown(*ways: Shown) -> tuple[str, ...]:
    """Return the names of the types whose values are shown in one of these ways."""
    return tuple(each.name for each in _ROWS if each.shown in ways)


def allowed_encodings(origin_type: str) -> tuple[Encoding, ...]:
    """Return what a reviewer may choose for a field of this type."""
    return (*field_type(origin_type).encodings, Encoding.JSON_TEXT)
