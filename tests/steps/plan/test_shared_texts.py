"""What a plan keeps in memory: equal texts of rows and hashes once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import Identity, ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.draft import Place
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.plan.drafts.offline_drafts import draft_offline
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


def put_story(migration: Migration, ledger: Ledger, number: int) -> ItemRow:
    """Write that an item has a story; return its row."""
    key = migration.selected[number].item.key
    path = migration.places.places[key].full_slug
    ledger.items.select(
        [ItemRow(key, "A name", path, "", "selected", "", "", "open", "", None)],
        whole=False,
    )
    story_record = StoryRecord(1000 + number, f"uuid-{number}", path, True, "c", "2026")
    ledger.items.placed(key, story_record, "", "create")
    return ledger.items.all()[key]


def test_hashes_that_the_ledger_holds_are_its_own(
    decided_project: Callable[[Path], Path],
    content_of: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """One text for both, of many items."""
    shutil.copytree(decided_project(content_of("every kind")), tmp_path / "site")
    project = Project(tmp_path / "site")
    migration = open_migration(project, load_settings(project, dict(os.environ)))
    with Ledger.open(tmp_path / "l.sqlite", Identity("s", "u", "7")) as ledger:
        row = put_story(migration, ledger, 0)
        links = draft_offline(migration, ledger).stories[row.key].links
        story_record = StoryRecord(
            1000, "uuid-0", row.full_slug, True, links.linked_hash, "2026",
            record_hash=links.record_hash,
        )  # fmt: skip
        ledger.items.placed(row.key, story_record, "", "create")
        known = ledger.items.all()[row.key].story_record
        again = draft_offline(migration, ledger).stories[row.key].links
    assert known is not None
    assert again == links
    assert again.record_hash is known.record_hash
    assert again.linked_hash is known.content_hash
