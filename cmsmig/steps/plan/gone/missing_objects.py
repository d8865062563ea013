"""Compares what the ledger says is at the destination with what is there. Reads only.

A list may lag behind what was written a moment ago, so what it lacks is read singly
before it counts as gone. What is in the trash is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import Asset, Component, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.intents import DELETE, deletion_subject
from cmsmig.ledger.rows import AssetRow, ItemRow, MadeRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision, GoneAction, GoneFrom
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.asset import is_file_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.gone.gone_stories import removed_by_us
from cmsmig.steps.plan.needed_names import needed_names
from cmsmig.steps.snapshot import Snapshot, folder_at
from cmsmig.steps.worker_pool import together

T = TypeVar("T")
R = TypeVar("R")

LAGGING = 10
"""What a list lacks is read singly, the newest first, so many at once. A list lags
with what is newest: when all of these are gone, what is older is."""


STOOD_ON = frozenset(Kind) - {Kind.STORY, Kind.ASSET}
"""What stories and files stand on: without it nothing more can be brought."""
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
    """Whether it is no part of the pilot, so that nothing becomes of it now."""
    record_left: bool = False
    """For a file: its record is there, only its bytes are not."""
    action: GoneAction | None = None
    """What is to become of it: made again, left out, or None while undecided."""

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
        """Return what somebody has to restore, or have made again."""
        return tuple(
            each for each in self.things if each.needed and not each.is_left_out
        )

    @property
    def unneeded(self) -> Gone:
        """Return what nothing needs any more: the next import forgets it."""
        return Gone(tuple(each for each in self.things if not each.needed))

    @property
    def undecided(self) -> Gone:
        """Return what is needed and nobody has decided about."""
        return Gone(tuple(each for each in self.needed if each.action is None))

    @property
    def recreated(self) -> Gone:
        """Return what is made again."""
        again = GoneAction.RECREATE
        return Gone(tuple(each for each in self.needed if each.action is again))

    @property
    def stood_on(self) -> tuple[GoneThing, ...]:
        """Return what is needed, undecided, and what stories and files stand on."""
        return tuple(each for each in self.undecided.things if each.kind in STOOD_ON)

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
        """Return this and the files of which only the records are left."""
        left = (
            GoneThing(Kind.ASSET, row.name, True, row, record_left=True) for row in rows
        )
        return Gone((*self.things, *left))


NOTHING: Final = Gone()
_ACTIONS = (GoneAction.RECREATE, GoneAction.LEAVE_OUT)
_LEFT_OUT = frozenset((Kind.STORY,))
"""Kinds that can be left out: what others stand on, or show, is needed."""


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


@dataclass(frozen=True, slots=True)
class Comparison:
    """The snapshot, completed by single reads, and the objects that are gone."""

    snapshot: Snapshot
    gone: Gone


async def compare(
    client: DestinationClient, migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> Comparison:
    """Hold the ledger against the snapshot, which has to have read the files too.

    Costs a call for each thing that the lists lack, but no more than some ten where
    much is gone. Reads only.
    """
    rows, calls = await _stories(client, ledger, snapshot)
    components, asked = await _components(client, ledger, snapshot)
    assets, looked = await _assets(client, ledger, snapshot)
    calls += asked + looked
    snapshot = replace(
        snapshot,
        stories=(*snapshot.stories, *rows),
        components=(*snapshot.components, *components),
        assets={**snapshot.assets, **{each.asset_id: each for each in assets}},
        calls={**snapshot.calls, "read_what_lists_lack": calls}
        if calls
        else snapshot.calls,
    )
    things = tuple(_find_gone(migration, ledger, snapshot))
    if not migration.pilot.is_whole:
        things = tuple(replace(each, outside=not each.needed) for each in things)
    return Comparison(snapshot, Gone(things))


def has_files(ledger: Ledger) -> bool:
    """Return whether the ledger knows files that may be gone. Reads only."""
    return any(_may_be_gone(row) for row in ledger.inventory.assets().values())


def _may_be_gone(row: AssetRow) -> bool:
    return row.is_brought and row.asset_id is not None


def _find_gone(
    migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> Iterator[GoneThing]:
    # What a killed rollback deleted is forgotten, and an import makes it anew.
    ours = {intent.subject for intent in ledger.intents.open(DELETE)}
    for item in _missing_stories(ledger, snapshot):
        name = item.home.full_slug if item.home else item.full_slug
        needed = item.key in migration.items and deletion_subject(item) not in ours
        yield GoneThing(Kind.STORY, name, needed, item)
    names = needed_names(migration)
    for made in _missing_made(ledger, snapshot, names):
        needed = made.name in names[made.kind] and deletion_subject(made) not in ours
        yield GoneThing(Kind(made.kind), made.name, needed, made)
    used = {upload.sha256 for upload in migration.files.uploads}
    for file in _missing_assets(ledger, snapshot):
        needed = file.sha256 in used and deletion_subject(file) not in ours
        yield GoneThing(Kind.ASSET, file.name, needed, file)


def _missing_stories(ledger: Ledger, snapshot: Snapshot) -> list[ItemRow]:
    there = {row.story_id: row for row in snapshot.stories}
    removed = removed_by_us(ledger)
    return [
        row
        for key, row in ledger.items.all().items()
        if row.home is not None
        and key not in removed
        and not _is_home(row.home, there.get(row.home.story_id))
    ]


def _is_home(home: StoryRecord, row: StoryRow | None) -> bool:
    """Return whether a story is the one of that story record.

    Not by its number alone: a space that was made anew may give an old one again.
    """
    return row is not None and (
        row.uuid == home.uuid or row.full_slug.strip("/") == home.full_slug
    )


def _missing_folders(ledger: Ledger, snapshot: Snapshot) -> list[MadeRow]:
    there = {(row.story_id, row.uuid) for row in snapshot.stories if row.is_folder}
    return [
        row
        for row in ledger.inventory.made("folder").values()
        if (row.destination_id, row.uuid) not in there
        and folder_at(snapshot.stories, row.name) is None
    ]


def _missing_components(ledger: Ledger, snapshot: Snapshot) -> list[MadeRow]:
    made = ledger.inventory.made("component").values()
    return [row for row in made if snapshot.component(row.name) is None]


def _missing_assets(ledger: Ledger, snapshot: Snapshot) -> list[AssetRow]:
    there = snapshot.assets
    return [
        row
        for row in ledger.inventory.assets().values()
        if _may_be_gone(row)
        and not ((asset := there.get(row.asset_id or 0)) and is_file_of(row, asset))
    ]


def _missing_made(
    ledger: Ledger, snapshot: Snapshot, names: Mapping[str, frozenset[str]]
) -> Iterator[MadeRow]:
    yield from _missing_folders(ledger, snapshot)
    yield from _missing_components(ledger, snapshot)
    # The snapshot reads these two only where the design names some.
    slugs = {each.slug for each in snapshot.datasources}
    sources = ledger.inventory.made("datasource")
    wanted = names["datasource"] - slugs
    yield from (row for name, row in sources.items() if name in wanted)
    folders = {each.name for each in snapshot.asset_folders}
    for row in ledger.inventory.made("asset_folder").values():
        if row.name in names["asset_folder"] and row.name not in folders:
            yield row


async def _stories(
    client: DestinationClient, ledger: Ledger, snapshot: Snapshot
) -> tuple[list[StoryRow], int]:
    listed = {row.story_id for row in snapshot.stories}
    uuids = {
        row.home.story_id: row.home.uuid
        for row in _missing_stories(ledger, snapshot)
        if row.home is not None
    }
    uuids |= {
        row.destination_id: row.uuid for row in _missing_folders(ledger, snapshot)
    }

    async def read(story_id: int) -> StoryRow:
        return (await client.story(story_id)).row

    # What is listed with a number of ours, and is not ours, is known already.
    unlisted = {own: uuid for own, uuid in uuids.items() if own not in listed}
    return await read_unlisted(unlisted, read, lambda uuid, row: row.uuid == uuid)


async def _components(
    client: DestinationClient, ledger: Ledger, snapshot: Snapshot
) -> tuple[list[Component], int]:
    missing = _missing_components(ledger, snapshot)
    names = {row.destination_id: row.name for row in missing}
    return await read_unlisted(
        names, client.component, lambda name, found: found.name == name
    )


async def _assets(
    client: DestinationClient, ledger: Ledger, snapshot: Snapshot
) -> tuple[list[Asset], int]:
    rows = {row.asset_id or 0: row for row in _missing_assets(ledger, snapshot)}
    return await read_unlisted(rows, client.asset, is_file_of)


async def read_unlisted(
    known: Mapping[int, T],
    read: Callable[[int], Awaitable[R]],
    is_same: Callable[[T, R], bool],
) -> tuple[list[R], int]:
    """Return what is there although a list lacks it, and how many calls that took.

    What has a number that is `known` and is another thing is not there. The
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
