"""What a rollback handles: one object of the space that an import created."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.gone_items import INTENTS as GONE_INTENTS
from cmsmig.ledger.intents import DELETE, deletion_subject
from cmsmig.ledger.rows import AssetRow, ItemRow, MadeRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind

TRASHED: Final = frozenset((Kind.STORY, Kind.FOLDER, Kind.ASSET))
"""What a deletion moves to the trash; everything else is gone for good.

Source: destination, stories and assets (`deleted_at`); components: "no schema" then.
"""

_OPEN_AS = {
    Kind.STORY: "create",
    Kind.FOLDER: "folder",
    Kind.ASSET: "sign",
    Kind.ASSET_FOLDER: "asset_folder",
    Kind.DATASOURCE: "datasource",
    Kind.COMPONENT: "component",
}
"""The kind of the intents that create one of a kind."""


def counts(kinds: Iterable[Kind]) -> dict[Kind, int]:
    """Return how many there are of each kind that occurs, in the order of removal."""
    listed = list(kinds)
    return {kind: listed.count(kind) for kind in Kind if kind in listed}


def counted_kinds(kinds: Iterable[Kind]) -> str:
    """Return how many there are of each kind, for a person."""
    return ", ".join(
        f"{count:,} {kind.noun(count)}" for kind, count in counts(kinds).items()
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """One object that this ledger created."""

    kind: Kind
    name: str
    """What people know it by: a path, a name or a slug."""
    own: int
    """Its number at the destination."""
    row: ItemRow | AssetRow | MadeRow
    """What the ledger says of it."""
    stamp: str = ""
    """Fingerprint of what stood there when the plan was made; empty when nothing
    did."""

    @property
    def subject(self) -> str:
        """Return what its intent names."""
        return deletion_subject(self.row)

    def __str__(self) -> str:
        return f"{self.kind.noun()} {self.name}"


def created(ledger: Ledger) -> Iterator[Piece]:
    """Yield everything that this ledger created and records. Reads only."""
    for item in ledger.items.all().values():
        if item.home is not None and item.home.made:
            home = item.home
            yield Piece(Kind.STORY, home.full_slug, home.story_id, item)
    for asset in ledger.inventory.assets().values():
        if asset.asset_id is not None:
            yield Piece(Kind.ASSET, asset.name, asset.asset_id, asset)
    for kind in Kind:
        if kind in (Kind.STORY, Kind.ASSET):
            continue
        for made in ledger.inventory.made(kind).values():
            if made.made:
                yield Piece(kind, made.name, made.destination_id, made)


def created_kinds(ledger: Ledger) -> Set[Kind]:
    """Return the kinds of which this ledger created any, or may have. Reads only."""
    found = {kind for kind in Kind if ledger.intents.open(_OPEN_AS[kind])}
    return found | {piece.kind for piece in created(ledger)}


def forget(ledger: Ledger, piece: Piece) -> None:
    """Write that something is not there any more: an import would make it anew."""
    match piece.row:
        case ItemRow(key=key, gone=gone):
            ledger.items.release([key])
            if gone is not None:
                _forget_gone(ledger, key)
        case AssetRow(sha256=sha256):
            ledger.inventory.forget_assets([sha256])
        case MadeRow() as made:
            ledger.inventory.forget([made])
    # Last: a run that is killed before this looks again, and finds nothing there.
    ledger.intents.settle(DELETE, piece.subject, "done")


def _forget_gone(ledger: Ledger, key: ItemKey) -> None:
    """Forget an item that the origin no longer has: nothing is made of it anew."""
    ledger.gone.forget([key])
    for intent in GONE_INTENTS:
        ledger.intents.settle(intent, str(key), "gone")


class Reason(StrEnum):
    """Why something of ours stays."""

    EDITED = "edited"
    """Somebody changed it since our last write."""
    HOLDS = "holds"
    """A folder in which something stays."""
    USED = "used"
    """Something that stays uses it."""
    REFUSED = "refused"
    """The service would not delete it."""
    NOT_CONFIRMED = "not_confirmed"
    """Nobody knows what became of the request."""
    WAITS = "waits"
    """Something that was to go before it stayed."""
    STILL_THERE = "still_there"
    """The service said that it deleted it."""


@dataclass(frozen=True, slots=True)
class Left:
    """Something of ours that stays, and why."""

    piece: Piece
    reason: Reason
    text: str
    """One sentence: why, and what to do."""
    fields: tuple[str, ...] = ()
    """What of it was edited."""
    seen: str = ""
    """What a decision about the edit gives as `seen`."""

    def as_json(self) -> JsonObject:
        """Return it as the JSON outputs list it."""
        return {
            "kind": str(self.piece.kind),
            "what": self.piece.name,
            "reason": str(self.reason),
            "text": self.text,
            "fields": [*self.fields],
            "seen": self.seen,
        }
