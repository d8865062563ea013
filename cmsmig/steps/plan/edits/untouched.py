"""Whether a story is still as our last write left it, when it is to be taken away."""

from __future__ import annotations

from cmsmig.destination.schema import Story, StoryRow
from cmsmig.ledger.rows import StoryRecord, WrittenStory
from cmsmig.steps.plan.edits.story_fields import (
    fields_there,
    is_same_field,
    tags_of,
    tags_there,
)
from cmsmig.steps.plan.edits.written_stories import is_as_written, is_hash_of

_MOVING = frozenset(("position",))
"""Fields that move whenever another item comes or goes."""
_PUBLISHING = frozenset(("first_published_at",))
"""Fields that a publication sets."""


def edit_since(
    home: StoryRecord,
    there: StoryRow,
    seen: Story | None,
    written: WrittenStory | None,
    name: str,
) -> str:
    """Return what somebody made of a story since our last write, as half a sentence,
    or empty. A story that is not as we left it was read, and is `seen`."""
    if home.kept_edits:
        return "it holds what somebody wrote there"
    if is_as_written(there, home):
        return ""
    if seen is None or not _is_as_sent(home, seen, written, name):
        return "somebody edited it after this import wrote it"
    return ""


def _is_as_sent(
    home: StoryRecord, seen: Story, written: WrittenStory | None, name: str
) -> bool:
    sent = written.sent if written is not None else {}
    if {*tags_there(seen)} - {*tags_of(sent)}:
        return False
    if written is None:
        return (
            is_hash_of(home.content_hash, seen.content)
            and seen.row.name == name
            and seen.row.full_slug.strip("/") == home.full_slug
        )
    there = fields_there(seen, written)
    compared = (there.keys() | written.sent.keys()) - _MOVING
    if seen.row.published:
        compared -= _PUBLISHING
    return all(is_same_field(there, written.sent, field) for field in compared)
