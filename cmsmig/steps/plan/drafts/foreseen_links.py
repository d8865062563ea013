"""What links will make of the stories, and which are wanted otherwise. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictAction
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.rules.story import is_as_written, is_unmoved
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict
from cmsmig.steps.plan.drafts.linked_drafts import DraftLinks
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.edits.written_stories import asked_back, is_saved_since
from cmsmig.steps.plan.moves import Move, find_moves
from cmsmig.steps.snapshot import Snapshot

LISTED_TOGETHER = 25
"""Stories whose state is listed in one call before they are written. The fewer, the
shorter is the time in which an edit can be missed, and the more calls it takes."""


@dataclass(frozen=True, slots=True)
class ForeseenLinks:
    """The stories that will be there, their links, and those that need an update."""

    creating: frozenset[ItemKey]
    existing: Mapping[ItemKey, ExistingStory]
    """The stories that items will have in phase two, some of them stand-ins."""
    links: Mapping[ItemKey, DraftLinks]
    needed: frozenset[ItemKey]
    """Stories that are wanted otherwise than they were last written, or are to be
    published and have to be compared first."""
    looking: Mapping[ItemKey, StoryRecord]
    """Those of them that are not as we left them: they are read."""
    held_moves: tuple[tuple[ItemKey, StoryRecord, str], ...]
    """Those that are, and whose page would move or may, with the slug that they
    have."""
    moves: Mapping[ItemKey, Move]
    """Those that get another path."""


def foresee_links(
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
    conflicts: Mapping[ItemKey, Conflict],
    offline: OfflineDrafts,
) -> ForeseenLinks:
    """Return what phase two will find, and what it will have to do."""
    rows = ledger.items.all()
    creating = frozenset(
        key
        for key in offline.stories
        if key not in conflicts and _home_of(rows.get(key)) is None
    )
    existing: Mapping[ItemKey, ExistingStory]
    moves = find_moves(migration, ledger, snapshot)
    existing = _existing(migration, rows, conflicts, creating, moves)
    if existing == offline.existing:
        # One of them is enough in memory.
        existing = offline.existing
    links = offline.links_over(existing)
    listed = {row.story_id: row for row in snapshot.stories}
    needed = set(_fresh(links, creating))
    looking: dict[ItemKey, StoryRecord] = {}
    held: list[tuple[ItemKey, StoryRecord, str]] = []
    # Lists do not tell the slugs of other languages.
    is_translated = bool(migration.decisions.collections.translations)
    for key, home in _written(links, rows):
        row = listed.get(home.story_id)
        asked = asked_back(migration.decisions.conflicts, ledger, rows[key], row)
        if not (
            links[key].is_needed(home)
            or asked
            or (key in migration.to_publish and is_saved_since(rows[key], row))
        ):
            continue
        needed.add(key)
        written = ledger.items.last_written(home.story_id)
        if row is None or not (is_as_written(row, home) and is_unmoved(row, written)):
            looking[key] = home
        elif asked or is_translated or row.slug != migration.places.places[key].slug:
            held.append((key, home, row.slug))
    return ForeseenLinks(
        creating, existing, links, frozenset(needed), looking, tuple(held), moves
    )


def _fresh(
    links: Mapping[ItemKey, DraftLinks], coming: Set[ItemKey]
) -> Iterator[ItemKey]:
    """Yield the stories to be whose links are filled after they are made."""
    for key in coming:
        link = links.get(key)
        if link is not None and link.changes:
            yield key


def _written(
    links: Mapping[ItemKey, DraftLinks], rows: Mapping[ItemKey, ItemRow]
) -> Iterator[tuple[ItemKey, StoryRecord]]:
    """Yield the stories that this import made and that are there."""
    for key in links:
        row = rows.get(key)
        # Nothing can be written into what is gone; it is made again by decision only.
        if row is None or row.home is None or not row.home.made or row.is_gone:
            continue
        yield key, row.home


def _home_of(row: ItemRow | None) -> StoryRecord | None:
    return None if row is None else row.home


def standing_stories(
    rows: Mapping[ItemKey, ItemRow], moves: Mapping[ItemKey, Move]
) -> dict[ItemKey, ExistingStory]:
    """Return the stories that exist for items, at the paths that they move to."""
    return {
        key: ExistingStory(
            home.uuid, moves[key].new if key in moves else home.full_slug
        )
        for key, row in rows.items()
        if (home := row.standing_home) is not None
    }


def _existing(
    migration: Migration,
    rows: Mapping[ItemKey, ItemRow],
    conflicts: Mapping[ItemKey, Conflict],
    coming: Set[ItemKey],
    moves: Mapping[ItemKey, Move],
) -> Mapping[ItemKey, ExistingStory]:
    reused = {
        key: ExistingStory(conflict.row.uuid, conflict.row.full_slug)
        for key, conflict in conflicts.items()
        if conflict.action is ConflictAction.REUSE
    }
    ours = standing_stories(rows, moves)
    return migration.routes.foreseen(reused | ours, coming)
