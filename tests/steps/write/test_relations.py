"""Phase two: relations and links filled, and nothing that people did undone."""

from __future__ import annotations

import json
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.sites.exact import write_load_site
from tests.support.steps.faults import CREATE_STORY, REFUSED, UPDATE_STORY, Fault
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"


class Puts:
    """Middleware that keeps the bodies of all updates."""

    def __init__(self) -> None:
        self.stories: list[JsonObject] = []

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if call.method == "PUT" and "/stories/" in call.path:
            self.stories.append(json.loads(call.body)["story"])
        return await answer(call)


def created(project: StagedProject) -> StagedProject:
    """Prepare and run phase one."""
    project.done("prepare")
    project.done("create")
    return project


def uuid_of(project: StagedProject, number: int) -> str:
    return project.stories()[f"records/record-{number}"].uuid


def test_references_keep_their_order_and_the_rest_its_content(stage: Stage) -> None:
    """Only relations change; a list of references stays in the origin's order."""
    project = created(stage())
    before = {slug: dict(story.content) for slug, story in project.stories().items()}
    assert all(content["related"] in ([], "") for content in before.values())
    project.done("link")
    for number in range(1, 7):
        content = dict(project.stories()[f"records/record-{number}"].content)
        others = [(number - 1 + step) % 6 + 1 for step in (7, 3)]
        assert content.pop("next") == uuid_of(project, number % 6 + 1)
        assert content.pop("related") == [uuid_of(project, each) for each in others]
        old = before[f"records/record-{number}"]
        assert content == {k: old[k] for k in old if k not in ("next", "related")}
    project.verified()


def test_an_update_carries_the_whole_content_and_never_publishes(
    stage: Stage,
) -> None:
    """A PUT replaces everything, so everything is in it; `publish` is not."""
    puts = Puts()
    project = created(stage(puts))
    project.done("link")
    assert len(puts.stories) == 6
    for sent in puts.stories:
        there = project.stories()[f"records/{sent['slug']}"]
        assert sent["content"] == there.content
        assert {"text", "cover", "position", "next", "related"} <= set(sent["content"])
        assert "publish" not in sent
    assert {each.published_content for each in project.stories().values()} == {None}


def test_no_update_where_there_is_nothing_to_fill(stage: Stage, tmp_path: Path) -> None:
    """Stories without references and links are complete after phase one."""
    folder = tmp_path / "alone"
    write_load_site(folder, items=4, images=0, relations=False)
    project = stage(content=folder)
    planned = project.plan()["calls"]
    project.done("import")
    assert project.count("update story") == planned["update_stories"] == 0
    assert project.rows("SELECT DISTINCT link_state FROM item") == [("nothing",)]
    project.verified()


def test_an_edit_stays_and_the_rest_is_filled(stage: Stage) -> None:
    """Edited between create and link: fields of theirs stay, relations are filled."""
    project = created(stage())
    project.edit(RECORD, text_note="by hand", position="4711")
    edited = dict(project.stories()[RECORD].content)
    planned, number = project.plan()["calls"], project.mark()
    assert (planned["read_changed_stories"], planned["update_stories"]) == (1, 6)
    project.done("link")
    there = dict(project.stories()[RECORD].content)
    filled = {"next": uuid_of(project, 3), "related": there["related"]}
    assert there == {**edited, **filled}
    assert project.count("update story", number) == 6
    assert project.count("story", number) == 1
    found = project.run("verify", "--json").document["differences"]
    assert [each["where"] for each in found] == ["position", "text_note"]


def test_a_field_of_both_sides_waits_for_a_decision(stage: Stage) -> None:
    """Filled by an editor with something else: theirs stays, the rest is filled."""
    project = created(stage())
    project.edit(RECORD, next=uuid_of(project, 6))
    (conflict,) = project.plan()["edit_conflicts"]
    assert (conflict["what"], conflict["field"]) == (RECORD, "content.next")
    assert conflict["theirs"] == uuid_of(project, 6)
    assert project.run("link").code == 1
    assert project.outcome(RECORD)[:2] == ("failed", "edited_since")
    there = project.stories()[RECORD].content
    assert there["next"] == uuid_of(project, 6)
    assert there["related"] == [uuid_of(project, each) for each in (3, 5)]
    (failed,) = project.status()["failed"]
    assert "content.next" in failed["explanation"]
    number = project.mark()
    assert project.run("link").code == 1
    assert project.count("update story", number) == 0
    project.decide_edit(RECORD, "content.next", "ours", conflict["seen"])
    project.done("link")
    assert project.stories()[RECORD].content["next"] == uuid_of(project, 3)
    project.verified()


