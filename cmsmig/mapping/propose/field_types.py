"""The types of fields that the origin documents: one row says all that a type is, and
what a field of it becomes, with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, auto
from typing import TypeAlias

from cmsmig.counting import counted, noun_for
from cmsmig.mapping.decisions.design import Encoding, FieldDesign
from cmsmig.mapping.propose.field_facts import FieldFacts
from cmsmig.mapping.propose.field_keys import option_labels
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

LONGEST_TEXT = 255
"""Characters that fit a single-line field comfortably."""


@dataclass(frozen=True, slots=True)
class FieldContext:
    """What a proposal depends on besides the field and its values."""

    listed: Mapping[str, str] = field(default_factory=dict)
    """Display names of the site's collections by id."""
    migrated: frozenset[str] = frozenset()
    """Ids of the collections that are migrated."""
    has_color_plugin: bool = False
    rtl: bool = False
    """Whether the site's primary language is written from right to left."""


def propose_plain(
    origin: Field, encoding: Encoding, facts: FieldFacts, context: FieldContext
) -> FieldDesign:
    """Return the field with its first encoding."""
    return proposed(origin, encoding)


def propose_text(
    origin: Field, encoding: Encoding, facts: FieldFacts, context: FieldContext
) -> FieldDesign:
    """Return one line or several, by the schema and the values; Markdown is noted."""
    single = origin.validations.get("singleLine")
    chosen, note = _text_encoding(single, facts)
    if chosen is Encoding.TEXTAREA and facts.markdown * 2 > facts.filled:
        note = (
            f"{facts.markdown} of {facts.filled} values read as Markdown. `textarea` "
            "and `markdown` keep it verbatim, `markdown_as_richtext` converts it."
        )
    return proposed(origin, chosen, note)


def _text_encoding(single: object, facts: FieldFacts) -> tuple[Encoding, str]:
    if single is False:
        return Encoding.TEXTAREA, ""
    if facts.multiline:
        said = (
            "Single-line at the origin, but"
            if single is True
            else "The origin's schema does not say whether it is one line;"
        )
        return (
            Encoding.TEXTAREA,
            f"{said} {facts.multiline} "
            f"{noun_for(facts.multiline, 'value has', 'values have')} line breaks.",
        )
    if single is not True and facts.longest > LONGEST_TEXT:
        return (
            Encoding.TEXTAREA,
            "The origin's schema does not say whether it is one line; the longest "
            f"value has {facts.longest} characters.",
        )
    return Encoding.TEXT, ""


_OFTEN = 10
"""One value in so many may have a time in a field of dates."""


def propose_moment(
    origin: Field, encoding: Encoding, facts: FieldFacts, context: FieldContext
) -> FieldDesign:
    """Return a moment, or a day where the schema or the values say so."""
    declared = origin.validations.get("format")
    others = facts.filled - facts.midnights
    few = facts.filled == facts.moments and others <= max(1, facts.filled // _OFTEN)
    if declared == "date":
        why = "the origin's schema declares it."
    elif declared != "date-time" and few and others < facts.midnights:
        many = "every value is" if not others else f"all but {others} are"
        why = f"{many} at midnight ({counted(facts.filled, 'value')})."
    else:
        return proposed(origin, encoding)
    return proposed(origin, Encoding.DATE, f"A date without a time: {why}")


def propose_color(
    origin: Field, encoding: Encoding, facts: FieldFacts, context: FieldContext
) -> FieldDesign:
    """Return a colour as text; a colour picker of the space is noted."""
    offer = "The space has the colour picker; `color_plugin` uses it."
    note = offer if context.has_color_plugin else ""
    return proposed(origin, encoding, note)


def propose_option(
    origin: Field, encoding: Encoding, facts: FieldFacts, context: FieldContext
) -> FieldDesign:
    """Return a choice with its labels, equal ones made different."""
    options = option_labels(origin.options)
    renamed = [
        label
        for (_, label), (_, before) in zip(
            options, dict(origin.options).items(), strict=True
        )
        if label != before
    ]
    doubled = f"Equal labels made different: {', '.join(renamed)}." if renamed else ""
    unknown = (
        f"{facts.unknown_options} "
        f"{noun_for(facts.unknown_options, 'item holds', 'items hold')} a choice that "
        "is no longer in the list; it is listed as a loss."
        if facts.unknown_options
        else ""
    )
    design = proposed(origin, encoding, doubled, unknown)
    return replace(design, options=options)


def propose_relation(
    origin: Field, encoding: Encoding, facts: FieldFacts, context: FieldContext
) -> FieldDesign:
    """Return a relation; a target that is not migrated is noted."""
    target = origin.target_collection
    if target in context.migrated:
        note = ""
    elif target in context.listed:
        note = (
            f"Refers to {context.listed[target]}, which is not migrated. The field "
            "stays empty, and its references are listed."
        )
    else:
        note = (
            "Refers to a collection that the site does not list. The field stays "
            "empty, and its references are listed."
        )
    design = proposed(origin, encoding, note)
    return replace(design, target_collection=target)


def proposed(
    origin: Field, encoding: Encoding, *notes: str, key: str = ""
) -> FieldDesign:
    """Return one field of an origin field, its key still the origin's slug."""
    return FieldDesign(
        origin=origin.slug,
        origin_type=origin.type,
        key=key or origin.slug,
        encoding=encoding,
        display_name=origin.display_name or title_of(origin.slug),
        help_text=origin.help_text,
        note=" ".join(note for note in notes if note),
    )


def title_of(slug: str) -> str:
    """Return a display name made of a slug."""
    return slug.replace("-", " ").replace("_", " ").strip().capitalize() or slug


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
    propose: _Propose = propose_plain
    check: Check = anything_goes
    """Only of what the destination has no type for, or whose limits no page checks."""
    several: bool = False
    """Whether a value is a list."""


_ROWS = (
    FieldType("PlainText", _TEXTS, propose=propose_text),
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
        propose_color,
        check_color,
    ),
    FieldType("Number", (Encoding.NUMBER,), Shown.NUMBER, check=check_number),
    FieldType(
        "DateTime",
        (Encoding.DATETIME, Encoding.DATE),
        Shown.DATE,
        propose_moment,
    ),
    FieldType("Switch", (Encoding.BOOLEAN,), Shown.SWITCH),
    FieldType(
        "Option",
        (Encoding.OPTION, Encoding.OPTION_DATASOURCE),
        Shown.OPTION,
        propose_option,
    ),
    FieldType(
        "Reference",
        (Encoding.RELATION,),
        Shown.REFERENCES,
        propose_relation,
    ),
    FieldType(
        "MultiReference",
        (Encoding.RELATIONS,),
        Shown.REFERENCES,
        propose_relation,
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
