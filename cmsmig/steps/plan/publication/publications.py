"""What a publication changes for visitors, story by story. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.steps.plan.edits.story_edits import StoryEdits
from cmsmig.steps.plan.edits.written_stories import to_publish
from cmsmig.steps.plan.publication.public_versions import PublicVersions
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.snapshot import Snapshot


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

    def as_json(self) -> JsonObject:
        """Return the publication as `plan --json` and a dry run list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "visitors": "new" if self.is_new else "renewed",
            "below_edits": self.below_edits,
            "fields": None if self.fields is None else [*self.fields],
        }

    @property
    def line(self) -> str:
        """Say for a person what becomes of the page."""
        said = "a new page" if self.is_new else "renewed"
        if self.fields:
            said += f": {', '.join(self.fields)}"
        elif self.fields is not None and not self.is_new:
            said += ", without a change in its fields"
        above = "; editors see newer changes above it" if self.below_edits else ""
        return f"{self.full_slug}: {said}{above}"


def find_publications(
    wanted: WantedStories, edits: StoryEdits, versions: PublicVersions
) -> tuple[Publication, ...]:
    """Return what an import publishes, in one version or in two, by path: what was
    published before is published again, as it is after all updates."""
    public = {row.story_id for row in wanted.snapshot.stories if row.published}
    places = wanted.migration.places.places
    found: list[Publication] = []
    for key in _due(wanted, edits, versions):
        row = wanted.rows.get(key)
        story_record = row.story_record if row is not None else None
        known = story_record is not None and story_record.story_id in public
        path = (
            story_record.full_slug
            if story_record is not None
            else places[key].full_slug
        )
        below_edits = key in versions.links
        found.append(Publication(key, path, not known, below_edits))
    return tuple(sorted(found, key=lambda each: each.full_slug))


def _due(
    wanted: WantedStories, edits: StoryEdits, versions: PublicVersions
) -> frozenset[ItemKey]:
    migration, snapshot = wanted.migration, wanted.snapshot
    listed = {each.story_id: each for each in snapshot.stories} if edits.found else {}
    rows = (
        _after(
            _shown(row, snapshot),
            edits,
            listed,
            is_written=key in wanted.needed and edits.writes(key),
        )
        for key, row in wanted.rows.items()
    )
    decided, public = migration.decisions.conflicts, versions.records
    there = to_publish(migration.to_publish, rows, snapshot.stories, decided, public)
    due = {row.key for row in there} | (migration.to_publish & wanted.creating)
    return frozenset(due - versions.failed.keys())


def _shown(row: ItemRow, snapshot: Snapshot) -> ItemRow:
    """Return the row once it is noted what a killed run gave visitors."""
    story_record = row.story_record
    if story_record is not None and story_record.story_id in snapshot.hidden:
        return replace(row, story_record=replace(story_record, left_public=True))
    found = snapshot.interrupted.get(story_record.story_id) if story_record else None
    if story_record is None or found is None or not found.public_record:
        return row
    shown = replace(story_record, left_public=True, public_record=found.public_record)
    return replace(
        row, story_record=shown, published=row.published or story_record.updated_at
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
        story_record = replace(
            story_record, kept_edits=edits.keeps(row.key), updated_at=changed
        )
    is_older = is_written or (edit is not None and edit.is_agreed)
    return replace(
        row, published="" if is_older else row.published, story_record=story_record
    )
