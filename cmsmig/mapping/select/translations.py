"""An item in several languages as one story: its fields translated, with a field of
their own in schema and design, and what was decided about bodies. Pure.

Source: destination, content rules: the translation of a field is next to it, under
its key with `__i18n__` and the language; where there is none, the field's own value is
shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Final

from cmsmig.canonical import Json, JsonObject, compact, fingerprint
from cmsmig.item_key import ItemKey
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.decisions.body_reviews import BodyReview
from cmsmig.mapping.decisions.choices import BlocksDecision, LocaleChoice
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.select.selection import Selected, Selection, SkippedItem, locale_of
from cmsmig.origin.schema import Collection, Item, ItemLanguage, dates_of

SIGN: Final = "__i18n__"
_SIGN: Final = SIGN.encode()
_OWN = frozenset(("name", "slug"))
"""Fields that a story has apart from its content."""
_LATELY_READ = 8
_UNSET: tuple[Json, ...] = (None, "", [], {})
IN_PRIMARY_STORY: Final = "in_primary_story"
"""Why an item is skipped whose values are part of another story."""
NO_PRIMARY_LANGUAGE: Final = "no_primary_language"
_SENTENCES = {
    IN_PRIMARY_STORY: (
        "Its values are translations in the story of the primary language."
    ),
    NO_PRIMARY_LANGUAGE: (
        "The item is not migrated in the primary language, so there is no story that "
        "this language could be a translation of; translate it at the origin, or "
        "decide `languages: folders`."
    ),
}


def translated_key(key: str, code: str) -> str:
    """Return the key of a field's translation. Source: destination, content rules.

    A region follows an underscore, whatever the language's code has.
    """
    return f"{key}{SIGN}{code.replace('-', '_')}"


def own_key(key: str) -> str:
    """Return the key of the field that a key is of, itself or a translation."""
    return key.partition(SIGN)[0]


def language_of(key: str) -> str:
    """Return the language that a key is of, as keys write it; empty for the default
    one."""
    return key.partition(SIGN)[2]


class EmptyShown(Enum):
    """Which empty translations visitors see; they get the field's own value instead of
    others. Not documented, so a service may do any of these."""

    OBJECTS = "objects"
    """`false`, and an asset, a link or a document without content; no text, no list.
    Losses are listed by this."""
    ALL = "all"
    NOTHING = "nothing"

    def is_shown(self, value: Json) -> bool:
        """Return whether visitors get a translation, and not the field's own value."""
        if self is EmptyShown.OBJECTS:
            return value not in _UNSET
        return value is not None and (
            self is EmptyShown.ALL or comparable(value) is not None
        )


def shown_in(
    fields: JsonObject, code: str, empty: EmptyShown = EmptyShown.OBJECTS
) -> JsonObject:
    """Return the fields as visitors get them in a language; the default one without.

    What is not translated has its own value; a translation may be there alone.
    """
    sign = translated_key("", code) if code else None
    shown: JsonObject = {}
    for name, value in fields.items():
        own = own_key(name)
        if own == name:
            shown.setdefault(name, _shown(value, code, empty))
        elif sign and name == f"{own}{sign}" and empty.is_shown(value):
            shown[own] = _shown(value, code, empty)
    return shown


def _shown(value: Json, code: str, empty: EmptyShown) -> Json:
    # Most values hold no translation: they are shown as they are.
    if not isinstance(value, dict | list) or _SIGN not in compact(value):
        return value
    if isinstance(value, dict):
        return shown_in(value, code, empty)
    return [_shown(each, code, empty) for each in value]


@dataclass(frozen=True, slots=True)
class _Together:
    """The values of an item with its translations."""

    primary: Item
    others: tuple[tuple[str, Item], ...]
    """By the language's code."""
    fields: frozenset[str]

    def read(self) -> JsonObject:
        """Return them; what is the same in a language has no key of its own."""
        return _read(self)


@lru_cache(maxsize=_LATELY_READ)
def _read(source: _Together) -> JsonObject:
    own = source.primary.data
    found = dict(own)
    for code, other in source.others:
        data = other.data
        for slug in sorted(source.fields):
            if data.get(slug) != own.get(slug):
                found[translated_key(slug, code)] = data.get(slug)
    return found


def items_by_language(item: Item) -> tuple[tuple[str, Item], ...]:
    """Return the items whose values one holds, each with its language's code, which the
    primary one has not."""
    source = item.source
    if isinstance(source, _Together):
        return (("", source.primary), *source.others)
    return (("", item),)


def hash_of_languages(item: Item, hash_of: Callable[[Item], str]) -> str:
    """Return the fingerprint of an item in all its languages."""
    (_, primary), *others = items_by_language(item)
    hashes = [[code, hash_of(each)] for code, each in others]
    return fingerprint([hash_of(primary), hashes]) if others else hash_of(primary)


