"""What an import publishes, takes from visitors and leaves to a person, and what
visitors see of each story then. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.rules.publication import Showing, showing_of
from cmsmig.steps.plan.edits.story_edits import StoryEdits
from cmsmig.steps.plan.edits.written_stories import to_unpublish
from cmsmig.steps.plan.publication.open_publications import (
    publication_diffs,
    waiting,
    withheld_publications,
)
from cmsmig.steps.plan.publication.public_versions import (
    Publication,
    find_public_versions,
    find_publications,
    rows_after,
)
from cmsmig.steps.plan.wanted_stories import WantedStories


@dataclass(frozen=True, slots=True)
class PlannedPublication:
    """The publications of a plan."""

    due: tuple[Publication, ...]
    hidden: tuple[ItemRow, ...]
    """Stories that are unpublished by decision."""
    waiting: tuple[FieldDiff, ...]
    """What a person has to decide."""
    showing: Mapping[ItemKey, Showing]
    """What visitors see of each story after the import."""


def plan_publication(
    wanted: WantedStories, ledger: Ledger, edits: StoryEdits
) -> PlannedPublication:
    """Return the publications of an import."""
    migration, listed = wanted.migration, wanted.snapshot.stories
    versions = find_public_versions(wanted.stories, ledger, wanted.snapshot, edits)
    rows = rows_after(wanted, edits)
    due = find_publications(wanted, rows, versions)
    hidden = to_unpublish(
        migration.items.keys() - migration.to_publish,
        rows,
        listed,
        migration.decisions.conflicts,
    )
    withheld = withheld_publications(migration, rows, listed, versions.records)
    diffs = publication_diffs(migration, rows, listed)
    return PlannedPublication(
        due, hidden, waiting(diffs, withheld), _showing(wanted, rows, due, hidden)
    )


def _showing(
    wanted: WantedStories,
    rows: tuple[ItemRow, ...],
    due: tuple[Publication, ...],
    hidden: tuple[ItemRow, ...],
) -> dict[ItemKey, Showing]:
    migration = wanted.migration
    there = {row.story_id for row in wanted.snapshot.stories if row.published}
    live, published = migration.live, {each.key for each in due}
    records = {row.key: row.story_record for row in rows if not row.is_gone}
    public = {key for key, each in records.items() if each and each.story_id in there}
    public = (public - {row.key for row in hidden}) | published
    there_already = {key for key, each in records.items() if each}
    # What is used as it is, is as visible as it is.
    taken = wanted.conflicts.items()
    public |= {key for key, each in taken if each.row.published and not each.folder}
    return {
        key: showing_of(
            records.get(key),
            is_public=key in public,
            asked=key in migration.to_publish,
            is_live=key in live,
        )
        for key in {*there_already, *wanted.creating, *wanted.conflicts}
    }
