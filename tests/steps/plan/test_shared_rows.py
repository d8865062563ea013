"""Rows of listed stories: equal to what was read, their texts in memory once."""

from __future__ import annotations

from dataclasses import replace

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.draft import Place
from cmsmig.steps.snapshot import share_texts

KEY = ItemKey("c", "1", "en")
STORY = StoryRecord(70_001, "uuid-1", "blog/one", True, "c", "2026-01-01", "group-1")
ROW = ItemRow(KEY, "One", "blog/one", "h", "created", "", "", "linked", "", STORY)
LISTED = StoryRow(
    70_001, "uuid-1", "One", "one", "blog/one", 60_001, False, False, False, False,
    "2026-01-01", "post", group_id="group-1",
)  # fmt: skip


def other(text: str) -> str:
    """Return an equal text that is another object."""
    return "".join([text[:1], text[1:]])


def read_again(row: StoryRow) -> StoryRow:
    return replace(
        row,
        uuid=other(row.uuid),
        full_slug=other(row.full_slug),
        updated_at=other(row.updated_at),
        group_id=other(row.group_id),
        slug=other(row.slug),
    )


def test_a_row_of_ours_shares_what_says_the_same() -> None:
    """The record's texts and the place's; what says something else stays."""
    place = Place("blog", "one", 10)
    shared = share_texts({KEY: ROW}, {KEY: place})
    listed = read_again(LISTED)
    assert listed.uuid is not STORY.uuid
    found = shared(listed)
    assert found == LISTED
    assert found.uuid is STORY.uuid
    assert found.full_slug is STORY.full_slug
    assert found.updated_at is STORY.updated_at
    assert found.group_id is STORY.group_id
    assert found.slug is place.slug
    edited = replace(listed, updated_at="2026-02-02", slug="two")
    assert shared(edited) == edited


def test_a_row_of_others_is_as_it_was_read() -> None:
    """One that no record names, and one of an item without a place."""
    shared = share_texts({KEY: ROW}, {})
    foreign = replace(LISTED, story_id=5, uuid="another")
    assert shared(foreign) == foreign
    assert shared(read_again(LISTED)) == LISTED
