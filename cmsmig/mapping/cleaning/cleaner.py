"""Items as the accepted operations leave them. Pure: what was pulled never changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from cmsmig.canonical import Json, JsonObject, fingerprint, text_of
from cmsmig.mapping.cleaning.change_texts import changed_parts, said
from cmsmig.mapping.cleaning.operations import cleaned_value
from cmsmig.mapping.cleaning.search import is_found
from cmsmig.mapping.decisions.cleaning import CleaningKind, Operation
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.origin.schema import Collection, Field, Item, numbers_of

_LATELY_READ = 8
"""Items in memory: an item's fields are asked for one after another."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What one operation changed in one field."""

    operation: int
    """Its number in the file, from 1."""
    field: Field
    places: int
    old: Json
    new: Json

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Return what changes in it, as its source says it: both sides of each."""
        return changed_parts(said(self.field, self.old), said(self.field, self.new))


@dataclass(frozen=True, slots=True)
class CleanedItem:
    """What an item becomes, without its values: they are made again when asked for."""

    name: str
    data_hash: str
    numbers: tuple[tuple[str, float], ...]
    edits: tuple[tuple[int, str, int], ...]
    """The number of each operation that changes it, the field and how many places."""


@dataclass(frozen=True, eq=False, slots=True)
class Cleaner:
    """The operations that are carried out, in their order."""

    operations: tuple[tuple[int, Operation], ...]
    """With their numbers from 1."""
    collections: Mapping[str, Collection]
    """By id."""
    locales: Mapping[str, str]
    """Tags by id."""

    @property
    def given_alts(self) -> frozenset[str]:
        """Return the alternative texts that operations give."""
        return frozenset(alt.alt for _, each in self.operations for alt in each.alts)

    def reaching(self, collection: Collection) -> list[tuple[int, Operation]]:
        """Return the operations that may change items of a collection."""
        return [
            (number, each)
            for number, each in self.operations
            if any(each.reaches(collection, one) for one in collection.fields)
        ]

    def edits(self, item: Item) -> Iterator[Edit]:
        """Yield what changes in an item, in the order of the operations.

        Which items an operation is for is decided by what was pulled.
        """
        collection, data = self.collections[item.key.collection_id], item.data
        now, tag = dict(data), self.locales.get(item.key.locale_id, "")
        for number, operation in self.reaching(collection):
            is_for = (
                item.key.item_id in (operation.items or (item.key.item_id,))
                and tag in (operation.locales or (tag,))
                and is_found(operation.search, collection, item.key, data)
            )
            sets = operation.kind is CleaningKind.SET_VALUE
            for each in collection.fields if is_for else ():
                old = now.get(each.slug)
                if operation.reaches(collection, each) and (sets or not is_blank(old)):
                    where = f"{collection.slug}/{item.slug}/{each.slug}"
                    where += f"@{tag}" if tag else ""
                    new, places = cleaned_value(operation, each, where, old)
                    if places and new != old:
                        now[each.slug] = new
                        yield Edit(number, each, places, old, new)

    def cleaned(self, item: Item) -> JsonObject:
        """Return an item's values as the operations leave them."""
        return {**item.data, **{e.field.slug: e.new for e in self.edits(item)}}

    def summary(self, item: Item) -> CleanedItem | None:
        """Return what an item becomes; None where nothing changes."""
        found = [*self.edits(item)]
        data = {**item.data, **{each.field.slug: each.new for each in found}}
        if data == item.data:
            return None
        return CleanedItem(
            text_of(data.get("name")),
            fingerprint(data),
            numbers_of(data),
            tuple((each.operation, each.field.slug, each.places) for each in found),
        )

    def apply(self, item: Item, summary: CleanedItem) -> Item:
        """Return an item with its cleaned values."""
        return replace(
            item,
            name=summary.name,
            data_hash=summary.data_hash,
            numbers=summary.numbers,
            source=CleanedSource(item, self, summary.edits),
        )


@dataclass(frozen=True, slots=True)
class CleanedSource:
    """The cleaned values of an item."""

    item: Item
    """As it was pulled."""
    cleaner: Cleaner
    changed: tuple[tuple[int, str, int], ...] = field(compare=False)
    """As `CleanedItem.edits`."""

    def read(self) -> JsonObject:
        """Return them; raises `CacheError` where the pulled ones are gone."""
        return _read(self)

    def edits(self) -> Iterator[Edit]:
        """Yield what was changed, with both values."""
        return self.cleaner.edits(self.item)


@lru_cache(maxsize=_LATELY_READ)
def _read(source: CleanedSource) -> JsonObject:
    return source.cleaner.cleaned(source.item)


def cleaned_source(item: Item) -> CleanedSource | None:
    """Return the source of an item that was cleaned."""
    return item.source if isinstance(item.source, CleanedSource) else None


def pulled_hash(item: Item) -> str:
    """Return the fingerprint of an item's values as they were pulled."""
    source = cleaned_source(item)
    return source.item.data_hash if source else item.data_hash
