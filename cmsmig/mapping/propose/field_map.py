"""The field map: what each origin field becomes, proposed with its reason; so too a
field of a type that it does not know, and a key without a field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cmsmig.counting import counted, noun_for
from cmsmig.mapping.decisions.design import (
    UNLISTED,
    Encoding,
    FieldDesign,
    LeftOutField,
)
from cmsmig.mapping.propose.encodings import RELATION_ENCODINGS, rules_of
from cmsmig.mapping.propose.field_facts import FieldFacts, Shape
from cmsmig.mapping.propose.field_types import (
    LONGEST_TEXT,
    FieldContext,
    field_type,
    proposed,
    title_of,
)
from cmsmig.mapping.select.variants import VALUES
from cmsmig.origin.schema import Field

Proposal = tuple[FieldDesign, ...] | LeftOutField


def propose_field(origin: Field, facts: FieldFacts, context: FieldContext) -> Proposal:
    """Return what one origin field becomes: one or more fields, or none and why.

    Keys are still the origin's slugs; `assign_keys` turns them into valid ones. Never
    raises: an unknown type goes by the shape of its values.
    """
    known = field_type(origin.type)
    if Shape.PRICE in facts.shapes or not known.name:
        return _propose_by_shape(origin, facts)
    design = known.propose(origin, known.encodings[0], facts, context)
    design = _with_required(_with_use(design, facts), origin, facts)
    rtl = context.rtl and origin.type == "PlainText"
    return (_with_rules(design, origin, facts, rtl=rtl),)


_PAID = (
    "What customers pay for: an uploaded file is public, so it is left out, and its "
    "files are not uploaded, until a person decides."
)


def _is_paid(origin: Field) -> bool:
    """Return whether a field of a shop has the files that it sells."""
    return origin.type.endswith("ExternalFile") or origin.slug == "download-files"


def _with_rules(
    design: FieldDesign, origin: Field, facts: FieldFacts, *, rtl: bool
) -> FieldDesign:
    """Propose the origin's rules about values that all of them keep, what bodies hold
    and that editors write from right to left."""
    found = rules_of(origin, design.encoding, facts)
    note = f"{design.note} {found.note}".strip()
    rules = found.rules | facts.marks.rules() | ({"rtl": True} if rtl else {})
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
    origin = Field("", slug, title_of(slug), UNLISTED, False, "", {})
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
        return (proposed(origin, Encoding.TEXT, note),)
    encoding, nouns = _BY_SHAPE.get(next(iter(facts.shapes)), (None, ""))
    if len(facts.shapes) > 1 or encoding is None:
        note = f"{what}: its values are kept as JSON text."
        return (proposed(origin, Encoding.JSON_TEXT, note),)
    if encoding is Encoding.TEXT and (facts.multiline or facts.longest > LONGEST_TEXT):
        encoding = Encoding.TEXTAREA
    filled = f"{facts.filled} {noun_for(facts.filled, 'value')}"
    return (proposed(origin, encoding, f"{what}; by its {filled} it holds {nouns}."),)


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
    amount = proposed(
        origin,
        Encoding.PRICE_AMOUNT,
        "A price: the amount in major units, its currency in the field below.",
        f"{counted(odd, 'value is', 'values are')} no price, which is listed."
        if odd
        else "",
    )
    currency = proposed(
        origin,
        Encoding.PRICE_CURRENCY,
        "The currency of the field above.",
        key=f"{origin.slug}-currency",
    )
    name = f"{amount.display_name} currency"
    return (amount, replace(currency, display_name=name, help_text=""))
