"""The addresses that live items have at the origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import Place
from cmsmig.mapping.select.routes import Routes
from cmsmig.origin.schema import Item
from cmsmig.steps.decide.migration import Migration


def old_addresses(migration: Migration) -> Mapping[ItemKey, str]:
    """Return the path of every item that visitors can open now, by key."""
    live = dict(live_items(migration))
    routes = Routes(
        migration.origin.site,
        migration.origin.collections,
        {key: Place("", item.slug, 0) for key, item in live.items()},
        {key: item.slug for key, item in live.items()},
    )
    return {key: routes.path(key) for key in live}


def live_items(migration: Migration) -> Iterator[tuple[ItemKey, Item]]:
    """Yield every item that visitors can open now, also those that stay behind."""
    for items in migration.origin.live.values():
        for item in items:
            yield item.key, item
