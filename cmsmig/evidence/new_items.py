"""Which items are new since the last import that ended before the origin was read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.run_history import EarlierImport, read_earlier_import
from cmsmig.ledger.store import Ledger
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project
from cmsmig.steps.decide.migration import Migration
from cmsmig.ui.format import moment


@dataclass(frozen=True, slots=True)
class NewItems:
    """Finds the items that an import did not bring as they are at the origin now."""

    migration: Migration
    rows: Mapping[ItemKey, ItemRow]
    earlier: EarlierImport

    @property
    def label(self) -> str:
        """Return what a list of them is called: after an import, what that brought."""
        with_it = self.earlier.written_since
        return f"new {'with' if with_it else 'since'} the last import"

    @property
    def before(self) -> str:
        """Return what older ones are older than."""
        return f"the import of {moment(self.earlier.ended_at)}"

    def said_of(self, key: ItemKey) -> str:
        """Return the label for an item that is new, else nothing.

        It is new when it changed at the origin since, when it has no story or failed,
        and when its story was written since.
        """
        row = self.rows.get(key)
        now = self.migration.origin_hash(key)
        is_known = row is not None and row.status != "failed"
        is_same = is_known and now in ("", row.origin_hash if row else "")
        is_new = not is_same or str(key) in self.earlier.written_since
        return self.label if is_new else ""


def new_items(project: Project, migration: Callable[[], Migration]) -> NewItems | None:
    """Return which items are new; None before the second day: without a story, and
    while no whole import ended before the origin was read. Reads only."""
    path = project.ledger
    if not path.is_file():
        return None
    earlier = read_earlier_import(path, RawCache(project.raw).read_at())
    with Ledger.open_existing(path) as ledger:
        rows = ledger.items.all()
    if earlier is None or not any(row.story_record for row in rows.values()):
        return None
    return NewItems(migration(), rows, earlier)
