"""Proposals for fields whose type the field map does not know, and for keys without a
field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cmsmig.counting import noun_for
from cmsmig.mapping.decisions.design import (
    UNLISTED,
    Encoding,
    FieldDesign,
    LeftOutField,
)
from cmsmig.mapping.propose.field_facts import FieldFacts, Shape
from cmsmig.origin.schema import Field

_LEFTOVERS = frozenset(("published-on", "published-by", "updated-on", "created-on"))


def propose_unlisted(slug: str, facts: FieldFacts) -> Proposal:
    """Return what becomes of values under a key that the schema does not list."""
    if slug.startswith("_") or slug in _LEFTOVERS:
        return LeftOutField(
            slug, UNLISTED, "Left over from the origin's first API; not content."
        )
    origin = Field("", slug, title_of(slug), UNLISTED, False, "", {})
    return propose_by_shape(origin, facts)


def propose_by_shape(origin: Field, facts: FieldFacts) -> Proposal:
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
    if facts.shapes == {Shape.PRICE}:
        return _price(origin)
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


def _price(origin: Field) -> tuple[FieldDesign, ...]:
    amount = proposed(
        origin,
        Encoding.PRICE_AMOUNT,
        "A price: the amount in major units, its currency in the field below.",
    )
    currency = proposed(
        origin,
        Encoding.PRICE_CURRENCY,
        "The currency of the field above.",
        key=f"{origin.slug}-currency",
    )
    name = f"{amount.display_name} currency"
    return (amount, replace(currency, display_name=name, help_text=""))


LONGEST_TEXT = 255
"""Characters that fit a single-line field comfortably."""

Proposal = tuple[FieldDesign, ...] | LeftOutField


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
