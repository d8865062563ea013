"""The addresses that live items have at the origin."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.routes import OldPaths, RouteTarget
from cmsmig.origin.schema import Item
from cmsmig.steps.decide.migration import Migration


def old_addresses(migration: Migration) -> Iterator[tuple[ItemKey, str]]:
    """Yield every item that visitors can open now, by key, with its path."""
    paths = OldPaths.of(migration.origin.site, migration.origin.collections)
    for key, item in live_items(migration):
        yield key, paths.path(key, item.slug)


def former_addresses(migration: Migration) -> Iterator[tuple[ItemKey, str]]:
    """Yield the live items of renamed collections with the paths that they had before,
    where links to these lead to them."""
    paths = OldPaths.of(migration.origin.site, migration.origin.collections)
    for former in migration.decisions.collections.followed_paths:
        for item in migration.origin.live.get(former.collection_id, ()):
            path = paths.below(former.parts, item.key, item.slug)
            found = migration.routes.resolve(path, item.key.locale_id)
            if isinstance(found, RouteTarget) and found.key[:2] == item.key[:2]:
                yield item.key, path


def live_items(migration: Migration) -> Iterator[tuple[ItemKey, Item]]:
    """Yield every item that visitors can open now, also those that stay behind."""
    for items in migration.origin.live.values():
        for item in items:
            yield item.key, item
