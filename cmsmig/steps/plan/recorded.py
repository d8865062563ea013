"""The objects that the ledger records, of every kind alike, and which of them exist.

A list may lag behind what was written a moment ago, so what it lacks is read singly
before it counts as gone. What is in the trash does not exist.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import AssetRow, Intent, ItemRow, MadeRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Verb
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import together

T = TypeVar("T")

LAGGING = 10
"""What a list lacks is read singly, the newest first, so many at once. A list lags
with what is newest: when all of these are gone, what is older is."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One object that the ledger records."""

    kind: Kind
    key: ItemKey | str
    """What the ledger knows it by: an item, the hash of a file's bytes, or a name."""
    name: str
    """What people know it by: a path, a name or a slug."""
    number: int
    """Its id at the destination."""
    row: ItemRow | AssetRow | MadeRow
    made: bool
    """Whether this ledger created it."""

    @property
    def subject(self) -> str:
        """Return what the intent to delete it names."""
        return f"{self.kind} {self.key}"


@dataclass(frozen=True, slots=True)
class Removal(Recorded):
    """One of them that is to be taken away."""

    intent: Intent
    """What is recorded before the request."""
    verb: Verb = Verb.DELETE
    """Deleted, or hidden: a story that is unpublished."""


def recorded(ledger: Ledger) -> Iterator[Recorded]:
    """Yield every object that the ledger records. Reads only."""
    for key, item in ledger.items.all().items():
        if story := item.story_record:
            path, own = story.full_slug, story.story_id
            yield Recorded(Kind.STORY, key, path, own, item, story.made)
    for sha256, file in ledger.inventory.assets().items():
        if file.asset_id is not None:
            own = file.asset_id
            yield Recorded(Kind.ASSET, sha256, file.name, own, file, made=True)
    for kind in Kind:
        # Neither stories nor assets are among these.
        for name, row in ledger.inventory.made(kind).items():
            yield Recorded(kind, name, name, row.destination_id, row, row.made)


def forget(
    ledger: Ledger, gone: Iterable[Recorded], left: Iterable[tuple[ItemKey, str]] = ()
) -> None:
    """Record that objects do not exist any more: an import would create them.

    `left` are the paths of pages in other languages, which are kept.
    """
    rows = [each.row for each in gone]
    ledger.items.release([row.key for row in rows if isinstance(row, ItemRow)], left)
    ledger.inventory.forget_assets(
        row.sha256 for row in rows if isinstance(row, AssetRow)
    )
    ledger.inventory.forget(row for row in rows if isinstance(row, MadeRow))


async def complete(
    client: DestinationClient, snapshot: Snapshot, ours: Iterable[Recorded]
) -> Snapshot:
    """Return a snapshot with those of `ours` that its lists lacked and that exist.

    Costs a call for each, but no more than some ten where much is gone. Asset folders
    and datasources are not read: their lists are short. Reads only.
    """
    listed = snapshot.objects()
    lacking: defaultdict[Kind, list[int]] = defaultdict(list)
    for each in ours:
        if (each.kind, each.number) not in listed:
            lacking[each.kind].append(each.number)
    pages = [*lacking[Kind.STORY], *lacking[Kind.FOLDER]]
    stories, calls = await _read_unlisted(pages, client.story)
    components, asked = await _read_unlisted(lacking[Kind.COMPONENT], client.component)
    assets, looked = await _read_unlisted(lacking[Kind.ASSET], client.asset)
    return replace(
        snapshot,
        stories=(*snapshot.stories, *(each.row for each in stories)),
        components=(*snapshot.components, *components),
        assets={**snapshot.assets, **{each.asset_id: each for each in assets}},
    ).with_calls({"read_what_lists_lack": calls + asked + looked})


async def _read_unlisted(
    numbers: Iterable[int], read: Callable[[int], Awaitable[T]]
) -> tuple[list[T], int]:
    """Return the objects that exist although a list lacks them, and the number of
    calls that took. The destination gives numbers in the order in which things are
    made."""

    async def one(own: int) -> T | None:
        with suppress(NotFoundError):
            return await read(own)
        return None

    newest = sorted({*numbers}, reverse=True)
    there: list[T] = []
    for start in range(0, len(newest), LAGGING):
        chunk = newest[start : start + LAGGING]
        found = [each for each in await together(map(one, chunk)) if each is not None]
        there += found
        if not found:
            return there, start + len(chunk)
    return there, len(newest)
