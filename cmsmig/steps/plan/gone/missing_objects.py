"""Compares the objects that the ledger has with those of the space. Reads only."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import AssetRow, ItemRow, MadeRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision, GoneAction, GoneFrom
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.asset import is_file_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.gone.gone_at_origin import removed_by_us
from cmsmig.steps.plan.recorded import Recorded, complete, recorded
from cmsmig.steps.plan.resources import needed_keys
from cmsmig.steps.snapshot import Snapshot

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
class GoneThing(Recorded):
    """One object that the ledger records and the destination no longer has."""

    needed: bool
    """Whether the migration, as it is decided now, has a place for it."""
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

    @property
    def left_out(self) -> Gone:
        """Return what stays away, as was decided."""
        return Gone(tuple(each for each in self.things if each.is_left_out))

    def keys(self, kind: Kind) -> frozenset[ItemKey | str]:
        """Return what is gone of a kind, as the ledger knows it."""
        return frozenset(each.key for each in self.things if each.kind is kind)

    def decided(self, decisions: ConflictsDecision, *, recreate: bool) -> Gone:
        """Return this with what was decided about each; with `recreate`, everything
        that is needed and not left out is made again."""
        return Gone(tuple(_decided(each, decisions, recreate) for each in self.things))

    def with_lost_bytes(self, rows: Iterable[AssetRow]) -> Gone:
        """Return this, and the files that have only a record left."""
        left = (
            GoneThing(
                *(Kind.ASSET, row.sha256, row.name, row.asset_id or 0, row, True),
                needed=True,
                record_left=True,
            )
            for row in rows
        )
        return Gone((*self.things, *left))


NOTHING: Final = Gone()
_ALWAYS_READ = (Kind.FOLDER, Kind.COMPONENT)
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
    return the snapshot, completed by single reads, and what is gone. Reads only."""
    needed = needed_keys(migration)
    lacking = _unlisted(ledger, snapshot, needed)
    snapshot = await complete(client, snapshot, lacking)
    # What a killed rollback deleted is forgotten, and an import makes it again.
    deleting = ledger.intents.subjects(DELETE)
    things: list[GoneThing] = []
    for each in _unlisted(ledger, snapshot, needed):
        is_needed = each.key in needed[each.kind] and each.subject not in deleting
        outside = not is_needed and not migration.pilot.is_whole
        own = each.kind, each.key, each.name, each.number, each.row, each.made
        things.append(GoneThing(*own, needed=is_needed, outside=outside))
    return snapshot, Gone(tuple(things))


def has_files(ledger: Ledger) -> bool:
    """Return whether the ledger knows files that may be gone. Reads only."""
    files = ledger.inventory.assets().values()
    return any(file.is_uploaded and file.asset_id is not None for file in files)


def _unlisted(
    ledger: Ledger, snapshot: Snapshot, needed: Mapping[Kind, Container[object]]
) -> Iterator[Recorded]:
    """Yield what the ledger records and the lists of the snapshot lack."""
    stories = {row.story_id: row for row in snapshot.stories}
    removed = removed_by_us(ledger)
    folders = [row for row in snapshot.stories if row.is_folder]
    listed = {
        Kind.FOLDER: {row.full_slug.strip("/") for row in folders},
        Kind.COMPONENT: {each.name for each in snapshot.components},
        Kind.DATASOURCE: {each.slug for each in snapshot.datasources},
        Kind.ASSET_FOLDER: {each.name for each in snapshot.asset_folders},
    }
    moved = {(row.story_id, row.uuid) for row in folders}
    for each in recorded(ledger):
        match each.row:
            case ItemRow(key=key, story_record=StoryRecord() as story):
                there = stories.get(each.number)
                is_there = key in removed or _is_story_record(story, there)
            case AssetRow() as file:
                asset = snapshot.assets.get(each.number)
                is_found = asset is not None and is_file_of(file, asset)
                is_there = is_found or not file.is_uploaded
            case MadeRow(name=name, uuid=uuid):
                is_found = name in listed[each.kind] or (each.number, uuid) in moved
                # Other lists are read only where the design names some.
                is_read = each.kind in _ALWAYS_READ or name in needed[each.kind]
                is_there = is_found or not is_read
        if not is_there:
            yield each


def _is_story_record(story_record: StoryRecord, row: StoryRow | None) -> bool:
    """Return whether a story is the one of that story record.

    Not by its number alone: a space that was made again may give an old number.
    """
    return row is not None and (
        row.uuid == story_record.uuid
        or row.full_slug.strip("/") == story_record.full_slug
    )
