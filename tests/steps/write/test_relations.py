"""Phase two: relations and links filled, and nothing that people did undone."""

from __future__ import annotations

import json
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.sample.exact import write_load_site
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.faults import CREATE_STORY, REFUSED, UPDATE_STORY, Fault

RECORD = "records/record-2"


class Puts:
    """Middleware that keeps the bodies of all updates."""

    def __init__(self) -> None:
        self.stories: list[JsonObject] = []

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if call.method == "PUT" and "/stories/" in call.path:
            self.stories.append(json.loads(call.body)["story"])
        return await answer(call)


def created(desk: Desk) -> Desk:
    """Prepare and run phase one."""
    desk.done("prepare")
    desk.done("create")
    return desk


def uuid_of(desk: Desk, number: int) -> str:
    return desk.stories()[f"records/record-{number}"].uuid


def test_references_keep_their_order_and_the_rest_its_content(stage: Stage) -> None:
    """Only relations change; a list of references stays in the origin's order."""
    desk = created(stage())
    before = {slug: dict(story.content) for slug, story in desk.stories().items()}
    assert all(content["related"] in ([], "") for content in before.values())
    desk.done("link")
    for number in range(1, 7):
        content = dict(desk.stories()[f"records/record-{number}"].content)
        others = [(number - 1 + step) % 6 + 1 for step in (7, 3)]
        assert content.pop("next") == uuid_of(desk, number % 6 + 1)
        assert content.pop("related") == [uuid_of(desk, each) for each in others]
        old = before[f"records/record-{number}"]
        assert content == {k: old[k] for k in old if k not in ("next", "related")}
    desk.verified()


def test_an_update_carries_the_whole_content_and_never_publishes(
    stage: Stage,
) -> None:
    """A PUT replaces everything, so everything is in it; `publish` is not."""
    puts = Puts()
    desk = created(stage(puts))
    desk.done("link")
    assert len(puts.stories) == 6
    for sent in puts.stories:
        there = desk.stories()[f"records/{sent['slug']}"]
        assert sent["content"] == there.content
        assert {"text", "cover", "position", "next", "related"} <= set(sent["content"])
        assert "publish" not in sent
    assert {each.published_content for each in desk.stories().values()} == {None}


def test_no_update_where_there_is_nothing_to_fill(stage: Stage, tmp_path: Path) -> None:
    """Stories without references and links are complete after phase one."""
    folder = tmp_path / "alone"
    write_load_site(folder, items=4, images=0, relations=False)
    desk = stage(content=folder)
    planned = desk.plan()["calls"]
    desk.done("import")
    assert desk.count("update story") == planned["update_stories"] == 0
    assert desk.rows("SELECT DISTINCT link_state FROM item") == [("nothing",)]
    desk.verified()


def test_an_edit_stays_and_the_rest_is_filled(stage: Stage) -> None:
    """Edited between create and link: fields of theirs stay, relations are filled."""
    desk = created(stage())
    desk.edit(RECORD, text_note="by hand", position="4711")
    edited = dict(desk.stories()[RECORD].content)
    planned, number = desk.plan()["calls"], desk.mark()
    assert (planned["read_changed_stories"], planned["update_stories"]) == (1, 6)
    desk.done("link")
    there = dict(desk.stories()[RECORD].content)
    filled = {"next": uuid_of(desk, 3), "related": there["related"]}
    assert there == {**edited, **filled}
    assert desk.count("update story", number) == 6
    assert desk.count("story", number) == 1
    found = desk.run("verify", "--json").document["differences"]
    assert [each["where"] for each in found] == ["position", "text_note"]


def test_a_field_of_both_sides_waits_for_a_decision(stage: Stage) -> None:
    """Filled by an editor with something else: theirs stays, the rest is filled."""
    desk = created(stage())
    desk.edit(RECORD, next=uuid_of(desk, 6))
    (conflict,) = desk.plan()["edit_conflicts"]
    assert (conflict["what"], conflict["field"]) == (RECORD, "content.next")
    assert conflict["theirs"] == uuid_of(desk, 6)
    assert desk.run("link").code == 1
    assert desk.outcome(RECORD)[:2] == ("failed", "edited_since")
    there = desk.stories()[RECORD].content
    assert there["next"] == uuid_of(desk, 6)
    assert there["related"] == [uuid_of(desk, each) for each in (3, 5)]
    (failed,) = desk.status()["failed"]
    assert "content.next" in failed["explanation"]
    number = desk.mark()
    assert desk.run("link").code == 1
    assert desk.count("update story", number) == 0
    desk.decide_edit(RECORD, "content.next", "ours", conflict["seen"])
    desk.done("link")
    assert desk.stories()[RECORD].content["next"] == uuid_of(desk, 3)
    desk.verified()


