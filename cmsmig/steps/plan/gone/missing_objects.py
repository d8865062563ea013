"""What the ledger records and the space no longer has: found, and made again on
request, else listed.

The request is final: the ledger forgets what is gone, at once and for good, so that
a run which is killed then creates it like anything new.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from cmsmig.counting import first_of
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import StoryRow
from cmsmig.errors import PreflightError, UsageError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import GONE, AssetRow, ItemRow, MadeRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictsDecision, GoneAction, GoneFrom
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.asset import is_file_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.gone.gone_at_origin import removed_by_us
from cmsmig.steps.plan.recorded import Recorded, complete, forget, recorded
from cmsmig.steps.plan.recorded_stories import language_paths
from cmsmig.steps.plan.resources import needed_keys
from cmsmig.steps.snapshot import Snapshot

REMEDY = (
    "restore it there, or run `cmsmig import --recreate` to have everything that is "
    "gone made again, or decide about it in notebook 04, or under `gone` in "
    "decisions/conflicts.yaml"
)
_WHY = f"it was deleted at the destination after an import brought it; {REMEDY}"
_MAKING = {
    "import": frozenset(Kind),
    "prepare": frozenset(Kind),
    "create": frozenset({Kind.STORY}),
}
"""What each command can begin to make again. What `prepare` forgets of the stories,
`create` makes."""
_SHOWN = 3
_LISTED = (
    Kind.STORY,
    Kind.FOLDER,
    Kind.COMPONENT,
    Kind.DATASOURCE,
    Kind.ASSET,
    Kind.ASSET_FOLDER,
)
"""The order in which kinds are listed."""
_ALWAYS_READ = (Kind.FOLDER, Kind.COMPONENT)


class Missing(Enum):
    """What follows for an object that the destination no longer has."""

    UNNEEDED = "unneeded"
    """The migration has no place for it: the next import forgets it."""
    OUTSIDE = "outside"
    """It is outside of the pilot, which does nothing with it."""
    UNDECIDED = "undecided"
    """An operator has to restore it, or to decide about it."""
    RECREATE = "recreate"
    LEAVE_OUT = "leave_out"


@dataclass(frozen=True, slots=True)
class GoneThing(Recorded):
    """One object that the ledger records and the destination no longer has."""

    follows: Missing
    record_left: bool = False
    """For a file: its record is there, only its bytes are not."""


@dataclass(frozen=True, slots=True)
class Gone:
    """All objects that the ledger records and the destination no longer has."""

    things: tuple[GoneThing, ...] = ()

    def of(self, *follows: Missing) -> Gone:
        """Return those for which one of these follows."""
        return Gone(tuple(each for each in self.things if each.follows in follows))

    @property
    def undecided(self) -> Gone:
        """Return what is needed and not decided about."""
        return self.of(Missing.UNDECIDED)

    @property
    def needed(self) -> Gone:
        """Return what an operator has to restore, or to create again."""
        return self.of(Missing.UNDECIDED, Missing.RECREATE)

    def names(self) -> dict[Kind, list[str]]:
        """Return the names of what is needed, sorted, by kind."""
        found: dict[Kind, list[str]] = {}
        for each in sorted(self.needed.things, key=lambda thing: thing.name):
            found.setdefault(each.kind, []).append(each.name)
        return {kind: found[kind] for kind in _LISTED if kind in found}

    def counts(self) -> dict[str, int]:
        """Return how many of what is needed are gone, by kind."""
        return {kind.noun(2): len(names) for kind, names in self.names().items()}

    def keys(self, kind: Kind) -> frozenset[ItemKey | str]:
        """Return what is gone of a kind, as the ledger knows it."""
        return frozenset(each.key for each in self.things if each.kind is kind)

    def decided(self, decisions: ConflictsDecision, *, recreate: bool) -> Gone:
        """Return this with what was decided about each; with `recreate`, everything
        that is needed and not left out is made again. Only stories can be left out:
        what other objects need, or show, is needed."""
        asked = {GoneAction.RECREATE: Missing.RECREATE}
        stories = asked | {GoneAction.LEAVE_OUT: Missing.LEAVE_OUT}
        default = Missing.RECREATE if recreate else Missing.UNDECIDED

        def follows(each: GoneThing) -> Missing:
            if each.follows is not Missing.UNDECIDED:
                return each.follows
            action = decisions.gone_action(GoneFrom.DESTINATION, each.name)
            known = stories if each.kind is Kind.STORY else asked
            return known.get(action, default) if action else default

        return Gone(tuple(replace(e, follows=follows(e)) for e in self.things))

    def with_lost_bytes(self, rows: Iterable[AssetRow]) -> Gone:
        """Return this, and the files that have only a record left."""
        left = (
            GoneThing(
                *(Kind.ASSET, row.sha256, row.name, row.asset_id or 0, row, True),
                Missing.UNDECIDED,
                record_left=True,
            )
            for row in rows
        )
        return Gone((*self.things, *left))


NOTHING: Final = Gone()


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
        unneeded = Missing.UNNEEDED if migration.pilot.is_whole else Missing.OUTSIDE
        own = each.kind, each.key, each.name, each.number, each.row, each.made
        follows = Missing.UNDECIDED if is_needed else unneeded
        things.append(GoneThing(*own, follows))
    return snapshot, Gone(tuple(things))


def has_files(ledger: Ledger) -> bool:
    """Return whether the ledger knows files that may be gone. Reads only."""
    files = ledger.inventory.assets().values()
    return any(file.is_uploaded and file.asset_id is not None for file in files)


def _unlisted(
    ledger: Ledger, snapshot: Snapshot, needed: Mapping[Kind, Container[object]]
) -> Iterator[Recorded]:
    """Yield what the ledger records and the lists of the snapshot lack."""
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
                there = snapshot.listed.get(each.number)
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


def record_missing(ledger: Ledger, gone: Gone, migration: Migration) -> None:
    """Write into the ledger which objects are gone and which exist again.

    The ledger forgets what nothing needs any more, and what is to be made again. The
    rest counts as failed, or as skipped where that was decided.
    """
    forgotten = gone.of(Missing.UNNEEDED, Missing.RECREATE).things
    keys = [each.row.key for each in forgotten if isinstance(each.row, ItemRow)]
    left = language_paths(migration, ledger, keys)
    forget(ledger, (each for each in forgotten if not each.record_left), left)
    for each in forgotten:
        if each.record_left and isinstance(each.row, AssetRow):
            ledger.inventory.release_asset(each.row)
    _list(ledger, gone.undecided.things)
    ledger.items.left_out(
        each.row.key
        for each in gone.of(Missing.LEAVE_OUT).things
        if isinstance(each.row, ItemRow) and not each.row.is_left_out
    )
    _recover(ledger, gone)
    _settle_deletions(ledger, gone)


def is_blocked(gone: Gone, command: str) -> bool:
    """Return whether a command can bring nothing, since what it builds on is gone."""
    return command in _MAKING and any(
        each.kind not in (Kind.STORY, Kind.ASSET) for each in gone.undecided.things
    )


def refuse_partial(gone: Gone, command: str) -> None:
    """Raise `UsageError` when a command would make again only part of what is gone.

    Relations would be taken out for stories that it does not make.
    """
    making = {each.kind for each in gone.of(Missing.RECREATE).things}
    if making - _MAKING.get(command, frozenset()):
        raise UsageError(
            f"`cmsmig {command}` cannot make again everything that is gone; run "
            "`cmsmig import --recreate`, or `cmsmig prepare --recreate` and the steps "
            "after it."
        )


def refuse_gone(gone: Gone, command: str) -> None:
    """Raise `PreflightError` when what a command builds on is gone."""
    if is_blocked(gone, command):
        raise PreflightError(gone_sentence(gone, ", so nothing was written"))


def gone_sentence(gone: Gone, also: str = "") -> str:
    """Return what is gone and what to do about it, for an editor."""
    parts = [
        f"{len(names)} {kind.noun(len(names))} ({first_of(names, _SHOWN, ', ')})"
        for kind, names in gone.names().items()
    ]
    return (
        f"The space no longer has what an import brought ({', '.join(parts)}){also}; "
        f"{REMEDY}."
    )


def _settle_deletions(ledger: Ledger, gone: Gone) -> None:
    """Close what a killed rollback intended: the snapshot is younger than that."""
    deleted = {each.subject for each in gone.things}
    for intent in ledger.intents.open(DELETE):
        outcome = "done" if intent.subject in deleted else "not_applied"
        ledger.intents.settle(DELETE, intent.subject, outcome)


def _list(ledger: Ledger, things: Iterable[GoneThing]) -> None:
    stories: dict[ItemKey, str] = {}
    for each in things:
        if isinstance(each.row, ItemRow) and each.row.reason != GONE:
            stories[each.row.key] = f"The story `{each.name}` is gone: {_WHY}."
        elif isinstance(each.row, AssetRow) and not each.row.is_gone:
            why = f"The file `{each.name}` is gone: {_WHY}."
            ledger.inventory.asset_gone(each.row, why)
    ledger.items.gone(stories)


def _recover(ledger: Ledger, gone: Gone) -> None:
    """Give their states back to what was gone and was restored."""
    still = gone.keys(Kind.STORY)
    for key, item in ledger.items.all().items():
        if item.is_gone and key not in still:
            ledger.items.recovered(key)
    hashes = gone.keys(Kind.ASSET)
    for sha256, asset in ledger.inventory.assets().items():
        if asset.is_gone and sha256 not in hashes:
            ledger.inventory.asset_there(asset)