def test_an_edit_taken_back_lets_the_next_run_link(stage: Stage) -> None:
    """The item gets its status back, and the accounting is whole."""
    project = created(stage())
    before = dict(project.stories()[RECORD].content)
    project.edit(RECORD, next=uuid_of(project, 6))
    assert project.run("link").code == 1
    project.edit(RECORD, next=before["next"])
    project.done("link")
    assert project.outcome(RECORD) == ("created", "", "linked")
    project.verified()


def test_an_editor_who_filled_the_relations_is_thanked(stage: Stage) -> None:
    """Content that is what we were about to write is taken as written."""
    project = created(stage())
    related = [uuid_of(project, each) for each in (3, 5)]
    project.edit(RECORD, next=uuid_of(project, 3), related=related)
    number = project.mark()
    project.done("link")
    assert project.count("update story", number) == 5
    assert project.outcome(RECORD) == ("created", "", "linked")


def test_a_story_renamed_since_is_linked_under_its_new_name(stage: Stage) -> None:
    """The content is ours and gets its relations; the name is theirs and stays."""
    project = created(stage())
    story = project.stories()[RECORD]
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"name": "Renamed"}})
    project.done("link")
    assert project.stories()[RECORD].name == "Renamed"
    assert project.stories()[RECORD].content["next"] == uuid_of(project, 3)
    assert project.codes() == ["story_name"]


def test_a_story_deleted_since_is_listed_and_not_made_again(stage: Stage) -> None:
    """A person deleted it: that is a person's decision, and the run says so."""
    project = created(stage())
    project.delete(RECORD)
    assert project.run("link").code == 1
    assert project.outcome(RECORD)[:2] == ("failed", "deleted_since")
    assert RECORD not in project.stories()
    assert len(project.stories()) == 5
    assert project.codes() == ["story_gone"]


def test_who_refers_to_a_failed_target_waits_and_is_linked_later(
    stage: Stage,
) -> None:
    """The references that can be filled are; the others follow with the target."""
    fault = Fault(CREATE_STORY, REFUSED, at=(), item="record-2")
    project = stage(fault)
    assert project.run("import").code == 1
    waiting = {
        slug
        for (slug,) in project.rows(
            "SELECT full_slug FROM item WHERE link_state = 'pending'"
        )
    }
    assert waiting == {"records/record-1", "records/record-5"}
    first = project.stories()["records/record-1"].content
    assert (first["next"], first["related"]) == ("", [uuid_of(project, 4)])
    fault.over()
    planned, number = project.plan()["calls"], project.mark()
    project.done("import")
    assert (planned["create_stories"], planned["update_stories"]) == (1, 3)
    assert project.count("update story", number) == 3
    first = project.stories()["records/record-1"].content
    assert first["next"] == uuid_of(project, 2)
    assert first["related"] == [uuid_of(project, 2), uuid_of(project, 4)]
    project.verified()


def test_links_in_texts_become_links_to_stories(stage: Stage, small_site: Path) -> None:
    """Internal links carry the target's UUID and path, in their own locale."""
    project = stage(content=small_site)
    project.done("import")
    stories = project.stories()
    marks = list(_links(stories["notes/note-1"].content["text"]))
    assert [(each["uuid"], each["href"].strip("/")) for each in marks] == [
        (stories["notes/note-2"].uuid, "notes/note-2")
    ]
    french = list(_links(stories["fr/notes/la-note-3"].content["text"]))
    assert [each["uuid"] for each in french] == [stories["fr/notes/la-note-1"].uuid]


def _links(node: object) -> list[dict]:
    if isinstance(node, list):
        return [found for each in node for found in _links(each)]
    if not isinstance(node, dict):
        return []
    own = [node["attrs"]] if node.get("type") == "link" else []
    return own + [found for each in node.values() for found in _links(each)]


def test_an_update_refused_leaves_the_others_linked(stage: Stage) -> None:
    """One refusal is one item's fate; its story keeps what phase one wrote."""
    fault = Fault(UPDATE_STORY, REFUSED, at=(), item='"record-2"')
    project = created(stage(fault))
    assert project.run("link").code == 1
    assert project.outcome(RECORD)[:2] == ("failed", "refused")
    linked = project.rows("SELECT count(*) FROM item WHERE link_state = 'linked'")
    assert linked == [(5,)]
    assert project.open_intents() == []
