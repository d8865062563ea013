"""The shape of a site: folders and tags that a field of its items names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.ledger.bodies import pack_story, unpack_story
from cmsmig.ledger.rows import WrittenStory
from tests.support.steps.faults import CREATE_STORY, CUT, Fault
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

MOODS = {"1" * 32: "calm", "2" * 32: "loud"}
ORDER = "    order_field: position\n"


@pytest.fixture
def moody(stage: Stage, moody_site: Path) -> Callable[..., StagedProject]:
    """Return a project of records with a mood, which a field of the design uses."""

    def start(key: str, field: str, *faults: Fault) -> StagedProject:
        project = stage(*faults, content=moody_site)
        edit_items(project, _in_a_mood)
        project.decide("design.yaml", ORDER, f"{ORDER}    {key}: {field}\n")
        return project

    return start


def _in_a_mood(item: Item) -> Item:
    """Give every record a mood but the last."""
    number = int(item["fieldData"]["slug"].rpartition("-")[2])
    mood = [*MOODS][number % 2] if number < 6 else None
    return {**item, "fieldData": {**item["fieldData"], "mood": mood}}


def moved(project: StagedProject, slug: str, **values: object) -> None:
    """Change an item at the origin."""
    edit_items(
        project,
        lambda item: (
            {**item, "fieldData": {**item["fieldData"], **values}}
            if item["fieldData"]["slug"] == slug
            else item
        ),
    )


def test_an_option_names_a_folder(moody: Callable[..., StagedProject]) -> None:
    """What has none stays in the collection's own; the folders are the plan's."""
    project = moody("folder_by", "mood")
    planned, mark = project.plan()["calls"], project.mark()
    assert planned["create_folders"] == 3
    project.done("import")
    assert len([e for e in project.since(mark) if e.quota]) == planned["total"]
    assert project.folders() == ["records", "records/calm", "records/loud"]
    assert sorted(project.stories()) == [
        "records/calm/record-2",
        "records/calm/record-4",
        "records/loud/record-1",
        "records/loud/record-3",
        "records/loud/record-5",
        "records/record-6",
    ]
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_a_reference_names_a_folder(moody: Callable[..., StagedProject]) -> None:
    """After the item that it leads to."""
    project = moody("folder_by", "next")
    project.done("import")
    assert "records/record-2/record-1" in project.stories()
    project.verified()


def test_what_changes_its_folder_moves_and_is_led_to(
    moody: Callable[..., StagedProject],
) -> None:
    """One update; the links to it follow."""
    project = moody("folder_by", "mood")
    project.done("import")
    moved(project, "record-1", mood="1" * 32)
    project.done("import")
    assert "records/calm/record-1" in project.stories()
    project.verified()


def test_a_field_that_cannot_name_a_folder_is_refused(
    moody: Callable[..., StagedProject],
) -> None:
    """With the types that can."""
    ended = moody("folder_by", "position").run("plan")
    assert ended.code == 2
    assert "folder_by names `position`, which is no Reference or" in ended.err


def tags(project: StagedProject, slug: str) -> object:
    return project.stories()[f"records/{slug}"].body.get("tag_list")


def test_a_reference_becomes_tags(moody: Callable[..., StagedProject]) -> None:
    """By the names of what it leads to; beside those of editors, one by one."""
    project = moody("tags_by", "related")
    project.done("import")
    assert tags(project, "record-1") == ["Record 2", "Record 4"]
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_tags_of_editors_stay_and_never_wait(
    moody: Callable[..., StagedProject],
) -> None:
    """Ours are added and taken away beside them; one that they took away stays so."""
    project = moody("tags_by", "mood")
    project.done("import")
    own = project.stories()["records/record-1"].story_id
    project.api("PUT", f"/stories/{own}", {"story": {"tag_list": ["loud", "theirs"]}})
    moved(project, "record-1", mood="1" * 32)
    project.done("import")
    assert tags(project, "record-1") == ["calm", "theirs"]
    project.verified()
    project.api("PUT", f"/stories/{own}", {"story": {"tag_list": ["theirs"]}})
    moved(project, "record-1", position=99)
    project.done("import")
    assert tags(project, "record-1") == ["theirs"]
    assert project.done("import", "--json").document["writes"] == 0
    (found,) = project.run("verify", "--json").document["differences"]
    assert (found["code"], found["where"]) == ("field_value", "tags")
    assert 'holds `["theirs"]`; wanted is `["calm"]`' in found["text"]
    project.decide_edit("records/record-1", "tags", "ours")
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    assert sum(1 for e in project.since(mark) if e.quota) == planned["total"]
    assert tags(project, "record-1") == ["calm", "theirs"]
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_a_verification_names_what_the_next_import_writes(
    moody: Callable[..., StagedProject],
) -> None:
    """Also where it was decided that edits stay: there is none."""
    project = moody("tags_by", "mood")
    project.done("import")
    project.decide_edit("records/record-1", "content.position", "theirs")
    moved(project, "record-1", position=99)
    (found,) = project.run("verify", "--json").document["differences"]
    assert found["where"] == "position"
    assert "run `cmsmig import`" in found["text"]
    project.done("import")
    project.verified()


def test_tags_that_are_decided_later_go_beside_those_that_are_there(
    stage: Stage, moody_site: Path
) -> None:
    """They are asked for first: an older ledger does not know them."""
    project = stage(content=moody_site)
    edit_items(project, _in_a_mood)
    project.done("import")
    own = project.stories()["records/record-1"].story_id
    project.api("PUT", f"/stories/{own}", {"story": {"tag_list": ["theirs"]}})
    project.decide("design.yaml", ORDER, f"{ORDER}    tags_by: mood\n")
    project.done("import")
    assert tags(project, "record-1") == ["loud", "theirs"]
    project.verified()


@pytest.mark.parametrize("at", [1, 4])
def test_a_run_that_dies_is_taken_up(
    moody: Callable[..., StagedProject], at: int
) -> None:
    """With what was decided about folders."""
    fault = Fault(CREATE_STORY, CUT, at=(at,), then_dead=True)
    project = moody("folder_by", "mood", fault)
    assert project.run("import").code == 7
    fault.over()
    project.done("import")
    assert len(project.stories()) == 6
    assert len(project.space.stories) == 9
    project.verified()


def test_an_item_becomes_the_start_page_of_its_folder(
    moody: Callable[..., StagedProject],
) -> None:
    """Its path is the folder's; links and redirects lead there."""
    project = moody("start_page", "record-2")
    project.done("import")
    assert "record-2" not in " ".join(project.stories())
    (start,) = [e for e in project.space.stories.values() if e.is_startpage]
    assert project.space.full_slug(start) == "records/"
    other = project.stories()["records/record-1"].content
    assert other["next"] == start.uuid
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    project.run("rollback", "--json")
    assert project.stories() == {}


