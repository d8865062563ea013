"""The addresses that live items have at the origin."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.routes import OldPaths
from cmsmig.origin.schema import Item
from cmsmig.steps.decide.migration import Migration


def old_addresses(migration: Migration) -> Iterator[tuple[ItemKey, str]]:
    """Yield every item that visitors can open now, by key, with its path."""
    paths = OldPaths.of(migration.origin.site, migration.origin.collections)
    for key, item in live_items(migration):
        yield key, paths.path(key, item.slug)


def live_items(migration: Migration) -> Iterator[tuple[ItemKey, Item]]:
    """Yield every item that visitors can open now, also those that stay behind."""
    for items in migration.origin.live.values():
        for item in items:
            yield item.key, item
