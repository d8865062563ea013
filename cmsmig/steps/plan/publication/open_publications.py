"""Publications that wait for a person: what is no longer to be public and is, and what
an editor's unfinished work holds back. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.destination.typed_records import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.reconcile.field_diff import FieldDiff, Outcome
from cmsmig.reconcile.rules.publication import publication_diff, withheld_diff
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.edits.written_stories import Due, find_due


def publication_diffs(
    migration: Migration, rows: Iterable[ItemRow], listed: Iterable[StoryRow]
) -> dict[ItemKey, FieldDiff]:
    """Return of each story that we made for a selected item whether visitors see it, as
    a field; those that all sides have alike are left out."""
    there, live = {row.story_id: row for row in listed}, migration.live
    found: dict[ItemKey, FieldDiff] = {}
    for row in rows:
        record = row.own_story
        if record is None or row.key not in migration.items:
            continue
        if (seen := there.get(record.story_id)) is None:
            continue
        field = publication_diff(
            record,
            migration.decisions.conflicts,
            is_public=seen.published,
            asked=row.key in migration.to_publish,
            is_live=row.key in live,
        )
        if field is not None:
            found[row.key] = field
    return found


def withheld_publications(
    migration: Migration,
    rows: Iterable[ItemRow],
    listed: Iterable[StoryRow],
    public: Mapping[ItemKey, str],
) -> dict[ItemKey, FieldDiff]:
    """Return the publications that wait since an editor has unpublished changes.

    `public` are the fingerprints of what visitors are to see of items whose editors see
    something else.
    """
    there = {row.story_id: row for row in listed}
    decided = migration.decisions.conflicts
    found: dict[ItemKey, FieldDiff] = {}
    for row, due in find_due(
        migration.to_publish, rows, there.values(), decided, public
    ):
        if due is Due.WITHHELD and row.story_record is not None:
            seen = there.get(row.story_record.story_id)
            is_public = seen is None or seen.published
            field = withheld_diff(row.story_record, decided, is_public=is_public)
            if field is not None:
                found[row.key] = field
    return found


def waiting(
    diffs: Mapping[ItemKey, FieldDiff], withheld: Mapping[ItemKey, FieldDiff]
) -> tuple[FieldDiff, ...]:
    """Return the fields that a decision is asked for, by path."""
    asked = [e for e in diffs.values() if e.outcome is Outcome.CONFLICT]
    return tuple(sorted((*asked, *withheld.values()), key=lambda each: each.what))
