"""What a plan reads again of what it kept, in memory: one text for many."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from cmsmig.ledger.rows import Identity, ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.plan.drafts.offline_drafts import draft_offline


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
