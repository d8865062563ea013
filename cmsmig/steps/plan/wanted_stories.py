"""What is wanted of the stories: which are created, which are updated, where each of
them leads; and those that an editor may have changed since our last write, read and
compared for the plan. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cmsmig.counting import first_of
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import (
    WHOLE,
    ConflictAction,
    ConflictKind,
    ConflictsDecision,
    Side,
)
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.field_diff import ABSENT, DECIDE, FieldDiff, Outcome
from cmsmig.reconcile.resource import compare
from cmsmig.reconcile.rules.publication import hides_edits
from cmsmig.reconcile.rules.story import (
    edits_without_reading,
    is_as_left,
    story_resource,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.drafts.planned_stories import PlannedStory
from cmsmig.steps.plan.publication.version_pair import open_pairs
from cmsmig.steps.plan.recorded_stories import (
    Move,
    existing_stories,
    find_moves,
    last_write,
)
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.story_reader import StoryReader, as_written


@dataclass(frozen=True, slots=True)
class WantedStories:
    """What is wanted of the stories, over the ledger and the space as they are."""

    migration: Migration
    snapshot: Snapshot
    rows: Mapping[ItemKey, ItemRow]
    offline: OfflineDrafts
    conflicts: Mapping[ItemKey, Conflict]
    moves: Mapping[ItemKey, Move]
    """Stories that get another path."""
    creating: frozenset[ItemKey]
    stories: LinkedStories
    """Over the stories that items will have in phase two, some of them placeholders."""
    planned: Mapping[ItemKey, PlannedStory]
    needed: frozenset[ItemKey]
    """Stories that are wanted differently from their last write, or are to be
    published and have to be compared first."""
    asked: frozenset[ItemKey]
    """Those of them that are written, or compared, though nothing else is wanted of
    them: ours was decided for an edit, or one was saved before we publish it."""
    looking: Mapping[ItemKey, StoryRecord]
    """Those of them that are not as we left them: they are read."""
    held_moves: tuple[tuple[ItemKey, StoryRow], ...]
    """Those that are, and whose page would move or may, as they are listed."""


def find_creating(
    ledger: Ledger, offline: OfflineDrafts, conflicts: Mapping[ItemKey, Conflict]
) -> frozenset[ItemKey]:
    """Return the items whose stories are created. Reads only."""
    rows = ledger.items.all().items()
    there = {key for key, row in rows if row.story_record is not None}
    return frozenset(offline.stories.keys() - conflicts.keys() - there)


def find_wanted(
    ledger: Ledger,
    snapshot: Snapshot,
    offline: OfflineDrafts,
    conflicts: Mapping[ItemKey, Conflict],
) -> WantedStories:
    """Return what phase two will find, and what it will have to do."""
    migration, rows = offline.migration, ledger.items.all()
    creating = find_creating(ledger, offline, conflicts)
    moves = find_moves(migration, ledger, snapshot)
    reused = {
        key: ExistingStory(conflict.row.uuid, conflict.row.full_slug)
        for key, conflict in conflicts.items()
        if conflict.action is ConflictAction.REUSE
    }
    existing: Mapping[ItemKey, ExistingStory]
    existing = migration.routes.foreseen(
        reused | existing_stories(migration, ledger, moves), creating
    )
    if existing == offline.existing:
        # One of them is enough in memory.
        existing = offline.existing
    planned = offline.stories_over(existing)
    stories = LinkedStories(migration, offline.context, existing)
    needed = {key for key in creating if key in planned and planned[key].is_linked}
    looking: dict[ItemKey, StoryRecord] = {}
    held: list[tuple[ItemKey, StoryRow]] = []
    asked: set[ItemKey] = set()
    # Lists do not have the slugs of other languages.
    is_translated = bool(migration.decisions.collections.translations)
    places = migration.places.places
    for key, story in planned.items():
        row = rows.get(key)
        # Nothing can be written into what is gone; it is made again by decision only.
        story_record = row.own_story if row is not None else None
        if row is None or story_record is None:
            continue
        seen = snapshot.listed.get(story_record.story_id)
        is_decided = _is_override(migration.decisions.conflicts, ledger, row, seen)
        if is_decided or _is_saved(migration, row, seen):
            asked.add(key)
        elif not story.is_needed(story_record):
            continue
        needed.add(key)
        if seen is None or not is_as_left(seen, last_write(ledger, row)):
            looking[key] = story_record
        elif is_decided or is_translated or seen.slug != places[key].slug:
            held.append((key, seen))
    return WantedStories(
        migration=migration,
        snapshot=snapshot,
        rows=rows,
        offline=offline,
        conflicts=conflicts,
        moves=moves,
        creating=creating,
        stories=stories,
        planned=planned,
        needed=frozenset(needed),
        asked=frozenset(asked),
        looking=looking,
        held_moves=tuple(held),
    )


def _is_override(
    decided: ConflictsDecision, ledger: Ledger, item: ItemRow, row: StoryRow | None
) -> bool:
    """Return whether it was decided that a story that was edited gets ours again."""
    story_record = item.story_record
    if not decided.edits or row is None or story_record is None:
        return False
    asked = any(
        each.kind is ConflictKind.STORY
        and each.take is Side.OURS
        and each.what in (WHOLE, story_record.full_slug)
        for each in decided.edits
    )
    return asked and edits_without_reading(row, last_write(ledger, item)) != ()


def _is_saved(migration: Migration, row: ItemRow, there: StoryRow | None) -> bool:
    """Return whether an editor saved a story that is to be published since it was last
    written or compared: whose work it holds is not known.

    A published one is to be published again where visitors have an older version, and
    are not to be shown another one than editors.
    """
    record = row.story_record
    if row.key not in migration.to_publish or record is None or there is None:
        return False
    if row.published and (row.key in migration.public or not record.shows_older):
        return False
    return there.updated_at != record.updated_at


_MOST_KEPT = 500
"""Stories whose content is kept for the update; others are read once more."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class StoryEdit:
    """The outcome of one story's comparison, without its content."""

    written: frozenset[str]
    """The fields that an update sends."""
    is_kept: bool
    """Whether it holds edits of editors afterwards."""
    is_hidden: bool
    """Whether visitors may lack them."""
    is_agreed: bool
    """Whether something that we want is there already: it counts as written."""
    undecided: tuple[FieldDiff, ...]


