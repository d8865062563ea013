"""The rollback job: what all parts of a rollback share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.settings import Settings
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.write_counter import WriteCounter


@dataclass(frozen=True, slots=True)
class Subset:
    """Which stories are rolled back: those that fit all that is given, as in a pilot.

    Without any names everything is, what stories stand on included.
    """

    collections: frozenset[str] = frozenset()
    """Collection ids."""
    items: frozenset[str] = frozenset()
    """Item ids, each in all its locales, or whole keys."""

    @property
    def is_all(self) -> bool:
        """Return whether everything that was created is meant."""
        return not self.collections and not self.items

    def holds(self, key: ItemKey) -> bool:
        """Return whether an item is meant."""
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