def test_a_start_page_that_is_decided_later_is_written(
    stage: Stage, moody_site: Path
) -> None:
    """One update of the story that it is."""
    project = stage(content=moody_site)
    project.done("import")
    project.decide("design.yaml", ORDER, f"{ORDER}    start_page: record-2\n")
    assert project.plan()["calls"]["update_stories"] >= 1
    project.done("import")
    assert [e.slug for e in project.space.stories.values() if e.is_startpage] == [
        "record-2"
    ]
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


FACTS = """    sections:
    - key: facts
      display_name: Facts
      component: facts
      fields: [{fields}]
"""


def test_a_section_becomes_a_component_of_its_own(
    stage: Stage, moody_site: Path
) -> None:
    """Its fields stand in one block; without a value there is none."""
    project = stage(content=moody_site)
    edit_items(project, _in_a_mood)
    moved(project, "record-6", cover=None)
    facts = FACTS.format(fields="mood, cover")
    project.decide("design.yaml", ORDER, ORDER + facts)
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    assert len([e for e in project.since(mark) if e.quota]) == planned["total"]
    stories = project.stories()
    (block,) = stories["records/record-1"].content["facts"]
    assert (block["component"], block["mood"]) == ("facts", "loud")
    assert block["cover"]["filename"].endswith(".jpg")
    assert "mood" not in stories["records/record-1"].content
    assert stories["records/record-6"].content["facts"] == []
    field = project.space.component("record")["schema"]["facts"]
    assert (field["type"], field["component_whitelist"]) == ("bloks", ["facts"])
    assert {*project.space.component("facts")["schema"]} == {"mood", "cover"}
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    project.run("rollback", "--json")
    assert (project.stories(), project.components()) == ({}, [])


