"""Translations of fields, as fields of their own next to those that they translate: in
the schemas, in the design, and in what was decided about bodies. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.body_reviews import BodyReview
from cmsmig.mapping.decisions.choices import BlocksDecision, LocaleChoice
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.select.translations import translated_key
from cmsmig.origin.schema import Collection, Field


@dataclass(frozen=True, slots=True)
class Translations:
    """What is translated, into which languages."""

    locales: Sequence[LocaleChoice]
    """Those besides the primary one."""
    fields: Mapping[str, Set[str]]
    """The origin's slugs of the fields, by collection."""

    def of_schema(self, collection: Collection) -> Collection:
        """Return a schema with the translations of its fields."""
        added = (
            _translated(each, locale)
            for each in collection.fields
            if each.slug in self.fields[collection.collection_id]
            for locale in self.locales
        )
        return replace(collection, fields=(*collection.fields, *added))

    def of_design(self, design: Design) -> Design:
        """Return the design with the translations of each field after it."""
        types = (
            replace(each, fields=tuple(self._designs(each)))
            for each in design.content_types
        )
        return replace(design, content_types=tuple(types))

    def of_blocks(
        self, decision: BlocksDecision, primary: Mapping[ItemKey, ItemKey]
    ) -> BlocksDecision:
        """Return what was decided about bodies: that about a field holds for its
        translations, and a review for the same body in its new field.

        `primary` is the item whose story holds each item in another language.
        """
        bodies = (
            replace(each, field=translated_key(each.field, locale.code))
            for each in decision.bodies
            if each.field in self.fields.get(each.collection_id, ())
            for locale in self.locales
        )
        reviews = (self._review(each, primary) for each in decision.reviews.values())
        return replace(
            decision,
            bodies=(*decision.bodies, *bodies),
            reviews={each.key: each for each in reviews},
        )

    def _designs(self, content_type: ContentTypeDesign) -> Iterator[FieldDesign]:
        translated = self.fields.get(content_type.collection_id, frozenset())
        for each in content_type.fields:
            yield each
            if each.origin in translated and each.encoding is not Encoding.ENVELOPE:
                yield from (_design(each, locale) for locale in self.locales)

    def _review(
        self, review: BodyReview, primary: Mapping[ItemKey, ItemKey]
    ) -> BodyReview:
        key = review.key
        item = ItemKey(key.collection_id, key.item_id, key.locale_id)
        codes = {each.locale_id: each.code for each in self.locales}
        if item not in primary or key.locale_id not in codes:
            return review
        return replace(
            review,
            locale=primary[item].locale_id,
            field=translated_key(key.field, codes[key.locale_id]),
        )


def _translated(field: Field, locale: LocaleChoice) -> Field:
    return replace(
        field,
        slug=translated_key(field.slug, locale.code),
        display_name=f"{field.display_name} ({locale.name or locale.tag})",
        required=False,
    )


def _design(field: FieldDesign, locale: LocaleChoice) -> FieldDesign:
    return replace(
        field,
        origin=translated_key(field.origin, locale.code),
        key=translated_key(field.key, locale.code),
        display_name=f"{field.display_name} ({locale.name or locale.tag})",
        required=False,
        translates=field.key,
    )
