"""One collection's content type, proposed from its schema and its items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.design import (
    ContentTypeDesign,
    Encoding,
    FieldDesign,
    LeftOutField,
    SectionDesign,
)
from cmsmig.mapping.facts import FieldFacts, field_facts
from cmsmig.mapping.fields import (
    FieldContext,
    Proposal,
    propose_field,
    propose_unlisted,
)
from cmsmig.mapping.keys import KeyChoice, assign_keys
from cmsmig.mapping.naming import identifier
from cmsmig.origin.schema import Collection, Field, Item

OWN_PLACE = frozenset(("name", "slug"))
"""Fields that a story has of its own, outside its content."""

ENVELOPE = (
    ("id", "Origin id"),
    ("cmsLocaleId", "Origin locale"),
    ("createdOn", "Created on"),
    ("lastUpdated", "Last updated"),
    ("lastPublished", "Last published"),
    ("isDraft", "Is draft"),
    ("isArchived", "Is archived"),
)


def propose_content_type(
    collection: Collection, items: Sequence[Item], time_zone: str, context: FieldContext
) -> ContentTypeDesign:
    """Return the content type for `collection`, by the items to be imported.

    Its component and folder still carry plain names; collisions are settled when
    all are known. Independent of the order of `items`.
    """
    facts = {
        field.slug: field_facts(
            field.slug,
            items,
            time_zone,
            frozenset(option_id for option_id, _ in field.options),
        )
        for field in collection.fields
    }
    proposals: list[Proposal] = [
        propose_field(field, facts[field.slug], context)
        for field in collection.fields
        if field.slug not in OWN_PLACE
    ]
    proposals += [
        propose_unlisted(slug, field_facts(slug, items, time_zone, frozenset()))
        for slug in _unlisted(collection, items)
    ]
    fields = [field for one in proposals if isinstance(one, tuple) for field in one]
    if context.preferences.envelope:
        fields += _envelope_fields()
    content_type = ContentTypeDesign(
        collection_id=collection.collection_id,
        collection_slug=collection.slug,
        component=identifier(collection.singular_name) or identifier(collection.slug),
        display_name=collection.singular_name or collection.display_name,
        folder=collection.slug,
        folder_name=collection.display_name,
        fields=tuple(_keyed(collection, fields)),
        left_out=tuple(one for one in proposals if isinstance(one, LeftOutField)),
    )
    return _with_order(
        _with_date(_with_sections(content_type, collection), facts), facts
    )


def _unlisted(collection: Collection, items: Sequence[Item]) -> list[str]:
    listed = {field.slug for field in collection.fields} | OWN_PLACE
    return sorted({slug for item in items for slug in item.data if slug not in listed})


def _envelope_fields() -> list[FieldDesign]:
    return [
        FieldDesign(
            name, "envelope", f"origin-{_dashed(name)}", Encoding.ENVELOPE, title
        )
        for name, title in ENVELOPE
    ]


def _dashed(name: str) -> str:
    return re.sub(r"([A-Z])", r"-\1", name).lower()


def _keyed(collection: Collection, fields: Sequence[FieldDesign]) -> list[FieldDesign]:
    choices = assign_keys([field.key for field in fields])
    return [
        replace(
            field,
            key=choice.key,
            note=_joined(field.note, choice.note),
            datasource=field.datasource and f"{collection.slug}-{field.datasource}",
        )
        for field, choice in zip(fields, choices, strict=True)
    ]


def _with_sections(
    content_type: ContentTypeDesign, collection: Collection
) -> ContentTypeDesign:
    """Add a section for each of the origin's field groups, and the envelope's.

    Fields are moved next to each other, since a section shows where its first
    field stands.
    """
    groups = [
        (_group_name(group), _group_slugs(group, collection.fields))
        for group in collection.field_groups
    ]
    groups.append(("Origin", frozenset(name for name, _ in ENVELOPE)))
    claimed: set[str] = set()
    sections: list[tuple[str, tuple[str, ...]]] = []
    for name, slugs in groups:
        keys = tuple(
            field.key
            for field in content_type.fields
            if field.origin in slugs
            and field.key not in claimed
            and (field.encoding is Encoding.ENVELOPE) is (name == "Origin")
        )
        claimed.update(keys)
        if keys:
            sections.append((name, keys))
    named = assign_keys(
        [f"section_{identifier(name)}".rstrip("_") for name, _ in sections],
        [field.key for field in content_type.fields],
    )
    return replace(
        content_type,
        sections=tuple(
            _section(choice, name, keys)
            for choice, (name, keys) in zip(named, sections, strict=True)
        ),
    )


def _section(choice: KeyChoice, name: str, keys: tuple[str, ...]) -> SectionDesign:
    return SectionDesign(choice.key, name, keys)


def _group_name(group: JsonObject) -> str:
    for key in ("displayName", "name", "title"):
        if isinstance(found := group.get(key), str) and found.strip():
            return found.strip()
    return "Fields"


def _group_slugs(group: JsonObject, fields: Sequence[Field]) -> frozenset[str]:
    """Return the slugs of a group's fields, which it lists by id or by slug.

    Source: none public; collections only show that there are such groups.
    """
    listed: list[Json] = []
    for key in ("fields", "fieldIds", "fieldSlugs"):
        found = group.get(key)
        listed += found if isinstance(found, list) else []
    names = {
        name
        for entry in listed
        for name in (
            (entry.get("id"), entry.get("slug"))
            if isinstance(entry, dict)
            else (entry,)
        )
        if isinstance(name, str)
    }
    return frozenset(
        field.slug for field in fields if field.slug in names or field.field_id in names
    )


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


def _with_order(
    content_type: ContentTypeDesign, facts: dict[str, FieldFacts]
) -> ContentTypeDesign:
    found = next(
        (
            field
            for field in content_type.fields
            if field.encoding is Encoding.NUMBER
            and _ORDER.fullmatch(field.origin)
            and facts.get(field.origin, FieldFacts(0, 0)).filled
        ),
        None,
    )
    if found is None:
        return content_type
    noted = _noted(
        content_type, found, "Gives the stories their position, by its name."
    )
    return replace(noted, order_field=found.origin)


def _with_date(
    content_type: ContentTypeDesign, facts: dict[str, FieldFacts]
) -> ContentTypeDesign:
    """Choose the field whose name says publication, else a plain date that most
    items have behind them; most items must fill it either way."""
    dates = [
        field
        for field in content_type.fields
        if field.encoding in (Encoding.DATE, Encoding.DATETIME)
        and field.origin in facts
        and facts[field.origin].moments * 2 > facts[field.origin].items
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
        if _ANY_DATE.fullmatch(field.origin)
        and facts[field.origin].announced * 10 <= facts[field.origin].moments
    ]
    if not ranked:
        return content_type
    note = "Taken for the date of first publication, by its name."
    return replace(_noted(content_type, ranked[0], note), date_field=ranked[0].origin)


def _noted(
    content_type: ContentTypeDesign, chosen: FieldDesign, note: str
) -> ContentTypeDesign:
    return replace(
        content_type,
        fields=tuple(
            replace(field, note=_joined(field.note, note)) if field is chosen else field
            for field in content_type.fields
        ),
    )


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)
