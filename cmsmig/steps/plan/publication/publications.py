"""What a publication changes for visitors, story by story. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.steps.plan.wanted_stories import WantedStories


class PageChange(StrEnum):
    """What becomes of a page for its visitors."""

    NEW = "new"
    """There was none."""
    RENEWED = "renewed"
    """They know it, and it changes."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A story that is to be published."""

    key: ItemKey
    full_slug: str
    change: PageChange
    below_edits: bool
    """Whether editors see a newer version above it."""
    fields: tuple[str, ...] | None = None
    """What changes for visitors; None where it was not read."""

    def as_json(self) -> JsonObject:
        """Return the publication as `plan --json` and a dry run list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "visitors": str(self.change),
            "below_edits": self.below_edits,
            "fields": None if self.fields is None else [*self.fields],
        }

    @property
    def line(self) -> str:
        """Say for a person what becomes of the page."""
        said = "a new page" if self.change is PageChange.NEW else "renewed"
        if self.fields:
            said += f": {', '.join(self.fields)}"
        elif self.fields is not None and self.change is PageChange.RENEWED:
            said += ", without a change in its fields"
        above = "; editors see newer changes above it" if self.below_edits else ""
        return f"{self.full_slug}: {said}{above}"


def find_publications(
    wanted: WantedStories, due: Iterable[ItemKey]
) -> tuple[Publication, ...]:
    """Return what is published of the items that are due, by path."""
    public = {row.story_id for row in wanted.snapshot.stories if row.published}
    places, below_edits = wanted.migration.places.places, wanted.versions.links.keys()
    found: list[Publication] = []
    for key in due:
        row = wanted.rows.get(key)
        story_record = row.story_record if row is not None else None
        known = story_record is not None and story_record.story_id in public
        path = (
            story_record.full_slug
            if story_record is not None
            else places[key].full_slug
        )
        change = PageChange.RENEWED if known else PageChange.NEW
        found.append(Publication(key, path, change, key in below_edits))
    return tuple(sorted(found, key=lambda each: each.full_slug))
