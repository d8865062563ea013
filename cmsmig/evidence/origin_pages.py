"""Where visitors find the items at the origin."""

from __future__ import annotations

from functools import cached_property

from cmsmig.evidence.decided import site_address
from cmsmig.item_key import ItemKey
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.decide.pulled_origin import old_addresses


class OriginPages:
    """The pages of live items. Looks for them when the first one is asked for."""

    def __init__(self, migration: Migration) -> None:
        self._migration = migration

    @property
    def site(self) -> str:
        """Return the address of the site; empty where no host is known."""
        return site_address(self._migration.origin.site)

    def path(self, key: ItemKey) -> str:
        """Return the path of an item's page, empty if it has none."""
        return self._paths.get(key, "")

    @cached_property
    def _paths(self) -> dict[ItemKey, str]:
        return old_addresses(self._migration.origin)