def translated_fields(sets: Iterable[Sequence[Item]]) -> frozenset[str]:
    """Return the fields that hold something else in another language of some item."""
    found: set[str] = set()
    for items in sets:
        by_id: dict[str, list[Item]] = {}
        for item in items:
            by_id.setdefault(item.key.item_id, []).append(item)
        for first, *others in by_id.values():
            if any(each.data_hash != first.data_hash for each in others):
                found.update(_differing(first, others))
    return frozenset(found - _OWN)


def _differing(first: Item, others: Iterable[Item]) -> Iterator[str]:
    own = first.data
    for data in (each.data for each in others):
        for slug in own.keys() | data.keys():
            if own.get(slug) != data.get(slug):
                yield slug


def merge_languages(
    selection: Selection,
    locales: Sequence[LocaleChoice],
    fields: Set[str],
) -> Selection:
    """Return a selection that has each item once, with its other languages.

    What is decided about an item in a language holds as before: a language that is
    left out is in no story. Each (id, locale) is still in exactly one place.
    """
    primary, others = _by_language(selection.selected, locales)
    merged: list[Selected] = []
    skipped = list(selection.skipped)
    for entry in primary:
        translations = others.pop(entry.item.key.item_id, {})
        merged.append(_merged(entry, translations, frozenset(fields)))
        skipped += [
            _skipped(each.item, IN_PRIMARY_STORY) for each in translations.values()
        ]
    for left in others.values():
        skipped += [_skipped(each.item, NO_PRIMARY_LANGUAGE) for each in left.values()]
    return Selection(tuple(merged), tuple(skipped))


def _by_language(
    entries: Iterable[Selected], locales: Sequence[LocaleChoice]
) -> tuple[list[Selected], dict[str, dict[str, Selected]]]:
    """Return what is in the primary language, and the rest by item and code."""
    primary: list[Selected] = []
    others: dict[str, dict[str, Selected]] = {}
    for entry in entries:
        locale = locale_of(entry.item.key, locales)
        if locale is None or locale.primary:
            primary.append(entry)
        else:
            others.setdefault(entry.item.key.item_id, {})[locale.code] = entry
    return primary, others


def _merged(
    entry: Selected, others: Mapping[str, Selected], fields: frozenset[str]
) -> Selected:
    if not others:
        return entry
    public = {code: each.public for code, each in others.items() if each.public}
    return replace(
        entry,
        item=_one(
            entry.item, {code: each.item for code, each in others.items()}, fields
        ),
        public=entry.public and _one(entry.public, public, fields),
    )


def _one(item: Item, others: Mapping[str, Item], fields: frozenset[str]) -> Item:
    """Return an item with its translations."""
    if not others:
        return item
    ordered = tuple(sorted(others.items()))
    together = replace(item, source=_Together(item, ordered, fields))
    return replace(
        together,
        dates=dates_of(
            item.created_on,
            max(item.last_updated, *(each.last_updated for _, each in ordered)),
            item.last_published,
        ),
        data_hash=hash_of_languages(together, lambda each: each.data_hash),
        odd_characters=item.odd_characters
        + sum(each.odd_characters for _, each in ordered),
        languages=tuple(
            ItemLanguage(each.key, code, each.name, each.slug) for code, each in ordered
        ),
    )


def _skipped(item: Item, reason: str) -> SkippedItem:
    return SkippedItem(item.key, item.name, reason, _SENTENCES[reason])


def languages_of(entries: Iterable[Selected]) -> dict[ItemKey, ItemKey]:
    """Return the item whose story holds each item in another language."""
    return {
        language.key: entry.item.key
        for entry in entries
        for language in entry.item.languages
    }


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """How many of the items to be imported exist in a language."""

    locale: LocaleChoice
    items: int


def count_languages(
    entries: Iterable[Selected], locales: Sequence[LocaleChoice]
) -> tuple[LanguageCount, ...]:
    """Count them for each locale that is migrated, whatever holds its values: a story
    of its own, or the one in the primary language."""
    found: Counter[str] = Counter()
    for entry in entries:
        own = locale_of(entry.item.key, locales)
        found[own.locale_id if own else ""] += 1
        found.update(each.key.locale_id for each in entry.item.languages)
    return tuple(
        LanguageCount(each, found[each.locale_id]) for each in locales if each.migrate
    )


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
            replace(
                each,
                slug=translated_key(each.slug, locale.code),
                display_name=f"{each.display_name} ({locale.name or locale.tag})",
                required=False,
            )
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
                for locale in self.locales:
                    name = f"{each.display_name} ({locale.name or locale.tag})"
                    yield replace(
                        each,
                        origin=translated_key(each.origin, locale.code),
                        key=translated_key(each.key, locale.code),
                        display_name=name,
                        required=False,
                        translates=each.key,
                    )

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
