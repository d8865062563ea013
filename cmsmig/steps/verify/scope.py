"""Which part of an import is verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cmsmig.counting import first_of
from cmsmig.errors import UsageError
from cmsmig.item_key import ItemKey
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.verify.differences import Difference

_KINDS: Final = (Kind.STORY, Kind.FOLDER, Kind.ASSET, Kind.DATASOURCE, Kind.COMPONENT)


@dataclass(frozen=True, slots=True)
class Scope:
    """What is verified: all that is named; everything where nothing is."""

    kinds: frozenset[Kind] = frozenset()
    collections: frozenset[str] = frozenset()
    """Collection ids."""
    items: frozenset[str] = frozenset()
    """Item ids, each in all its locales, or whole keys."""

    @property
    def is_all(self) -> bool:
        """Return whether nothing is named."""
        return not (self.kinds or self.collections or self.items)

    def has(self, kind: Kind) -> bool:
        """Return whether all objects of a kind are verified."""
        return self.is_all or kind in self.kinds

    def holds(self, key: ItemKey) -> bool:
        """Return whether the story of an item is verified."""
        return (
            self.has(Kind.STORY)
            or key.collection_id in self.collections
            or not self.items.isdisjoint((key.item_id, str(key)))
        )

    def covers(self, difference: Difference) -> bool:
        """Return whether a difference is of what is verified."""
        kind = difference.code.kind
        if kind is not Kind.STORY:
            return self.has(kind)
        collection, _, rest = difference.subject.partition("/")
        item, _, locale = rest.partition("@")
        return self.holds(ItemKey(collection, item, locale))


EVERYTHING: Final = Scope()


def scope_of(migration: Migration, names: Sequence[str]) -> Scope:
    """Return what is named: kinds of objects, such as `stories`, collections by slug or
    id, items by id or key.

    Raises `UsageError` for any other name.
    """
    kinds = {kind.noun(2): kind for kind in _KINDS}
    collections = {
        name: each.collection_id
        for each in migration.origin.collections
        for name in (each.slug, each.collection_id)
    }
    items = {name for key in migration.items for name in (key.item_id, str(key))}
    for name in names:
        if name not in kinds and name not in collections and name not in items:
            raise UsageError(
                f"There is no collection and no item `{name}`, and it is none of "
                f"{first_of([*kinds], len(kinds))}; give a collection's slug, an "
                "item's id, or one of these."
            )
    return Scope(
        frozenset(kinds[each] for each in names if each in kinds),
        frozenset(collections[each] for each in names if each in collections),
        frozenset(each for each in names if each in items),
    )
