"""The story records of a new ledger, from the stories that are in the space. Writes
only the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import Story
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord, WrittenStory
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edited_fields,
    found_later,
    wanted_fields,
    wanted_record,
)
from cmsmig.reconcile.rules.story_hashes import content_hash
from cmsmig.steps.plan.edits.written_stories import written_home
from cmsmig.steps.rebuild.saved_drafts import find_shown
from cmsmig.steps.write.import_job import ImportJob


@dataclass(slots=True)
class Rebuilt:
    """The counts of what a rebuild found in the space."""

    items: int = 0
    """Selected items and locales."""
    stories: int = 0
    edited: list[str] = field(default_factory=list)
    """Paths of stories that hold something else than this import would write."""
    assets: int = 0
    unproven: int = 0
    """Of these, files that are not at their address (yet)."""
    components: int = 0
    differing: list[str] = field(default_factory=list)
    """Components of our names that are not as designed."""
    folders: int = 0
    aside: str = ""
    """Where the old file was put; empty when there was none."""

    def as_json(self) -> JsonObject:
        """Return the document that `rebuild --json` prints."""
        return {
            "items": self.items,
            "stories": self.stories,
            "edited": [*self.edited],
            "assets": self.assets,
            "unproven": self.unproven,
            "components": self.components,
            "differing": [*self.differing],
            "folders": self.folders,
            "aside": self.aside,
        }


async def save_stories(
    job: ImportJob, found: Rebuilt, stories: Mapping[ItemKey, Story]
) -> None:
    """Write each story's record, with what was written of it if its content is ours."""
    places = job.migration.places.places
    existing = {
        key: ExistingStory(
            story.row.uuid,
            places[key].full_slug if key in places else story.row.full_slug,
        )
        for key, story in stories.items()
    }
    known = dict(_known(job, stories, existing))
    versions = job.public_versions(existing)
    shown = await find_shown(job, stories, existing, versions)
    was_published = any(
        stories[key].row.published for key in stories.keys() & job.migration.to_publish
    )
    for key, story in sorted(stories.items()):
        found.stories += 1
        home, written = known.get(key, (written_home(story.row, ""), None))
        if written is None or edited_fields(story, LastWrite(home, written)):
            found.edited.append(story.row.full_slug)
            # The next write reads it first, and keeps what is not ours.
            home = replace(home, updated_at="")
        # A story that an editor moved was put at its place: verification names it.
        home = replace(home, full_slug=existing[key].full_slug)
        is_due = key in job.migration.to_publish
        if is_due and was_published:
            # One that is not public then was taken from visitors.
            home = replace(home, left_public=True)
        record = home.record_hash
        if key in versions.links:
            record = versions.links[key].record_hash if key in shown else ""
        is_shown = story.row.published and is_due
        is_whole = key in shown or not (written and story.row.unpublished_changes)
        if is_shown and is_whole:
            home = replace(home, public_record=record)
        origin = job.migration.origin_hash(key)
        job.ledger.items.housed(key, home, origin, "create", written)
        if is_shown and is_whole:
            job.ledger.items.published(key, home, story.row.updated_at)


def _known(
    job: ImportJob,
    stories: Mapping[ItemKey, Story],
    existing: Mapping[ItemKey, ExistingStory],
) -> Iterator[tuple[ItemKey, tuple[StoryRecord, WrittenStory]]]:
    """Yield what was written of each story whose content is as this import makes it."""
    for drafted in job.stories():
        story = stories.get(drafted.key)
        if story is None:
            continue
        linked = job.linked(existing).content(drafted)
        for content in (linked, drafted.content):
            if same(content, story.content):
                yield drafted.key, _record(drafted, content, story)
                break


def _record(
    drafted: StoryDraft, content: JsonObject, story: Story
) -> tuple[StoryRecord, WrittenStory]:
    hashed = content_hash(content)
    record = wanted_record(drafted.draft, drafted.place, hashed)
    written = found_later(wanted_fields(drafted, content), story)
    return written_home(story.row, hashed, record), written
