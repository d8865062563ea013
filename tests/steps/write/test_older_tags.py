"""Tags with a ledger that records none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from cmsmig.ledger.bodies import pack_story, unpack_story
from cmsmig.ledger.rows import WrittenStory
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

MOODS = {"1" * 32: "calm", "2" * 32: "loud"}
ORDER = "    order_field: position\n"


def _in_a_mood(item: Item) -> Item:
    """Give every record a mood but the last."""
    number = int(item["fieldData"]["slug"].rpartition("-")[2])
    mood = [*MOODS][number % 2] if number < 6 else None
    return {**item, "fieldData": {**item["fieldData"], "mood": mood}}


def tags(project: StagedProject, slug: str) -> object:
    return project.stories()[f"records/{slug}"].body.get("tag_list")


def test_tags_that_an_older_ledger_does_not_know_stay(
    stage: Stage, content_of: Callable[[str], Path]
) -> None:
    """The ledger has no tags from after the write: the story is read first."""
    project = stage(content=content_of("moody"))
    edit_items(project, _in_a_mood)
    project.done("import")
    story = project.stories()["records/record-1"]
    story.body["tag_list"] = ["theirs"]
    with closing(sqlite3.connect(project.folder / "ledger.sqlite")) as db, db:
        for own, body in db.execute("SELECT story_id, body FROM written").fetchall():
            kept = unpack_story(body)
            values = {
                name: each
                for name, each in kept.server_values.items()
                if name != "tags"
            }
            older = pack_story(WrittenStory(kept.sent, values))
            db.execute("UPDATE written SET body = ? WHERE story_id = ?", (older, own))
    project.decide("design.yaml", ORDER, f"{ORDER}    tags_by: mood\n")
    project.done("import")
    assert tags(project, "record-1") == ["loud", "theirs"]
