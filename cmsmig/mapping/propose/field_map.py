"""The field map: what each origin field becomes, proposed with its reason; so too a
field of a type that it does not know, and a key without a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from cmsmig.counting import counted, noun_for
from cmsmig.mapping.decisions.design import (
    UNLISTED,
    Encoding,
    FieldDesign,
    LeftOutField,
)
from cmsmig.mapping.propose.encodings import ALLOWED, RELATION_ENCODINGS, rules_of
from cmsmig.mapping.propose.field_facts import FieldFacts, Shape
from cmsmig.mapping.propose.field_keys import option_labels
from cmsmig.mapping.select.variants import VALUES
from cmsmig.origin.schema import Field

_LONGEST_TEXT = 255
"""Characters that fit a single-line field comfortably."""

Proposal = tuple[FieldDesign, ...] | LeftOutField


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


def propose_field(origin: Field, facts: FieldFacts, context: FieldContext) -> Proposal:
    """Return what one origin field becomes: one or more fields, or none and why.

    Keys are still the origin's slugs; `assign_keys` turns them into valid ones. Never
    raises: an unknown type goes by the shape of its values.
    """
    propose = _RULES.get(origin.type)
    if Shape.PRICE in facts.shapes or propose is None:
        return _propose_by_shape(origin, facts)
    return tuple(
        _with_rules(
            _with_required(_with_use(design, facts), origin, facts),
            origin,
            facts,
            rtl=context.rtl and origin.type == "PlainText",
        )
        for design in propose(origin, facts, context)
    )


_PAID = (
    "What customers pay for: an uploaded file is public, so it is left out, and its "
    "files are not uploaded, until a person decides."
)


def _is_paid(origin: Field) -> bool:
    """Return whether a field of a shop has the files that it sells."""
    return origin.type.endswith("ExternalFile") or origin.slug == "download-files"


def _plain(
    origin: Field, facts: FieldFacts, context: FieldContext
) -> tuple[FieldDesign, ...]:
    return (_proposed(origin, ALLOWED[origin.type][0]),)


def _text(
    origin: Field, facts: FieldFacts, context: FieldContext
) -> tuple[FieldDesign, ...]:
    single = origin.validations.get("singleLine")
    encoding, note = _text_encoding(single, facts)
    if encoding is Encoding.TEXTAREA and facts.markdown * 2 > facts.filled:
        note = (
            f"{facts.markdown} of {facts.filled} values read as Markdown; kept "
            "verbatim by `textarea` and `markdown`, converted by "
            "`markdown_as_richtext`."
        )
    return (_proposed(origin, encoding, note),)


def _text_encoding(single: object, facts: FieldFacts) -> tuple[Encoding, str]:
    if single is False:
        return Encoding.TEXTAREA, ""
    if facts.multiline:
        said = (
            "Single-line at the origin, but"
            if single is True
            else "The origin does not show whether it is one line, and"
        )
        return (
            Encoding.TEXTAREA,
            f"{said} {facts.multiline} "
            f"{noun_for(facts.multiline, 'value has', 'values have')} line breaks.",
        )
    if single is not True and facts.longest > _LONGEST_TEXT:
        return (
            Encoding.TEXTAREA,
            "The origin does not show whether it is one line, and the longest value "
            f"has {facts.longest} characters.",
        )
    return Encoding.TEXT, ""


_OFTEN = 10
"""One value in so many may have a time in a field of dates."""


def _moment(
    origin: Field, facts: FieldFacts, context: FieldContext
) -> tuple[FieldDesign, ...]:
    declared = origin.validations.get("format")
    others = facts.filled - facts.midnights
    few = facts.filled == facts.moments and others <= max(1, facts.filled // _OFTEN)
    if declared == "date":
        why = "the origin's schema declares it."
    elif declared != "date-time" and few and others < facts.midnights:
        many = "every value is" if not others else f"all but {others} are"
        why = f"{many} at midnight ({counted(facts.filled, 'value')})."
    else:
        return (_proposed(origin, Encoding.DATETIME),)
    return (_proposed(origin, Encoding.DATE, f"A date without a time: {why}"),)


def _color(
    origin: Field, facts: FieldFacts, context: FieldContext
) -> tuple[FieldDesign, ...]:
    offer = "The space has the colour picker: `color_plugin` would use it."
    note = offer if context.has_color_plugin else ""
    return (_proposed(origin, Encoding.COLOR_TEXT, note),)


def _option(
    origin: Field, facts: FieldFacts, context: FieldContext
) -> tuple[FieldDesign, ...]:
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
    design = _proposed(origin, Encoding.OPTION, doubled, unknown)
    return (replace(design, options=options),)


def _relation(
    origin: Field, facts: FieldFacts, context: FieldContext
) -> tuple[FieldDesign, ...]:
    target = origin.target_collection
    if target in context.migrated:
        note = ""
    elif target in context.listed:
        note = (
            f"Points into {context.listed[target]}, which is not migrated: the field "
            "stays empty and its references are listed."
        )
    else:
        note = (
            "Points into a collection that the site does not list: the field stays "
            "empty and its references are listed."
        )
    design = _proposed(origin, ALLOWED[origin.type][0], note)
    return (replace(design, target_collection=target),)


_RULES: Mapping[
    str, Callable[[Field, FieldFacts, FieldContext], tuple[FieldDesign, ...]]
] = {
    "PlainText": _text,
    "RichText": _plain,
    "Image": _plain,
    "MultiImage": _plain,
    "File": _plain,
    "Link": _plain,
    "VideoLink": _plain,
    "Email": _plain,
    "Phone": _plain,
    "Color": _color,
    "Number": _plain,
    "DateTime": _moment,
    "Switch": _plain,
    "Option": _option,
    "Reference": _relation,
    "MultiReference": _relation,
}


def _with_rules(
    design: FieldDesign, origin: Field, facts: FieldFacts, *, rtl: bool
) -> FieldDesign:
    """Propose the origin's rules about values that all of them keep, and
    that editors write from right to left."""
    found = rules_of(origin, design.encoding, facts)
    note = f"{design.note} {found.note}".strip()
    rules = {**found.rules, "rtl": True} if rtl else found.rules
    return replace(design, rules=rules, note=note)


def _with_use(design: FieldDesign, facts: FieldFacts) -> FieldDesign:
    """Note for the reviewer that no item uses a field; a Switch is never unused."""
    if not facts.items or facts.shapes or design.encoding is Encoding.BOOLEAN:
        return design
    note = "No item to import fills it."
    return replace(design, note=f"{design.note} {note}".strip())


_NEVER_REQUIRED = RELATION_ENCODINGS | {
    # The service takes `false` for missing, and a file may turn out to be gone.
    Encoding.BOOLEAN,
    Encoding.ASSET,
    Encoding.MULTIASSET,
    Encoding.VIDEO_BLOCK,
}


def _with_required(
    design: FieldDesign, origin: Field, facts: FieldFacts
) -> FieldDesign:
    """Propose `required` where the origin has it and no story could be refused.

    Source: destination, content rules: required fields are enforced on creation.
    """
    if not origin.required or design.encoding is Encoding.BOOLEAN:
        return design
    if facts.complete and design.encoding not in _NEVER_REQUIRED:
        return replace(design, required=True)
    if design.encoding in RELATION_ENCODINGS:
        note = "Required at the origin; relations are filled after creation."
    elif design.encoding is Encoding.VIDEO_BLOCK:
        note = "Required at the origin, but not here: a value without an address has "
        note += "no block, and its item would be refused."
    elif facts.complete or not facts.items:
        note = "Required at the origin, but not here: a missing file would stop items."
    else:
        lack = facts.items - facts.filled
        note = (
            f"Required at the origin, but {lack} of "
            f"{facts.items} {noun_for(facts.items, 'item', 'items')} to import "
            f"{noun_for(lack, 'lacks', 'lack')} it."
        )
    return replace(design, note=f"{design.note} {note}".strip())


_LEFTOVERS = frozenset(("published-on", "published-by", "updated-on", "created-on"))


def propose_unlisted(slug: str, facts: FieldFacts) -> Proposal:
    """Return the proposal for values under a key that the schema does not list."""
    if slug.startswith("_") or slug in _LEFTOVERS:
        return LeftOutField(
            slug, UNLISTED, "Left over from the origin's first API; not content."
        )
    origin = Field("", slug, _title_of(slug), UNLISTED, False, "", {})
    return _propose_by_shape(origin, facts)


def _propose_by_shape(origin: Field, facts: FieldFacts) -> Proposal:
    """Return what the values suggest where the type says nothing: ecommerce types
    and unknown ones. Structures are kept verbatim as JSON text."""
    what = (
        "The schema does not list this key"
        if origin.type == UNLISTED
        else f"The type {origin.type or '(none)'} has no counterpart"
    )
    if not facts.shapes:
        return LeftOutField(
            origin.slug, origin.type, f"{what}, and no item to import fills it."
        )
    if _is_paid(origin):
        return LeftOutField(origin.slug, origin.type, _PAID)
    if _is_price(origin, facts):
        return _price(origin, facts)
    if origin.type == VALUES and facts.shapes == {Shape.STRUCTURE}:
        note = "A variant in words, with the names that its product gives: `Size: S`."
        return (_proposed(origin, Encoding.TEXT, note),)
    encoding, nouns = _BY_SHAPE.get(next(iter(facts.shapes)), (None, ""))
    if len(facts.shapes) > 1 or encoding is None:
        note = f"{what}: its values are kept as JSON text."
        return (_proposed(origin, Encoding.JSON_TEXT, note),)
    if encoding is Encoding.TEXT and (facts.multiline or facts.longest > _LONGEST_TEXT):
        encoding = Encoding.TEXTAREA
    filled = f"{facts.filled} {noun_for(facts.filled, 'value')}"
    return (_proposed(origin, encoding, f"{what}; by its {filled} it holds {nouns}."),)


_BY_SHAPE: Mapping[Shape, tuple[Encoding, str]] = {
    Shape.TEXT: (Encoding.TEXT, "text"),
    Shape.NUMBER: (Encoding.NUMBER, "numbers"),
    Shape.FLAG: (Encoding.BOOLEAN, "yes or no"),
    Shape.FILE: (Encoding.ASSET, "files"),
    Shape.FILES: (Encoding.MULTIASSET, "lists of files"),
}


_PRICES = frozenset(("Price", "CommercePrice"))


def _is_price(origin: Field, facts: FieldFacts) -> bool:
    """Return whether a field holds prices, though some of its values may be none."""
    return bool(facts.prices) and (
        origin.type in _PRICES or facts.prices * 2 > facts.filled
    )


def _price(origin: Field, facts: FieldFacts) -> tuple[FieldDesign, ...]:
    odd = facts.filled - facts.prices
    amount = _proposed(
        origin,
        Encoding.PRICE_AMOUNT,
        "A price: the amount in major units, its currency in the field below.",
        f"{counted(odd, 'value is', 'values are')} no price, which is listed."
        if odd
        else "",
    )
    currency = _proposed(
        origin,
        Encoding.PRICE_CURRENCY,
        "The currency of the field above.",
        key=f"{origin.slug}-currency",
    )
    name = f"{amount.display_name} currency"
    return (amount, replace(currency, display_name=name, help_text=""))


def _proposed(
    origin: Field, encoding: Encoding, *notes: str, key: str = ""
) -> FieldDesign:
    """Return one field of an origin field, its key still the origin's slug."""
    return FieldDesign(
        origin=origin.slug,
        origin_type=origin.type,
        key=key or origin.slug,
        encoding=encoding,
        display_name=origin.display_name or _title_of(origin.slug),
        help_text=origin.help_text,
        note=" ".join(note for note in notes if note),
    )


def _title_of(slug: str) -> str:
    """Return a display name made of a slug."""
    return slug.replace("-", " ").replace("_", " ").strip().capitalize() or slug
