"""Whether visitors see each story: what an import publishes, takes from visitors and
leaves to a person, and what visitors see of each story then. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.rules.publication import (
    Due,
    PublicState,
    Showing,
    public_state,
    showing_of,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.publication.public_versions import (
    PublicVersions,
    find_public_versions,
    languages_withheld,
    without_text,
)
from cmsmig.steps.plan.wanted_stories import StoryEdits, WantedStories
from cmsmig.steps.snapshot import Snapshot


def public_states(
    migration: Migration,
    rows: Iterable[ItemRow],
    snapshot: Snapshot,
    versions: PublicVersions,
) -> dict[ItemKey, PublicState]:
    """Return whether visitors see each story that we made for a selected item, and what
    an import does about that."""
    live = migration.live
    found: dict[ItemKey, PublicState] = {}
    for row in rows:
        record, key = row.own_story, row.key
        if record is None or key not in migration.items:
            continue
        found[key] = public_state(
            row,
            record,
            snapshot.listed.get(record.story_id),
            migration.decisions.conflicts,
            asked=key in migration.to_publish,
            is_live=key in live,
            public=versions.records.get(key),
        )
    return found


@dataclass(frozen=True, slots=True)
class Publication:
    """A story that is to be published."""

    key: ItemKey
    full_slug: str
    is_new: bool
    """Whether visitors do not know the page yet."""
    below_edits: bool
    """Whether editors see a newer version above it."""
    fields: tuple[str, ...] | None = None
    """What changes for visitors; None where it was not read."""
    without: tuple[str, ...] = ()
    """Codes of the languages that editors see alone: they are not live."""

    def as_json(self) -> JsonObject:
        """Return the publication as `plan --json` and a dry run list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "visitors": "new" if self.is_new else "renewed",
            "below_edits": self.below_edits,
            "fields": None if self.fields is None else [*self.fields],
            "without": [*self.without],
        }

    @property
    def line(self) -> str:
        """Return a sentence for people: what changes for visitors."""
        said = "a new page" if self.is_new else "renewed"
        if self.fields:
            said += f": {', '.join(self.fields)}"
        elif self.fields is not None and not self.is_new:
            said += ", without a change in its fields"
        said += without_text(self.without)
        above = "; editors see newer changes above it" if self.below_edits else ""
        return f"{self.full_slug}: {said}{above}"


@dataclass(frozen=True, slots=True)
class PlannedPublication:
    """The publications of a plan."""

    due: tuple[Publication, ...]
    """By path; what was published before is published again."""
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
    migration, snapshot = wanted.migration, wanted.snapshot
    versions = find_public_versions(wanted.stories, ledger, snapshot, edits)
    rows = _rows_after(wanted, edits)
    states = public_states(migration, rows, snapshot, versions)
    keys = {key for key, each in states.items() if each.due is Due.YES}
    keys |= migration.to_publish & wanted.creating
    keys -= versions.failed.keys()
    due = [_publication(wanted, versions, states.get(key), key) for key in keys]
    hidden = tuple(each.row for each in states.values() if each.is_hidden)
    waiting = [e.field for e in states.values() if e.waits and e.field is not None]
    return PlannedPublication(
        tuple(sorted(due, key=lambda each: each.full_slug)),
        hidden,
        tuple(sorted(waiting, key=lambda each: each.what)),
        _showing(wanted, rows, due, hidden),
    )


def _publication(
    wanted: WantedStories,
    versions: PublicVersions,
    state: PublicState | None,
    key: ItemKey,
) -> Publication:
    """Return the publication of a story; without a state, of one that is created."""
    migration, there = wanted.migration, state.there if state else None
    place = migration.places.places[key]
    return Publication(
        key,
        state.record.full_slug if state else place.full_slug,
        is_new=there is None or not there.published,
        below_edits=key in versions.records,
        without=languages_withheld(migration, key),
    )


def _showing(
    wanted: WantedStories,
    rows: tuple[ItemRow, ...],
    due: Iterable[Publication],
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


def _rows_after(wanted: WantedStories, edits: StoryEdits) -> tuple[ItemRow, ...]:
    """Return the ledger's rows as all updates leave them."""
    snapshot = wanted.snapshot
    return tuple(
        _after(
            _shown(row, snapshot),
            edits,
            snapshot.listed,
            is_written=key in wanted.needed and edits.writes(key),
        )
        for key, row in wanted.rows.items()
    )


def _shown(row: ItemRow, snapshot: Snapshot) -> ItemRow:
    """Return the row once it is noted what a killed run gave visitors."""
    if (record := row.story_record) is None:
        return row
    if record.story_id in snapshot.hidden:
        return replace(row, story_record=replace(record, left_public=True))
    if not (given := snapshot.interrupted.get(record.story_id)):
        return row
    shown = replace(record, left_public=True, public_record=given)
    return replace(
        row, story_record=shown, published=row.published or record.updated_at
    )


def _after(
    row: ItemRow,
    edits: StoryEdits,
    listed: Mapping[int, StoryRow],
    *,
    is_written: bool,
) -> ItemRow:
    """Return the row after an update: what is published of it is older then, and what
    failed before has not any more."""
    story_record, edit = row.story_record, edits.found.get(row.key)
    if not is_written and edit is None:
        # As it is, and as nearly all are when little changed.
        return row
    if edit is None or not edit.undecided:
        row = replace(row, status="created", reason="")
    if story_record:
        there = None if is_written else listed.get(story_record.story_id)
        changed = there.updated_at if there else ""
        story_record = edits.record_after(row.key, story_record)
        story_record = replace(story_record, updated_at=changed)
    is_older = is_written or (edit is not None and edit.is_agreed)
    return replace(
        row, published="" if is_older else row.published, story_record=story_record
    )
