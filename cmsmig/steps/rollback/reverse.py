"""The rollback job, and what it takes back: the objects that this ledger created."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.content_places import block_places
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.kinds import Kind
from cmsmig.settings import Settings
from cmsmig.steps.connect import WriteCounter
from cmsmig.steps.plan.recorded import Recorded, Removal, forget, recorded
from cmsmig.steps.worker_pool import StopSignal

TRASHED: Final = frozenset((Kind.STORY, Kind.FOLDER, Kind.ASSET))
"""What a deletion moves to the trash; everything else is gone for good.

Source: destination, stories and assets (`deleted_at`); components: "no schema" then.
"""
_CREATED_BY = {Kind.STORY: "create", Kind.ASSET: "sign"}
"""The kind of the intents that create one, where it is not the kind's own name."""


class Reason(StrEnum):
    """Why something of ours stays."""

    EDITED = "edited"
    """An editor changed it since our last write."""
    HOLDS = "holds"
    """A folder in which something stays."""
    USED = "used"
    """Something that stays uses it."""
    REFUSED = "refused"
    """The service would not delete it."""
    NOT_CONFIRMED = "not_confirmed"
    """The outcome of the request is not known."""
    WAITS = "waits"
    """Something that was to go before it stayed."""
    STILL_THERE = "still_there"
    """The service answered that it deleted it."""


@dataclass(frozen=True, slots=True)
class RollbackJob:
    """A running rollback: ledger, client and decisions."""

    settings: Settings
    client: DestinationClient
    ledger: Ledger
    decided: ConflictsDecision
    namespace: str
    """What the `_uid` of our stories derive from."""
    observer: WriteCounter
    stop: StopSignal
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Reverse(Removal):
    """One object that this ledger created, and what keeps it from being deleted."""

    fields: tuple[str, ...] = ()
    """What was edited; empty where it is as we left it."""
    seen: str = ""
    """What names that edit, so that a decision does not hold for another one."""
    content: JsonObject = field(default_factory=dict)
    """Of a story that was read."""
    reason: Reason | None = None
    """Why it stays; None where it goes."""
    text: str = ""
    """One sentence: why, and what to do."""

    @property
    def called(self) -> str:
        """Return its kind and name within a sentence."""
        return f"{self.kind.noun()} `{self.name}`"

    @property
    def mentions(self) -> frozenset[str | int]:
        """Return every text and number in its content."""
        return frozenset(_scalars(self.content))

    @property
    def components(self) -> frozenset[str]:
        """Return every component in its content."""
        return frozenset(each.component for each in block_places(self.content))

    def kept(self, reason: Reason, text: str) -> Reverse:
        """Return it as it stays, for another reason than an edit."""
        return replace(self, reason=reason, text=text, fields=(), seen="")

    def as_json(self) -> JsonObject:
        """Return why it stays, as the JSON outputs list it."""
        return {
            "kind": str(self.kind),
            "what": self.name,
            "reason": str(self.reason),
            "text": self.text,
            "fields": [*self.fields],
            "seen": self.seen,
        }


def _scalars(content: Json) -> Iterator[str | int]:
    pending = [content]
    while pending:
        match pending.pop():
            case dict() as found:
                pending += found.values()
            case list() as found:
                pending += found
            case str() | int() as found:
                yield found


def counts(ours: Iterable[Recorded]) -> dict[Kind, int]:
    """Return how many there are of each kind that occurs, in the order of removal."""
    listed = [each.kind for each in ours]
    return {kind: listed.count(kind) for kind in Kind if kind in listed}


def created(ledger: Ledger) -> Iterator[Recorded]:
    """Yield everything that this ledger created and records. Reads only."""
    return (each for each in recorded(ledger) if each.made)


def intended_kinds(ledger: Ledger) -> Set[Kind]:
    """Return the kinds that a killed import may have created. Reads only."""
    return {k for k in Kind if ledger.intents.open(_CREATED_BY.get(k, k))}


def created_kinds(ledger: Ledger) -> Set[Kind]:
    """Return the kinds that this ledger created, or may have. Reads only."""
    return intended_kinds(ledger) | {each.kind for each in created(ledger)}


def forget_removed(ledger: Ledger, gone: Recorded) -> None:
    """Record that something does not exist any more: an import would create it, unless
    the origin no longer has its item."""
    forget(ledger, [gone])
    if isinstance(gone.row, ItemRow) and gone.row.gone is not None:
        ledger.gone.forget([gone.row.key])
    # Last: a run that is killed before this looks again, and finds nothing there.
    ledger.intents.settle(DELETE, gone.subject, "done")
