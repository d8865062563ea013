"""What a report calls items and fields."""

from __future__ import annotations

from cmsmig.evidence.new_items import NewItems
from cmsmig.evidence.old_addresses import OriginPages
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.select.reference_targets import unnamed
from cmsmig.steps.decide.migration import Migration


class ItemWords:
    """What items and fields are called, and where their pages are."""

    def __init__(self, migration: Migration, new: NewItems | None = None) -> None:
        """`new` knows which items are new; None: nothing is said of it."""
        origin, self._new = migration.origin, new
        self._pages = OriginPages(migration)
        self._places = migration.places.places
        items = [
            item
            for sets in (origin.live, origin.staged)
            for listed in sets.values()
            for item in listed
        ]
        self._names = {item.key: item.name for item in items}
        self._in_any_locale = {item.key[:2]: item.name for item in reversed(items)}
        self._fields = {
            (each.collection_id, field.slug): field.display_name
            for each in origin.collections
            for field in each.fields
        }

    def about(
        self, key: ItemKey, field: str = "", *, row: ItemRow | None = None
    ) -> dict[str, str]:
        """Return what a finding says of its item and of the field, by its slug. `row`
        is asked first for the name, last for the page."""
        return {
            "item": (row.name if row else "") or self.item(key),
            "page": self.page(key) or (row.old_path if row else ""),
            "new_page": self.new_page(key),
            "field": self.field(key, field),
            "since": self._new.said_of(key) if self._new else "",
        }

    def item(self, key: ItemKey) -> str:
        """Return an item's name in its locale, else in any, else its id."""
        return self._named(key) or key.item_id

    def target(self, key: ItemKey, cause: str) -> str:
        """Return the name of what a reference leads to, also of one that was imported
        and deleted at the origin since."""
        row = self._new.rows.get(key) if self._new else None
        return self._named(key) or (row.name if row else "") or unnamed(cause)

    def _named(self, key: ItemKey) -> str:
        found = self._names.get(key) or self._in_any_locale.get(key[:2])
        return found or ""

    def page(self, key: ItemKey) -> str:
        """Return the path of an item's page at the origin, empty if it has none."""
        return self._pages.path(key)

    def new_page(self, key: ItemKey) -> str:
        """Return the path of an item's story, empty if it has none."""
        return f"/{self._places[key].full_slug}" if key in self._places else ""

    def field(self, key: ItemKey, slug: str) -> str:
        """Return what editors call a field."""
        return self._fields.get((key.collection_id, slug)) or slug
