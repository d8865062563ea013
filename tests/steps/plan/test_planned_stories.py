"""What a plan found of the stories is read again, as long as nothing of it changed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.ledger.rows import (
    AssetRow,
    GoneItem,
    GoneState,
    Identity,
    ItemRow,
    StoryRecord,
)
from cmsmig.ledger.store import Ledger
from cmsmig.sandbox.server import SAMPLE
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts, draft_offline


@pytest.fixture
def copied(
    decided_project: Callable[[Path], Path], tmp_path: Path
) -> Callable[[Path], Project]:
    """Return what copies a site, pulled and decided, nothing derived of it yet."""

    def copy(content: Path) -> Project:
        folder = tmp_path / "site"
        shutil.copytree(decided_project(content), folder)
        forget(folder)
        return Project(folder)

    return copy


@pytest.fixture
def project(copied: Callable[[Path], Project], every_kind_site: Path) -> Project:
    return copied(every_kind_site)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "l.sqlite", Identity("s", "u", "7")) as opened:
        yield opened


def forget(folder: Path) -> None:
    for path in folder.glob("derived*"):
        path.unlink()


def opened(project: Project) -> Migration:
    return open_migration(project, load_settings(project, dict(os.environ)))


def offline(project: Project, ledger: Ledger) -> OfflineDrafts:
    return draft_offline(opened(project), ledger)


def told(found: OfflineDrafts) -> list[object]:
    """Return what a plan is told, in the order of the import."""
    return [[*found.stories.items()], found.failed, found.used, found.existing]


def query(project: Project, statement: str) -> list[tuple]:
    with closing(sqlite3.connect(project.derived)) as db, db:
        return db.execute(statement).fetchall()


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


def test_what_was_found_is_read_again(project: Project, ledger: Ledger) -> None:
    """No draft is asked for, and none is made."""
    first = offline(project, ledger)
    assert len(first.stories) == len(opened(project).selected) == 34
    assert query(project, "DELETE FROM draft RETURNING 1")
    assert told(offline(project, ledger)) == told(first)
    assert query(project, "SELECT * FROM draft") == []


def edit_an_item(project: Project, ledger: Ledger) -> None:
    path = next(iter(sorted((project.raw / "items").glob("*.json"))))
    body = json.loads(path.read_text())
    name = json.dumps(body["items"][0]["fieldData"]["name"])
    for each in (path, project.raw / "live" / path.name):
        each.write_text(each.read_text().replace(name, '"Quite another name"'))


def move_the_time_zone(project: Project, ledger: Ledger) -> None:
    path = project.raw / "sites.json"
    body = json.loads(path.read_text())
    body["sites"][0]["timeZone"] = "Pacific/Pago_Pago"
    path.write_text(json.dumps(body))


def decide_otherwise(project: Project, ledger: Ledger) -> None:
    path = project.decisions / "design.yaml"
    text = path.read_text()
    assert "folder: " in text
    path.write_text(text.replace("  folder: ", "  folder: moved-"))


def name_a_field_anew(project: Project, ledger: Ledger) -> None:
    """A decision that moves no story."""
    path = project.decisions / "design.yaml"
    text, count = re.subn(r"(\n +key: )(\w+)", r"\1\2_anew", path.read_text(), count=1)
    assert count
    path.write_text(text)


def bring_a_story(project: Project, ledger: Ledger) -> None:
    put_story(opened(project), ledger, 0)


def move_a_story(project: Project, ledger: Ledger) -> None:
    key = opened(project).selected[1].item.key
    ledger.items.moved({key: "somewhere/else"})


def bring_a_file(project: Project, ledger: Ledger) -> None:
    upload = opened(project).files.uploads[0]
    url = "https://a.storyblok.com/f/1/2x2/abc/file.jpg"
    ledger.inventory.save_asset(
        AssetRow(upload.sha256, upload.ext_id, "file.jpg", "proven", "", "", 5, url)
    )


def lose_an_item(project: Project, ledger: Ledger) -> None:
    """An item that others refer to is gone at the origin, and so is its story."""
    gone = GoneItem(GoneState.TO_DELETE, "deleted", "It was deleted.")
    ledger.gone.mark({opened(project).selected[1].item.key: gone})


CHANGES = (
    edit_an_item,
    decide_otherwise,
    name_a_field_anew,
    bring_a_story,
    move_a_story,
    bring_a_file,
    lose_an_item,
)


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_counts_makes_it_anew(
    project: Project, ledger: Ledger, change: Callable[[Project, Ledger], None]
) -> None:
    """What is found then is what is found without anything kept."""
    insist_made_anew(project, ledger, change)


def test_another_time_zone_makes_it_anew(
    copied: Callable[[Path], Project], ledger: Ledger
) -> None:
    """Items of the sample site have dates without a time."""
    insist_made_anew(copied(SAMPLE), ledger, move_the_time_zone)


def insist_made_anew(
    project: Project, ledger: Ledger, change: Callable[[Project, Ledger], None]
) -> None:
    """Insist that a change is seen, and seen as without anything kept."""
    migration = opened(project)
    for number in range(1, len(migration.selected)):
        put_story(migration, ledger, number)
    before = told(offline(project, ledger))
    change(project, ledger)
    after = told(offline(project, ledger))
    assert after != before
    forget(project.root)
    assert told(offline(project, ledger)) == after


@pytest.mark.parametrize("body", [b"[", b"{}", b"[[], [[99999]]]", b"[[], [[0, 1]]]"])
def test_what_nobody_of_ours_wrote_is_found_anew(
    project: Project, ledger: Ledger, body: bytes
) -> None:
    """A part that is damaged, or says something else, is nobody's loss."""
    first = told(offline(project, ledger))
    with closing(sqlite3.connect(project.derived)) as db, db:
        cursor = db.execute(
            "UPDATE part SET body = ? WHERE name LIKE 'plan %' AND number = 0", (body,)
        )
        assert cursor.rowcount == 1
    assert told(offline(project, ledger)) == first


def test_a_part_of_the_items_is_not_the_whole(project: Project, ledger: Ledger) -> None:
    """A pilot between two plans of all, and the other way round."""
    whole = opened(project)
    part = replace(
        whole,
        selected=whole.selected[:5],
        items={each.item.key: each.item for each in whole.selected[:5]},
    )
    for _ in range(2):
        assert len(draft_offline(whole, ledger).stories) == len(whole.selected)
        assert len(draft_offline(part, ledger).stories) == 5


def test_hashes_that_the_ledger_holds_are_its_own(
    project: Project, ledger: Ledger
) -> None:
    """One text for both, of many items."""
    migration = opened(project)
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
