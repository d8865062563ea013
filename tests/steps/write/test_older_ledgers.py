"""Ledgers of earlier versions: components in an older shape, and no record of tags."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cmsmig.canonical import fingerprint
from cmsmig.ledger.bodies import dump_body, load_body, pack_story, unpack_story
from cmsmig.ledger.rows import WrittenStory
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject


def record(project: StagedProject) -> Any:
    """Return the component of the records in the space."""
    (found,) = [
        each for each in project.space.components.values() if each["name"] == "record"
    ]
    return found


LOUD = "          - id: '22222222222222222222222222222222'\n            label: loud\n"
ODD = "          - id: '33333333333333333333333333333333'\n            label: odd\n"


def older(schema: dict[str, Any]) -> None:
    """Make field definitions as earlier versions wrote them, in place."""
    for definition in schema.values():
        definition.pop("restrict_type", None)
        definition.pop("component_denylist", None)
        for option in definition.get("options", ()):
            option.pop("_uid", None)


@pytest.mark.parametrize("recorded", ["by field", "as a fingerprint alone"])
def test_components_in_the_shape_of_earlier_versions_are_ours_and_unedited(
    stage: Stage, content_of: Callable[[str], Path], recorded: str
) -> None:
    """A rerun writes nothing for the shape alone; the next change keeps the rows."""
    project = stage(content=content_of("moody"))
    order = "    order_field: position\n"
    project.decide("design.yaml", order, order + FACTS)
    path = project.folder / "decisions" / "design.yaml"
    path.write_text(LOOKS.sub("", path.read_text()))
    project.done("import")
    restricted = record(project)["schema"]["facts"]
    assert (restricted["restrict_type"], restricted["component_denylist"]) == ("", [])
    for each in project.space.components.values():
        older(each["schema"])
    for name, body, sent in project.rows(
        "SELECT name, body, body_hash FROM made WHERE kind = 'component'"
    ):
        assert sent
        kept = load_body(body)
        older(kept["schema"])
        kept.pop("answered", None)
        if recorded == "by field":
            change = "UPDATE made SET body = ? WHERE kind = 'component' AND name = ?"
            project.doctor(change, dump_body(kept), name)
        else:
            kept = {key: kept[key] for key in SENT if key in kept}
            change = "UPDATE made SET body = '', body_hash = ? WHERE name = ?"
            project.doctor(change, fingerprint(kept), name)
    before = [dict(each) for each in project.space.components.values()]
    planned = project.plan()
    assert "update_components" not in planned["calls"]
    assert (planned["in_the_way"], planned["schema_changes"]) == ([], [])
    project.done("import")
    assert [*project.space.components.values()] == before
    project.verified()
    project.decide("design.yaml", LOUD, LOUD + ODD)
    project.decide("design.yaml", "display_name: Mood", "display_name: The mood")
    project.done("prepare")
    rows = record(project)["schema"]["mood"]["options"]
    assert [each["value"] for each in rows] == ["calm", "loud", "odd"]
    assert ["_uid" in each for each in rows] == [False, False, True]
    project.verified()


FACTS = """    sections:
      - key: facts
        display_name: Facts
        component: facts
        fields: [position]
"""
LOOKS = re.compile(r"^ +(icon|preview_field): .*\n", re.M)
"""What earlier versions did not propose."""
SENT = ("name", "display_name", "schema", "is_root", "is_nestable")


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
