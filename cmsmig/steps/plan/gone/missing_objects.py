"""Compares the objects that the ledger has with those of the space. Reads only.

A list may lag behind what was written a moment ago, so what it lacks is read singly
before it counts as gone. What is in the trash is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.intents import DELETE, deletion_subject
from cmsmig.ledger.rows import AssetRow, ItemRow, MadeRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision, GoneAction, GoneFrom
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.asset import is_file_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.gone.gone_at_origin import removed_by_us
from cmsmig.steps.plan.resources import needed_names
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import together

T = TypeVar("T")
R = TypeVar("R")

LAGGING = 10
"""What a list lacks is read singly, the newest first, so many at once. A list lags
with what is newest: when all of these are gone, what is older is."""


_LISTED = (
    Kind.STORY,
    Kind.FOLDER,
    Kind.COMPONENT,
    Kind.DATASOURCE,
    Kind.ASSET,
    Kind.ASSET_FOLDER,
)
"""The order in which kinds are listed."""


@dataclass(frozen=True, slots=True)
class GoneThing:
    """One object that the ledger records and the destination no longer has."""

    kind: Kind
    name: str
    """What people know it by: a path or a name."""
    needed: bool
    """Whether the migration, as it is decided now, has a place for it."""
    row: ItemRow | AssetRow | MadeRow
    """What the ledger says of it."""
    outside: bool = False
    """Whether it is outside of the pilot, which does nothing with it."""
    record_left: bool = False
    """For a file: its record is there, only its bytes are not."""
    action: GoneAction | None = None
    """The decision: made again, left out, or None while undecided."""

    @property
    def is_left_out(self) -> bool:
        """Return whether it was decided that it stays away."""
        return self.action is GoneAction.LEAVE_OUT


@dataclass(frozen=True, slots=True)
class Gone:
    """All objects that the ledger records and the destination no longer has."""

    things: tuple[GoneThing, ...] = ()

    @property
    def needed(self) -> tuple[GoneThing, ...]:
        """Return what an operator has to restore, or to create again."""
        return tuple(
            each for each in self.things if each.needed and not each.is_left_out
        )

    @property
    def unneeded(self) -> Gone:
        """Return what nothing needs any more: the next import forgets it."""
        return Gone(tuple(each for each in self.things if not each.needed))

    @property
    def undecided(self) -> Gone:
        """Return what is needed and not decided about."""
        return Gone(tuple(each for each in self.needed if each.action is None))

    @property
    def recreated(self) -> Gone:
        """Return what is made again."""
        again = GoneAction.RECREATE
        return Gone(tuple(each for each in self.needed if each.action is again))

    def names(self) -> dict[Kind, list[str]]:
        """Return the names of what is needed, sorted, by kind."""
        found: dict[Kind, list[str]] = {}
        for each in sorted(self.needed, key=lambda thing: thing.name):
            found.setdefault(each.kind, []).append(each.name)
        return {kind: found[kind] for kind in _LISTED if kind in found}

    def counts(self) -> dict[str, int]:
        """Return how many of what is needed are gone, by kind."""
        return {kind.noun(2): len(names) for kind, names in self.names().items()}

    def keys(self) -> frozenset[ItemKey]:
        """Return the items whose stories are gone."""
        rows = (each.row for each in self.things)
        return frozenset(row.key for row in rows if isinstance(row, ItemRow))

    def left_out(self) -> frozenset[ItemKey]:
        """Return the items whose stories are gone and stay away, as was decided."""
        rows = (each.row for each in self.things if each.is_left_out)
        return frozenset(row.key for row in rows if isinstance(row, ItemRow))

    def hashes(self) -> frozenset[str]:
        """Return the files that are gone, by the hash of their bytes."""
        rows = (each.row for each in self.things)
        return frozenset(row.sha256 for row in rows if isinstance(row, AssetRow))

    def decided(self, decisions: ConflictsDecision, *, recreate: bool) -> Gone:
        """Return this with what was decided about each; with `recreate`, everything
        that is needed and not left out is made again."""
        return Gone(tuple(_decided(each, decisions, recreate) for each in self.things))

    def with_lost_bytes(self, rows: Iterable[AssetRow]) -> Gone:
        """Return this, and the files that have only a record left."""
        left = (
            GoneThing(Kind.ASSET, row.name, True, row, record_left=True) for row in rows
        )
        return Gone((*self.things, *left))


NOTHING: Final = Gone()
_ACTIONS = (GoneAction.RECREATE, GoneAction.LEAVE_OUT)
_LEFT_OUT = frozenset((Kind.STORY,))
"""Kinds that can be left out: what other objects need, or show, is needed."""


def _decided(
    thing: GoneThing, decisions: ConflictsDecision, recreate: bool
) -> GoneThing:
    action = decisions.gone_action(GoneFrom.DESTINATION, thing.name)
    if (
        not thing.needed
        or action not in _ACTIONS
        or (action is GoneAction.LEAVE_OUT and thing.kind not in _LEFT_OUT)
    ):
        action = None
    if recreate and action is None:
        action = GoneAction.RECREATE
    return replace(thing, action=action)


async def find_missing(
    client: DestinationClient, migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> tuple[Snapshot, Gone]:
    """Compare the ledger with the snapshot, which has to have read the files too;
    return the snapshot, completed by single reads, and what is gone.

    Costs a call for each thing that the lists lack, but no more than some ten where
    much is gone. Reads only.
    """
    names = needed_names(migration)
    uuids: dict[int, str] = {}
    components: dict[int, str] = {}
    files: dict[int, AssetRow] = {}
    for row in _unlisted(ledger, snapshot, names):
        match row:
            case ItemRow(story_record=StoryRecord() as story_record):
                uuids[story_record.story_id] = story_record.uuid
            case MadeRow(kind=Kind.FOLDER):
                uuids[row.destination_id] = row.uuid
            case MadeRow(kind=Kind.COMPONENT):
                components[row.destination_id] = row.name
            case AssetRow(asset_id=int() as own):
                files[own] = row
    # What is listed with a number of ours, and is not ours, is known already.
    for story in snapshot.stories:
        uuids.pop(story.story_id, None)

    async def read(story_id: int) -> StoryRow:
        return (await client.story(story_id)).row

    stories, calls = await read_unlisted(
        uuids, read, lambda uuid, found: found.uuid == uuid
    )
    there, asked = await read_unlisted(
        components, client.component, lambda name, found: found.name == name
    )
    assets, looked = await read_unlisted(files, client.asset, is_file_of)
    snapshot = replace(
        snapshot,
        stories=(*snapshot.stories, *stories),
        components=(*snapshot.components, *there),
        assets={**snapshot.assets, **{each.asset_id: each for each in assets}},
    ).with_calls({"read_what_lists_lack": calls + asked + looked})
    # What a killed rollback deleted is forgotten, and an import makes it again.
    ours = ledger.intents.subjects(DELETE)
    used = {upload.sha256 for upload in migration.files.uploads}
    things: list[GoneThing] = []
    for row in _unlisted(ledger, snapshot, names):
        match row:
            case ItemRow():
                name = row.story_record.full_slug if row.story_record else row.full_slug
                kind = Kind.STORY
                needed = row.key in migration.items
            case MadeRow():
                kind, name = Kind(row.kind), row.name
                needed = name in names[row.kind]
            case AssetRow():
                kind, name = Kind.ASSET, row.name
                needed = row.sha256 in used
        needed = needed and deletion_subject(row) not in ours
        outside = not needed and not migration.pilot.is_whole
        things.append(GoneThing(kind, name, needed, row, outside=outside))
    return snapshot, Gone(tuple(things))


def has_files(ledger: Ledger) -> bool:
    """Return whether the ledger knows files that may be gone. Reads only."""
    return any(_may_be_gone(row) for row in ledger.inventory.assets().values())


def _may_be_gone(row: AssetRow) -> bool:
    return row.is_uploaded and row.asset_id is not None


def _unlisted(
    ledger: Ledger, snapshot: Snapshot, names: Mapping[str, frozenset[str]]
) -> Iterator[ItemRow | MadeRow | AssetRow]:
    """Yield what the ledger records and the lists of the snapshot lack."""
    stories = {row.story_id: row for row in snapshot.stories}
    removed = removed_by_us(ledger)
    for key, item in ledger.items.all().items():
        there = stories.get(item.story_record.story_id) if item.story_record else None
        if (
            item.story_record
            and key not in removed
            and not _is_story_record(item.story_record, there)
        ):
            yield item
    folders = [row for row in snapshot.stories if row.is_folder]
    listed = {
        Kind.FOLDER: {row.full_slug.strip("/") for row in folders},
        Kind.COMPONENT: {each.name for each in snapshot.components},
        # These two are read only where the design names some.
        Kind.DATASOURCE: {each.slug for each in snapshot.datasources},
        Kind.ASSET_FOLDER: {each.name for each in snapshot.asset_folders},
    }
    moved = {(row.story_id, row.uuid) for row in folders}
    for kind, known in listed.items():
        is_read = kind in (Kind.FOLDER, Kind.COMPONENT)
        for name, made in ledger.inventory.made(kind).items():
            is_there = name in known or (made.destination_id, made.uuid) in moved
            if not is_there and (is_read or name in names[kind]):
                yield made
    for file in ledger.inventory.assets().values():
        asset = snapshot.assets.get(file.asset_id or 0)
        if _may_be_gone(file) and not (asset and is_file_of(file, asset)):
            yield file


def _is_story_record(story_record: StoryRecord, row: StoryRow | None) -> bool:
    """Return whether a story is the one of that story record.

    Not by its number alone: a space that was made again may give an old number.
    """
    return row is not None and (
        row.uuid == story_record.uuid
        or row.full_slug.strip("/") == story_record.full_slug
    )


async def read_unlisted(
    known: Mapping[int, T],
    read: Callable[[int], Awaitable[R]],
    is_same: Callable[[T, R], bool],
) -> tuple[list[R], int]:
    """Return the objects that exist although a list lacks them, and the number of
    calls that took.

    An object with a `known` number that is another thing does not count. The
    destination gives numbers in the order in which things are made.
    """

    async def one(own: int) -> R | None:
        with suppress(NotFoundError):
            found = await read(own)
            return found if is_same(known[own], found) else None
        return None

    newest = sorted(known, reverse=True)
    there: list[R] = []
    for start in range(0, len(newest), LAGGING):
        chunk = newest[start : start + LAGGING]
        found = [each for each in await together(map(one, chunk)) if each is not None]
        there += found
        if not found:
            return there, start + len(chunk)
    return there, len(newest)
