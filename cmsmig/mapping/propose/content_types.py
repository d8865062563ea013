"""One collection's content type, proposed from its schema and its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from cmsmig.mapping.decisions.design import ContentTypeDesign, FieldDesign, LeftOutField
from cmsmig.mapping.naming import identifier
from cmsmig.mapping.propose.date_fields import with_date, with_order
from cmsmig.mapping.propose.envelope_fields import envelope_fields
from cmsmig.mapping.propose.field_facts import field_facts
from cmsmig.mapping.propose.field_keys import assign_keys
from cmsmig.mapping.propose.field_map import FieldContext, propose_field
from cmsmig.mapping.propose.field_proposals import Proposal
from cmsmig.mapping.propose.sections import propose_sections
from cmsmig.mapping.propose.untyped_fields import propose_unlisted
from cmsmig.origin.schema import Collection, Item

_MOST_UNLISTED = 200
"""Keys without a field that are proposed as fields; real collections have a few."""
OWN_PLACE = frozenset(("name", "slug"))
"""Fields that a story has of its own, outside its content."""


def propose_content_type(
    collection: Collection, items: Sequence[Item], time_zone: str, context: FieldContext
) -> ContentTypeDesign:
    """Return the content type for `collection`, by the items to be imported.

    Its component and folder still carry plain names; collisions are settled when
    all are known. Independent of the order of `items`.
    """
    options = {
        field.slug: frozenset(text for option in field.options for text in option)
        for field in collection.fields
    }
    facts = field_facts(items, options, time_zone)
    proposals: list[Proposal] = [
        propose_field(field, facts[field.slug], context)
        for field in collection.fields
        if field.slug not in OWN_PLACE
    ]
    unlisted = dict.fromkeys(_find_unlisted(collection, items), frozenset[str]())
    found = field_facts(items if unlisted else (), unlisted, time_zone)
    proposals += [propose_unlisted(slug, each) for slug, each in found.items()]
    fields = [field for one in proposals if isinstance(one, tuple) for field in one]
    if context.preferences.envelope:
        fields += envelope_fields()
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
        left_out=tuple(one for one in proposals if isinstance(one, LeftOutField)),
    )
    return with_order(with_date(content_type, facts), facts)


def _find_unlisted(collection: Collection, items: Sequence[Item]) -> list[str]:
    """Return the keys without a field that get a proposal: those that most items
    have. What is under any other key is listed as a loss of its item."""
    listed = {field.slug for field in collection.fields} | OWN_PLACE
    found = Counter(slug for item in items for slug in item.data if slug not in listed)
    usual = sorted(found, key=lambda slug: (-found[slug], slug))
    return sorted(usual[:_MOST_UNLISTED])


def _assign_keys(
    collection: Collection, fields: Sequence[FieldDesign]
) -> list[FieldDesign]:
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


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)
