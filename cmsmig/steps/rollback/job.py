"""The rollback job: what all parts of a rollback share, and which part of an import it
is about."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.counting import first_of
from cmsmig.destination.client import DestinationClient
from cmsmig.errors import UsageError
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import WriteCounter
from cmsmig.steps.plan.recorded import Recorded
from cmsmig.steps.worker_pool import StopSignal

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Subset:
    """Which stories are rolled back: those that fit all that is given, as in a pilot.

    Without any names everything is, also what stories need.
    """

    collections: frozenset[str] = frozenset()
    """Collection ids."""
    items: frozenset[str] = frozenset()
    """Item ids, each in all its locales, or whole keys."""

    @property
    def is_all(self) -> bool:
        """Return whether everything that was created is meant."""
        return not self.collections and not self.items

    def holds(self, ours: Recorded) -> bool:
        """Return whether an object is meant."""
        if not isinstance(ours.row, ItemRow):
            return self.is_all
        key = ours.row.key
        return (not self.collections or key.collection_id in self.collections) and (
            not self.items or bool(self.items & {key.item_id, str(key)})
        )

    def as_json(self) -> JsonObject:
        """Return it as a stored plan holds it."""
        return {
            "collections": [*sorted(self.collections)],
            "items": [*sorted(self.items)],
        }


@dataclass(frozen=True, slots=True)
class RollbackJob:
    """A running rollback: ledger, client and decisions."""

    settings: Settings
    client: DestinationClient
    ledger: Ledger
    decided: ConflictsDecision
    namespace: str
    """What the `_uid` of our stories derive from."""
    subset: Subset
    observer: WriteCounter
    stop: StopSignal
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


def named_subset(
    project: Project, ledger: Ledger, collections: Sequence[str], items: Sequence[str]
) -> Subset:
    """Return the subset of collections, by slug or id, and of items, by id or key.

    Raises `UsageError` for what the ledger does not know.
    """
    known, cache = [*ledger.items.all()], RawCache(project.raw)
    listed = cache.collections() if cache.holds_collections() else ()
    slugs = {each.slug: each.collection_id for each in listed}
    ids = frozenset(slugs.get(each, each) for each in collections)
    there = {key.collection_id for key in known}
    if unknown := sorted(ids - there):
        raise UsageError(
            f"No collection `{unknown[0]}` was imported in this project; there are "
            f"{first_of(sorted(slugs) or sorted(there), _SHOWN)}."
        )
    named = {key.item_id for key in known} | {str(key) for key in known}
    if unknown := sorted(set(items) - named):
        raise UsageError(
            f"No item `{unknown[0]}` was imported in this project; `cmsmig status "
            "--json` and the ledger's view `items` know them by id."
        )
    return Subset(ids, frozenset(items))
