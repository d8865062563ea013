"""What is wanted of the stories: which are created, which are updated, where each of
them leads. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.destination.typed_records import StoryRow
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
from cmsmig.reconcile.rules.story import edits_without_reading, is_as_left
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict
from cmsmig.steps.plan.drafts.linked_stories import DraftLinks, LinkedStories
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.moves import Move, existing_stories, find_moves
from cmsmig.steps.plan.recorded import (
    last_write,
)
from cmsmig.steps.snapshot import Snapshot


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
    links: Mapping[ItemKey, DraftLinks]
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
    links = offline.links_over(existing)
    stories = LinkedStories(migration, offline.context, existing)
    needed = {key for key in creating if key in links and links[key].changes}
    looking: dict[ItemKey, StoryRecord] = {}
    held: list[tuple[ItemKey, StoryRow]] = []
    asked: set[ItemKey] = set()
    # Lists do not have the slugs of other languages.
    is_translated = bool(migration.decisions.collections.translations)
    places = migration.places.places
    for key, link in links.items():
        row = rows.get(key)
        # Nothing can be written into what is gone; it is made again by decision only.
        story_record = row.own_story if row is not None else None
        if row is None or story_record is None:
            continue
        seen = snapshot.listed.get(story_record.story_id)
        is_decided = _is_override(migration.decisions.conflicts, ledger, row, seen)
        if is_decided or _is_saved(migration, row, seen):
            asked.add(key)
        elif not link.is_needed(story_record):
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
        links=links,
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
