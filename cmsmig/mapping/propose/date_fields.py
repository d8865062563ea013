"""Which fields tell the stories' dates and their order, by name and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from cmsmig.mapping.decisions.design import ContentTypeDesign, Encoding, FieldDesign
from cmsmig.mapping.propose.field_facts import FieldFacts

_ORDER = re.compile(
    r"(?:(?:sort|display|list|menu|nav|page|item|custom|manual)-)?"
    r"(?:order|position|rank|ranking|sort|sorting|sequence|index"
    r"|ordre|reihenfolge|orden|ordem|ordine|volgorde)"
    r"(?:-(?:number|no|nr|index|order|id))?"
)
_PUBLICATION = (
    re.compile(r"(?:date-)?publish(?:ed|ing)?(?:-?(?:date|on|at|day|time))?"),
    re.compile(r"publication(?:-?(?:date|day|time))?|date-of-publication"),
    re.compile(r"(?:date-de-publication|veroeffentlichungsdatum|fecha-de-publicacion)"),
    re.compile(r"(?:post|posted|article|blog|blog-post|news|release)-?(?:date|on|at)"),
    re.compile(r"released?(?:-on)?"),
)
_ANY_DATE = re.compile(r"date|datum|fecha|data|jour")


def with_order(
    content_type: ContentTypeDesign, facts: Mapping[str, FieldFacts]
) -> ContentTypeDesign:
    """Choose the first Number field whose name says order and that is in use."""
    found = next(
        (
            field
            for field in content_type.fields
            if field.origin_type == "Number"
            and field.encoding is Encoding.NUMBER
            and _ORDER.fullmatch(field.origin)
            and field.origin in facts
            and facts[field.origin].filled
        ),
        None,
    )
    if found is None:
        return content_type
    fact = facts[found.origin]
    rest = _rest(fact.filled, fact, "come last")
    note = f"Gives the stories their position, by its name{rest}."
    return replace(_add_note(content_type, found, note), order_field=found.origin)


def with_date(
    content_type: ContentTypeDesign, facts: Mapping[str, FieldFacts]
) -> ContentTypeDesign:
    """Choose the field whose name says publication and that is in use, else a
    plain date that most items have, and have behind them."""
    dates = [
        field
        for field in content_type.fields
        if field.encoding in (Encoding.DATE, Encoding.DATETIME)
        and field.origin in facts
        and facts[field.origin].moments
    ]
    ranked = [
        field
        for pattern in _PUBLICATION
        for field in dates
        if pattern.fullmatch(field.origin)
    ]
    ranked += [
        field
        for field in dates
        if _ANY_DATE.fullmatch(field.origin) and _is_past(facts[field.origin])
    ]
    if not ranked:
        return content_type
    fact = facts[ranked[0].origin]
    rest = _rest(fact.moments, fact, "go by their creation")
    note = f"Taken for the date of first publication, by its name{rest}."
    return replace(
        _add_note(content_type, ranked[0], note), date_field=ranked[0].origin
    )


def _is_past(fact: FieldFacts) -> bool:
    """Return whether a date may be a publication's: events are announced."""
    return fact.moments * 2 > fact.items and fact.announced * 10 <= fact.moments


def _rest(have: int, fact: FieldFacts, rule: str) -> str:
    lack = fact.items - have
    return f"; the items without it ({lack} of {fact.items}) {rule}" if lack else ""


def _add_note(
    content_type: ContentTypeDesign, chosen: FieldDesign, note: str
) -> ContentTypeDesign:
    return replace(
        content_type,
        fields=tuple(
            replace(field, note=f"{field.note} {note}".strip())
            if field is chosen
            else field
            for field in content_type.fields
        ),
    )