def test_an_edit_taken_back_lets_the_next_run_link(stage: Stage) -> None:
    """The item gets its status back, and the accounting is whole."""
    desk = created(stage())
    before = dict(desk.stories()[RECORD].content)
    desk.edit(RECORD, next=uuid_of(desk, 6))
    assert desk.run("link").code == 1
    desk.edit(RECORD, next=before["next"])
    desk.done("link")
    assert desk.outcome(RECORD) == ("created", "", "linked")
    desk.verified()


def test_an_editor_who_filled_the_relations_is_thanked(stage: Stage) -> None:
    """Content that is what we were about to write is taken as written."""
    desk = created(stage())
    related = [uuid_of(desk, each) for each in (3, 5)]
    desk.edit(RECORD, next=uuid_of(desk, 3), related=related)
    number = desk.mark()
    desk.done("link")
    assert desk.count("update story", number) == 5
    assert desk.outcome(RECORD) == ("created", "", "linked")


def test_a_story_renamed_since_is_linked_under_its_new_name(stage: Stage) -> None:
    """The content is ours and gets its relations; the name is theirs and stays."""
    desk = created(stage())
    story = desk.stories()[RECORD]
    desk.api("PUT", f"/stories/{story.story_id}", {"story": {"name": "Renamed"}})
    desk.done("link")
    assert desk.stories()[RECORD].name == "Renamed"
    assert desk.stories()[RECORD].content["next"] == uuid_of(desk, 3)
    assert desk.codes() == ["story_name"]


def test_a_story_deleted_since_is_listed_and_not_made_again(stage: Stage) -> None:
    """A person deleted it: that is a person's decision, and the run says so."""
    desk = created(stage())
    desk.delete(RECORD)
    assert desk.run("link").code == 1
    assert desk.outcome(RECORD)[:2] == ("failed", "deleted_since")
    assert RECORD not in desk.stories()
    assert len(desk.stories()) == 5
    assert desk.codes() == ["story_gone"]


def test_who_refers_to_a_failed_target_waits_and_is_linked_later(
    stage: Stage,
) -> None:
    """The references that can be filled are; the others follow with the target."""
    fault = Fault(CREATE_STORY, REFUSED, at=(), item="record-2")
    desk = stage(fault)
    assert desk.run("import").code == 1
    waiting = {
        slug
        for (slug,) in desk.rows(
            "SELECT full_slug FROM item WHERE link_state = 'pending'"
        )
    }
    assert waiting == {"records/record-1", "records/record-5"}
    first = desk.stories()["records/record-1"].content
    assert (first["next"], first["related"]) == ("", [uuid_of(desk, 4)])
    fault.over()
    planned, number = desk.plan()["calls"], desk.mark()
    desk.done("import")
    assert (planned["create_stories"], planned["update_stories"]) == (1, 3)
    assert desk.count("update story", number) == 3
    first = desk.stories()["records/record-1"].content
    assert first["next"] == uuid_of(desk, 2)
    assert first["related"] == [uuid_of(desk, 2), uuid_of(desk, 4)]
    desk.verified()


def test_links_in_texts_become_links_to_stories(stage: Stage, small_site: Path) -> None:
    """Internal links carry the target's UUID and path, in their own locale."""
    desk = stage(content=small_site)
    desk.done("import")
    stories = desk.stories()
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
    desk = created(stage(fault))
    assert desk.run("link").code == 1
    assert desk.outcome(RECORD)[:2] == ("failed", "refused")
    linked = desk.rows("SELECT count(*) FROM item WHERE link_state = 'linked'")
    assert linked == [(5,)]
    assert desk.open_intents() == []
