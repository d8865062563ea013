"""The reverse of what an import recorded: an object that it created, to be deleted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.errors import NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.gone_items import INTENTS as GONE_INTENTS
from cmsmig.ledger.intents import DELETE, deletion_subject
from cmsmig.ledger.rows import AssetRow, ItemRow, MadeRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.write.idempotent_write import remove_once

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
class Reverse:
    """One object that this ledger created, and what keeps it from being deleted."""

    kind: Kind
    name: str
    """A path, a name or a slug."""
    number: int
    """Its id at the destination."""
    row: ItemRow | AssetRow | MadeRow
    """What the ledger records of it."""
    stamp: str = ""
    """Fingerprint of its state; empty until it was compared."""
    fields: tuple[str, ...] = ()
    """What was edited; empty where it is as we left it."""
    seen: str = ""
    """What names that edit, so that a decision does not hold for another one."""
    mentions: frozenset[str | int] = frozenset()
    """Every text and number in the content of a story that was read."""
    components: frozenset[str] = frozenset()
    """Every component in it."""
    reason: Reason | None = None
    """Why it stays; None where it goes."""
    text: str = ""
    """One sentence: why, and what to do."""

    @property
    def subject(self) -> str:
        """Return what its intent names."""
        return deletion_subject(self.row)

    @property
    def called(self) -> str:
        """Return its kind and name within a sentence."""
        return f"{self.kind.noun()} `{self.name}`"

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


def counts(reverses: Iterable[Reverse]) -> dict[Kind, int]:
    """Return how many there are of each kind that occurs, in the order of removal."""
    listed = [each.kind for each in reverses]
    return {kind: listed.count(kind) for kind in Kind if kind in listed}


def created(ledger: Ledger) -> Iterator[Reverse]:
    """Yield everything that this ledger created and records. Reads only."""
    for item in ledger.items.all().values():
        if item.story_record is not None and item.story_record.made:
            story_record = item.story_record
            yield Reverse(
                Kind.STORY, story_record.full_slug, story_record.story_id, item
            )
    for asset in ledger.inventory.assets().values():
        if asset.asset_id is not None:
            yield Reverse(Kind.ASSET, asset.name, asset.asset_id, asset)
    for kind in Kind:
        if kind in (Kind.STORY, Kind.ASSET):
            continue
        for made in ledger.inventory.made(kind).values():
            if made.made:
                yield Reverse(kind, made.name, made.destination_id, made)


def created_kinds(ledger: Ledger) -> Set[Kind]:
    """Return the kinds that this ledger created, or may have. Reads only."""
    intended = {k for k in Kind if ledger.intents.open(_CREATED_BY.get(k, k))}
    return intended | {each.kind for each in created(ledger)}


def forget(ledger: Ledger, gone: Reverse) -> None:
    """Record that something does not exist any more: an import would create it."""
    match gone.row:
        case ItemRow(key=key, gone=state):
            ledger.items.release([key])
            if state is not None:
                _forget_gone(ledger, key)
        case AssetRow(sha256=sha256):
            ledger.inventory.forget_assets([sha256])
        case MadeRow() as made:
            ledger.inventory.forget([made])
    # Last: a run that is killed before this looks again, and finds nothing there.
    ledger.intents.settle(DELETE, gone.subject, "done")


def _forget_gone(ledger: Ledger, key: ItemKey) -> None:
    """Forget an item that the origin no longer has: nothing is created for it."""
    ledger.gone.forget([key])
    for intent in GONE_INTENTS:
        ledger.intents.settle(intent, str(key), "gone")


async def delete(client: DestinationClient, going: Reverse) -> None:
    """Delete something. Raises what the client raises."""
    sending: dict[Kind, Callable[[int], Awaitable[object]]] = {
        Kind.STORY: client.delete_story,
        Kind.FOLDER: client.delete_story,
        # One that is in the trash already might be deleted for good.
        Kind.ASSET: partial(client.delete_asset, repeatable=False),
        Kind.ASSET_FOLDER: client.delete_asset_folder,
        Kind.DATASOURCE: client.delete_datasource,
        Kind.COMPONENT: client.delete_component,
    }
    await remove_once(
        partial(sending[going.kind], going.number), partial(is_there, client, going)
    )


async def is_there(client: DestinationClient, ours: Reverse) -> bool:
    """Return whether something exists, and is not in the trash. Reads only."""
    number = ours.number
    try:
        match ours.kind:
            case Kind.STORY | Kind.FOLDER:
                await client.story(number)
            case Kind.ASSET:
                await client.asset(number)
            case Kind.COMPONENT:
                await client.component(number)
            case Kind.ASSET_FOLDER:
                folders = await client.asset_folders()
                return any(each.folder_id == number for each in folders)
            case Kind.DATASOURCE:
                sources = await client.datasources()
                return any(each.datasource_id == number for each in sources)
    except NotFoundError:
        return False
    return True
