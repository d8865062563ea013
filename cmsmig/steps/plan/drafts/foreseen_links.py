"""What links will make of the stories, and which are wanted otherwise. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictAction
from cmsmig.mapping.draft import ExistingStory
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict
from cmsmig.steps.plan.destination_survey import Survey
from cmsmig.steps.plan.drafts.linked_drafts import DraftLinks
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.edits.written_stories import (
    asked_back,
    is_as_written,
    is_saved_since,
)

LISTED_TOGETHER = 25
"""Stories whose state is listed in one call before they are written. The fewer, the
shorter is the time in which an edit can be missed, and the more calls it takes."""


@dataclass(frozen=True, slots=True)
class ForeseenLinks:
    """The stories that will be there, their links, and those that need an update."""

    creating: frozenset[ItemKey]
    adopting: frozenset[ItemKey]
    """Items whose create was intended by a killed run and is seen to be applied."""
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


def foresee_links(
    migration: Migration,
    ledger: Ledger,
    survey: Survey,
    conflicts: Mapping[ItemKey, Conflict],
    offline: OfflineDrafts,
) -> ForeseenLinks:
    """Return what phase two will find, and what it will have to do."""
    rows = ledger.items.all()
    adopting = frozenset(_find_adopted(ledger, survey, rows))
    creating = frozenset(
        key
        for key in offline.stories
        if key not in adopting
        and key not in conflicts
        and _home_of(rows.get(key)) is None
    )
    existing: Mapping[ItemKey, ExistingStory]
    existing = _existing(migration, rows, conflicts, creating | adopting)
    if existing == offline.existing:
        # One of them is enough in memory.
        existing = offline.existing
    links = offline.links_over(existing)
    listed = {row.story_id: row for row in survey.stories}
    needed = set(_fresh(links, creating | adopting))
    looking: dict[ItemKey, StoryRecord] = {}
    held: list[tuple[ItemKey, StoryRecord, str]] = []
    # Lists do not tell the slugs of other languages.
    is_translated = bool(migration.decisions.collections.translations)
    for key, home in _written(links, rows):
        row = listed.get(home.story_id)
        if not (
            links[key].is_needed(home)
            or asked_back(migration.decisions.conflicts, home, row)
            or (key in migration.to_publish and is_saved_since(rows[key], row))
        ):
            continue
        needed.add(key)
        if row is None or not is_as_written(row, home):
            looking[key] = home
        elif is_translated or row.slug != migration.places.places[key].slug:
            held.append((key, home, row.slug))
    return ForeseenLinks(
        creating, adopting, existing, links, frozenset(needed), looking, tuple(held)
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


def _find_adopted(
    ledger: Ledger, survey: Survey, rows: Mapping[ItemKey, ItemRow]
) -> Iterator[ItemKey]:
    intended = {intent.subject for intent in ledger.intents.open("create")}
    for key, row in rows.items():
        if str(key) in intended and survey.story_at(row.full_slug) is not None:
            yield key


def _home_of(row: ItemRow | None) -> StoryRecord | None:
    return None if row is None else row.home


def _existing(
    migration: Migration,
    rows: Mapping[ItemKey, ItemRow],
    conflicts: Mapping[ItemKey, Conflict],
    coming: Set[ItemKey],
) -> Mapping[ItemKey, ExistingStory]:
    reused = {
        key: ExistingStory(conflict.row.uuid, conflict.row.full_slug)
        for key, conflict in conflicts.items()
        if conflict.action is ConflictAction.REUSE
    }
    ours = {
        key: ExistingStory(home.uuid, home.full_slug)
        for key, row in rows.items()
        if (home := row.standing_home) is not None
    }
    return migration.routes.foreseen(reused | ours, coming)
