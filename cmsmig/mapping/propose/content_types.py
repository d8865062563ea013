"""One collection's content type, proposed from its schema and its items: its fields,
which of them give the dates and the order of stories, and its sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Encoding,
    FieldDesign,
    LeftOutField,
    SectionDesign,
)
from cmsmig.mapping.naming import identifier
from cmsmig.mapping.propose.field_facts import FieldFacts, count_values
from cmsmig.mapping.propose.field_keys import assign_keys
from cmsmig.mapping.propose.field_map import Proposal, propose_field, propose_unlisted
from cmsmig.mapping.propose.field_types import FieldContext, Shown, types_shown
from cmsmig.origin.schema import Collection, Field, Item

_MOST_UNLISTED = 200
"""Keys without a field that are proposed as fields; real collections have a few."""
OWN_PLACE = frozenset(("name", "slug"))
"""Fields that a story has of its own, outside its content."""


def propose_content_type(
    collection: Collection, items: Sequence[Item], time_zone: str, context: FieldContext
) -> tuple[ContentTypeDesign, int]:
    """Return the content type for `collection`, by the items to be imported, and how
    many files these have, in fields and pictures.

    Its component and folder still carry plain names; collisions are settled when
    all are known. Independent of the order of `items`.
    """
    facts = {field.slug: FieldFacts.of(field) for field in collection.fields}
    others = count_values(items, facts, time_zone)
    proposals: list[Proposal] = [
        propose_field(field, facts[field.slug], context)
        for field in collection.fields
        if field.slug not in OWN_PLACE
    ]
    unlisted = {slug: FieldFacts() for slug in _usual(others)}
    count_values(items if unlisted else (), unlisted, time_zone)
    proposals += [propose_unlisted(slug, each) for slug, each in unlisted.items()]
    fields = [field for one in proposals if isinstance(one, tuple) for field in one]
    keyed = tuple(_assign_keys(collection, fields))
    content_type = ContentTypeDesign(
        collection_id=collection.collection_id,
        collection_slug=collection.slug,
        component=identifier(collection.singular_name) or identifier(collection.slug),
        display_name=collection.singular_name or collection.display_name,
        folder=collection.slug,
        folder_name=collection.display_name,
        fields=keyed,
        sections=propose_sections(keyed, collection),
        icon="block-doc",
        preview_field=_preview_field(keyed),
        left_out=tuple(one for one in proposals if isinstance(one, LeftOutField)),
    )
    dated = with_order(with_date(content_type, facts), facts)
    having = types_shown(Shown.FILES, Shown.BODY)
    return dated, sum(each.files for each in facts.values() if each.type in having)


def _preview_field(fields: Sequence[FieldDesign]) -> str:
    """Return the key of the first field that holds a text on one line."""
    texts = (each.key for each in fields if each.encoding is Encoding.TEXT)
    return next(texts, "")


def _usual(others: Mapping[str, int]) -> list[str]:
    """Return the keys without a field that get a proposal: those that most items
    have. What is under any other key is listed as a loss of its item."""
    usual = sorted(others.keys() - OWN_PLACE, key=lambda slug: (-others[slug], slug))
    return sorted(usual[:_MOST_UNLISTED])


def _assign_keys(
    collection: Collection, fields: Sequence[FieldDesign]
) -> list[FieldDesign]:
    choices = assign_keys([field.key for field in fields])
    return [
        replace(
            field,
            key=choice.key,
            note=f"{field.note} {choice.note}".strip(),
        )
        for field, choice in zip(fields, choices, strict=True)
    ]


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
    """Choose the first number whose name says order and that is in use."""
    found = next(
        (
            field
            for field in content_type.fields
            if field.encoding is Encoding.NUMBER
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


_TOGETHER = 3
"""Fields whose names begin alike that make a section."""


def propose_sections(
    fields: Sequence[FieldDesign], collection: Collection
) -> tuple[SectionDesign, ...]:
    """Return a section for each of the origin's field groups that has a field here, for
    each beginning that several names share; no field is in two.
    """
    claimed: set[str] = set()
    found: list[tuple[str, tuple[str, ...]]] = []
    for group in collection.field_groups:
        slugs = _group_slugs(group, collection.fields)
        keys = tuple(
            field.key
            for field in fields
            if field.origin in slugs and field.key not in claimed
        )
        claimed.update(keys)
        found.append((_group_name(group), keys))
    found += _by_beginning(fields, claimed, collection)
    filled = [(name, keys) for name, keys in found if keys]
    made = section_keys([name for name, _ in filled], [field.key for field in fields])
    return tuple(
        SectionDesign(key, name, keys)
        for key, (name, keys) in zip(made, filled, strict=True)
    )


def section_keys(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return a key for the section of each name: the name itself where that is free,
    else behind `section_`."""
    plain = [identifier(name) for name in names]
    free = [
        key if key and key not in taken else f"section_{key}".rstrip("_")
        for key in plain
    ]
    return [choice.key for choice in assign_keys(free, taken)]


def _by_beginning(
    fields: Sequence[FieldDesign], claimed: Set[str], collection: Collection
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields whose names begin alike, such as `seo-title` and `seo-image`.

    The name of the collection itself, as in `article-title`, makes no section.
    """
    names = (collection.singular_name, collection.display_name, collection.slug)
    own = {identifier(name) for name in names}
    begun: dict[str, list[str]] = {}
    for each in fields:
        beginning, sign, _ = each.origin.partition("-")
        is_part = beginning.isalpha() and identifier(beginning) not in own
        if sign and is_part and each.key not in claimed:
            begun.setdefault(beginning, []).append(each.key)
    for beginning, keys in begun.items():
        if len(keys) >= _TOGETHER:
            yield beginning.capitalize(), tuple(keys)


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