@dataclass(frozen=True, slots=True)
class StoryEdits:
    """What a plan found out about stories that are not as we left them."""

    found: Mapping[ItemKey, StoryEdit] = field(default_factory=dict)
    """Of those that are to be written."""
    seen: Mapping[ItemKey, Story] = field(default_factory=dict)
    """Some of their values."""
    reads: int = 0
    """Calls it took."""

    @property
    def undecided(self) -> tuple[FieldDiff, ...]:
        """Return the fields that wait for a decision."""
        return tuple(each for edit in self.found.values() for each in edit.undecided)

    def writes(self, key: ItemKey) -> bool:
        """Return whether an update of the story has anything to send."""
        edit = self.found.get(key)
        return edit is None or bool(edit.written)

    def record_after(self, key: ItemKey, record: StoryRecord) -> StoryRecord:
        """Return the record of a story with the edits that it will hold afterwards."""
        edit = self.found.get(key)
        if edit is None:
            return replace(record, kept_edits=False, unpublished_edits=False)
        return replace(
            record, kept_edits=edit.is_kept, unpublished_edits=edit.is_hidden
        )


NO_EDITS: Final = StoryEdits()


async def read_story_edits(
    reader: StoryReader, ledger: Ledger, wanted: WantedStories
) -> StoryEdits:
    """Read the stories that are to be written and may have been edited.

    Costs a call for each that was. Reads only.
    """
    edits: dict[ItemKey, StoryEdit] = {}
    kept: dict[ItemKey, Story] = {}
    decided = wanted.migration.decisions.conflicts

    def compare_with(key: ItemKey, there: Story | StoryRow) -> bool:
        ours = wanted.stories.fields(key)
        if isinstance(ours, str):
            return False
        last = last_write(ledger, wanted.rows[key])
        resource = story_resource(last, there, ours)
        diff = compare(resource, decided).diff
        agreed = isinstance(there, Story) and bool(diff.of(Outcome.AGREE))
        is_kept = bool(diff.edits)
        is_hidden = is_kept and hides_edits(there, last.record)
        conflicts = tuple(diff.conflicts)
        edits[key] = StoryEdit(diff.written, is_kept, is_hidden, agreed, conflicts)
        return True

    def take(key: ItemKey, story: Story | None) -> None:
        if story is not None and str(key) in pairs:
            story = pairs[str(key)].after(story)
        is_known = story is not None and compare_with(key, story)
        if story is not None and is_known and len(kept) < _MOST_KEPT:
            kept[key] = story

    for key, row in wanted.held_moves:
        compare_with(key, row)
    pairs, settled = open_pairs(ledger), wanted.snapshot.updated
    listed = wanted.snapshot.listed
    before = reader.singly
    looking = wanted.looking.items()
    sought = (
        (key, as_written(there, last_write(ledger, wanted.rows[key])))
        for key, record in looking
        if key not in settled and (there := listed.get(record.story_id)) is not None
    )
    for key, _ in looking:
        if key in settled:
            take(key, settled[key])
    async for key, story in reader.read(sought):
        take(key, story)
    return StoryEdits(edits, kept, reader.singly - before)


def undecided_sentence(undecided: Sequence[FieldDiff]) -> str:
    """Return for an editor what waits for a decision in a story, and what to do."""
    fields = [each.field for each in undecided]
    what = undecided[0].what
    why = "was edited at the destination and changed at the origin too"
    if all(each.is_ours_alone for each in undecided):
        why = "has another slug at the origin now, which would move its page"
        if all(each.ours is ABSENT for each in undecided):
            why = "lost a language at the origin, whose page stays in the space"
    return (
        f"The story `{what}` {why} ({first_of(fields, _SHOWN, ', ')}); it keeps its "
        f"values; {DECIDE}."
    )


async def find_paths_as_written(
    reader: StoryReader,
    ledger: Ledger,
    listed: Iterable[StoryRow],
    paths: frozenset[str],
) -> frozenset[str]:
    """Return those paths whose stories hold just what we last wrote.

    Costs a call for each other path.
    """
    if not paths:
        return frozenset()
    rows = {
        row.story_record.story_id: row
        for row in ledger.items.all().values()
        if row.story_record
    }

    sought = {
        path: as_written(there, last_write(ledger, rows[there.story_id]))
        for there in listed
        if (path := there.full_slug.strip("/")) in paths and there.story_id in rows
    }
    read = reader.read(sought.items())
    found = [path async for path, it in read if it and sought[path].is_expected(it)]
    return frozenset(found)