def test_what_leads_to_stories_stays_at_the_root(
    stage: Stage, moody_site: Path
) -> None:
    """Where links are filled in."""
    project = stage(content=moody_site)
    project.decide("design.yaml", ORDER, ORDER + FACTS.format(fields="next"))
    ended = project.run("plan")
    assert ended.code == 2
    assert "the field `next` leads to stories" in ended.err


def test_what_nobody_asked_an_import_for_is_no_edit_of_its_fields(
    stage: Stage, moody_site: Path
) -> None:
    """Slugs in other languages that somebody chose stay, and keep nothing from being
    written or published."""
    project = stage(content=moody_site, languages=("fr",))
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    own = project.stories()["records/record-1"].story_id
    theirs = [{"lang": "fr", "slug": "un", "name": "Un"}]
    body = {"translated_slugs_attributes": theirs}
    project.api("PUT", f"/stories/{own}", {"story": body, "publish": 1})
    project.verified()
    moved(project, "record-1", position=99)
    project.done("import")
    story = project.space.stories[own]
    assert story.published_content["position"] == "99"
    assert story.body["translated_slugs_attributes"] == theirs
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_a_start_page_stands_in_its_folder_whatever_else_names_one(
    moody: Callable[..., StagedProject],
) -> None:
    """It has the folder's own path; the others go below."""
    project = moody("start_page", "record-2\n    folder_by: mood")
    project.done("import")
    (start,) = [e for e in project.space.stories.values() if e.is_startpage]
    assert project.space.full_slug(start) == "records/"
    assert "records/calm/record-4" in project.stories()
    project.verified()


def test_a_start_page_that_is_not_there_is_named(
    moody: Callable[..., StagedProject],
) -> None:
    """A mistyped slug makes none."""
    notes = moody("start_page", "nobody").plan()["notes"]
    assert any("has no item `nobody`" in each for each in notes)


def test_a_lost_ledger_is_rebuilt(stage: Stage, moody_site: Path) -> None:
    """Folders, tags and nested blocks included; nothing is written again."""
    project = stage(content=moody_site)
    edit_items(project, _in_a_mood)
    shape = "    folder_by: mood\n    tags_by: related\n    start_page: record-2\n"
    project.decide("design.yaml", ORDER, ORDER + shape + FACTS.format(fields="cover"))
    project.done("import")
    for path in project.folder.glob("ledger.sqlite*"):
        path.unlink()
    project.done("rebuild")
    assert project.done("import", "--json").document["writes"] == 0
    project.verified()


def test_tags_that_an_older_ledger_does_not_know_stay(
    stage: Stage, moody_site: Path
) -> None:
    """The ledger has no tags from after the write: the story is read first."""
    project = stage(content=moody_site)
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


@pytest.mark.parametrize("move", ["slug", "folder_by", "folder"])
def test_a_page_that_moves_is_named_and_one_import_brings_its_links_along(
    moody: Callable[..., StagedProject], move: str
) -> None:
    """The plan counts the stories that link to it, and the next one writes nothing."""
    project = moody("folder_by", "mood")
    edit_items(project, _linking)
    project.done("import")
    old = "records/loud/record-1"
    new = {
        "slug": "records/loud/another",
        "folder_by": "records/calm/record-1",
        "folder": "entries/loud/record-1",
    }[move]
    if move == "slug":
        edit_items(project, _renamed)
        project.decide_edit(old, "slug", "ours")
    elif move == "folder_by":
        moved(project, "record-1", mood="1" * 32)
    else:
        project.decide("design.yaml", "folder: records\n", "folder: entries\n")
    plan, mark = project.plan(), project.mark()
    assert {"full_slug": old, "moves_to": new}.items() <= next(
        each for each in plan["moves"] if each["full_slug"] == old
    ).items()
    said = "6 pages get" if move == "folder" else f"1 page gets another path: `{old}`"
    assert any(note.startswith(said) for note in plan["notes"])
    project.done("import")
    assert sum(1 for e in project.since(mark) if e.quota) == plan["calls"]["total"]
    assert new in project.stories()
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def _renamed(item: Item) -> Item:
    data = item["fieldData"]
    slug = "another" if data["slug"] == "record-1" else data["slug"]
    return {**item, "fieldData": {**data, "slug": slug}}


def _linking(item: Item) -> Item:
    """Let the text of the second record link to the first."""
    data = item["fieldData"]
    if data["slug"] != "record-2":
        return item
    text = '<p><a href="/records/record-1">The first</a></p>'
    return {**item, "fieldData": {**data, "text": text}}
