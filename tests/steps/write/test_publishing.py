"""Publication: only what was decided, only what is live, never a folder."""

from __future__ import annotations

from pathlib import Path

from cmsmig.sandbox.http.asgi import Call, Middleware, Next, Reply
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.faults import ERROR, PUBLISH_STORY, REFUSED, Fault
from tests.support.steps.origin_edits import Item, edit_items

RECORD = "records/record-2"


def publishing(stage: Stage, *faults: Fault) -> Desk:
    """Return a desk whose records are all to be published."""
    desk = stage(*faults)
    desk.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    return desk


def notes_only(stage: Stage, content: Path, *middleware: Middleware) -> Desk:
    """Return a desk where the notes, and only they, are to be published."""
    desk = stage(*middleware, content=content)
    path = desk.folder / "decisions" / "collections.yaml"
    notes, mark, spots = path.read_text().partition("- collection: spots")
    notes = notes.replace("publish: nothing", "publish: what_is_live")
    path.write_text(notes + mark + spots)
    return desk


def published(desk: Desk) -> set[str]:
    return {
        slug
        for slug, story in desk.stories().items()
        if story.published_content is not None
    }


def test_nothing_is_published_unless_decided(stage: Stage) -> None:
    """Every story stays a draft, and no request could have published one."""
    desk = stage()
    desk.done("import")
    desk.done("publish")
    assert published(desk) == set()
    assert desk.count("publish story") == 0


def test_no_request_ever_publishes_or_unpublishes_a_folder(
    stage: Stage, small_site: Path
) -> None:
    """The service would publish every draft below it; a rollback needs none either."""
    asked: list[Call] = []

    async def watch(call: Call, answer: Next) -> Reply:
        if "/stories/" in call.path:
            asked.append(call)
        return await answer(call)

    desk = notes_only(stage, small_site, watch)
    desk.done("import")
    path = desk.folder / "decisions" / "collections.yaml"
    path.write_text(
        path.read_text().replace("publish: what_is_live", "publish: nothing")
    )
    desk.decide("design.yaml", "folder_name: Notes", "folder_name: Our notes")
    desk.done("import")
    folders = {str(own) for own, story in desk.space.stories.items() if story.is_folder}
    assert len(folders) == 5
    desk.done("rollback")
    of_folders = [
        each
        for each in asked
        if each.path.partition("/stories/")[2].partition("/")[0] in folders
    ]
    # One that is renamed is read right before.
    assert {each.method for each in of_folders} == {"GET", "PUT", "DELETE"}
    for each in of_folders:
        assert not each.path.endswith("publish")
        assert each.parameter("publish") is None
        assert each.method != "PUT" or "publish" not in each.document()


def test_only_live_items_of_decided_collections_are_published(
    stage: Stage, small_site: Path
) -> None:
    """The draft note, the spots and the folders stay unpublished; once is enough."""
    desk = notes_only(stage, small_site)
    planned = desk.plan()["calls"]["publish_stories"]
    desk.done("import")
    notes = {slug for slug in desk.stories() if "notes/" in slug}
    assert published(desk) == notes - {"notes/note-23"}
    assert desk.count("publish story") == planned == len(notes) - 1
    for slug in notes - {"notes/note-23"}:
        story = desk.stories()[slug]
        assert story.published_content == story.content, "linked before published"
        assert story.unpublished_changes is False
    folders = [each for each in desk.space.stories.values() if each.is_folder]
    assert all(each.published_content is None for each in folders)
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


def test_what_others_refer_to_is_published_first(stage: Stage) -> None:
    """No page leads to one that is not there yet, however many are under way."""
    desk = publishing(stage)
    slugs: dict[str, str] = {}

    def note(item: Item) -> Item:
        slugs[item["id"]] = item["fieldData"]["slug"]
        return item

    def chain(item: Item) -> Item:
        after = [*slugs].index(item["id"]) + 1
        data = {**item["fieldData"], "related": None}
        data["next"] = [*slugs, None][after]
        return {**item, "fieldData": data}

    edit_items(desk, note, ("items",))

    edit_items(desk, chain)
    mark = desk.mark()
    desk.done("import")
    order = [each.item for each in desk.since(mark) if each.route == "publish story"]
    assert order == [f"records/{each}" for each in reversed(slugs.values())]


def test_a_lost_reply_of_a_publication_is_repeated(stage: Stage) -> None:
    """Publishing twice changes nothing more, and the item is published once it is."""
    fault = Fault(PUBLISH_STORY, ERROR, at=(2,))
    desk = publishing(stage, fault)
    desk.done("import")
    assert fault.hits == 1
    assert desk.open_intents() == []
    desk.verified()


def test_a_publication_that_fails_is_tried_again_by_the_next_run(
    stage: Stage,
) -> None:
    """The item is listed as failed, and gets its status back when it is published."""
    fault = Fault(PUBLISH_STORY, REFUSED, at=(3,))
    desk = publishing(stage, fault)
    assert desk.run("import").code == 1
    (failed,) = desk.status()["failed"]
    assert failed["reason"] == "not_published"
    planned = desk.plan()["calls"]["publish_stories"]
    assert planned == 1
    desk.done("publish")
    assert desk.status()["failed"] == []
    desk.verified()


def test_a_publication_no_longer_wanted_is_no_failure(stage: Stage) -> None:
    """Decided otherwise after it failed: the item is created, and that is all."""
    fault = Fault(PUBLISH_STORY, REFUSED, at=(3,))
    desk = publishing(stage, fault)
    assert desk.run("import").code == 1
    desk.decide("collections.yaml", "what_is_live\n", "nothing\n")
    desk.done("import")
    assert desk.status()["failed"] == []


def test_mirror_without_publication_imports_drafts(stage: Stage) -> None:
    """Nothing is published, so nothing can be published wrongly."""
    desk = stage()
    desk.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    desk.done("import")
    assert (len(desk.stories()), published(desk)) == (6, set())
    desk.verified()


def test_what_an_editor_unpublished_stays_so_until_decided(stage: Stage) -> None:
    """Written again, not shown again; verification and changes name it."""
    desk = stage()
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    desk.done("import")
    story = desk.stories()[RECORD]
    desk.api("GET", f"/stories/{story.story_id}/unpublish")
    for path in (desk.folder / "raw").glob("*/*.json"):
        path.write_text(path.read_text().replace('"Record 2"', '"Record two"'))
    (change,) = desk.done("changes", "--json").document["destination"]
    assert (change["field"], change["old"], change["new"]) == ("published", True, False)
    planned, mark = desk.plan()["calls"], desk.mark()
    desk.done("import")
    assert desk.count("publish story", mark) == planned.get("publish_stories", 0) == 0
    assert desk.stories()[RECORD].name == "Record two"
    assert desk.stories()[RECORD].published_content is None
    assert desk.codes() == ["not_published"]
    desk.decide_edit(RECORD, "published", "ours")
    desk.done("import")
    assert desk.stories()[RECORD].published_content is not None
    desk.verified()


def test_what_is_not_to_be_public_is_taken_back_where_that_is_decided(
    stage: Stage,
) -> None:
    """By one call, as the plan says; the others stay, and nothing is left open."""
    desk = stage()
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    desk.done("import")
    before = published(desk)
    desk.decide("collections.yaml", "publish: what_is_live", "publish: nothing")
    desk.decide_edit(RECORD, "published", "ours")
    planned, mark = desk.plan()["calls"], desk.mark()
    desk.done("import")
    assert published(desk) == before - {RECORD}
    assert desk.count("unpublish story", mark) == planned["unpublish_stories"] == 1
    assert desk.open_intents() == []
    assert desk.done("import", "--json").document["writes"] == 0


def test_unfinished_edits_are_not_shown_to_visitors(stage: Stage) -> None:
    """An editor at work and the origin on one story: both stand, unpublished."""
    desk = stage()
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    desk.done("import")
    desk.edit(RECORD, position="4711")
    for path in (desk.folder / "raw").glob("*/*.json"):
        path.write_text(path.read_text().replace('"Record 2"', '"Record two"'))
    planned, mark = desk.plan()["calls"], desk.mark()
    desk.done("import")
    assert desk.count("publish story", mark) == planned.get("publish_stories", 0) == 0
    there = desk.stories()[RECORD]
    assert (there.name, there.content["position"]) == ("Record two", "4711")
    assert "4711" not in str(there.published_content)


def test_what_an_editor_changed_alike_is_published_as_the_plan_says(
    stage: Stage,
) -> None:
    """Nothing is written, and visitors get what both sides have."""
    desk = publishing(stage)
    desk.done("import")
    story = desk.stories()[RECORD]
    body = {"story": {"name": "Record two", "content": story.content}}
    desk.api("PUT", f"/stories/{story.story_id}", body)
    for path in (desk.folder / "raw").glob("*/*.json"):
        path.write_text(path.read_text().replace('"Record 2"', '"Record two"'))
    planned, mark = desk.plan()["calls"], desk.mark()
    desk.done("import")
    assert (planned["update_stories"], planned["publish_stories"]) == (0, 1)
    assert desk.count("publish story", mark) == 1
    assert not desk.stories()[RECORD].unpublished_changes


def test_a_page_whose_move_was_declined_is_published_where_it_is_and_stays(
    stage: Stage,
) -> None:
    """Also by the next import: no editor changed it, and a rollback removes it."""
    desk = publishing(stage)
    desk.done("import")
    own = desk.stories()[RECORD].story_id
    desk.decide_edit(RECORD, "slug", "theirs")
    for name in ("Record two", "Record ii"):

        def change(item: Item, name: str = name) -> Item:
            if item["fieldData"]["name"] in ("Record 2", "Record two"):
                item["fieldData"] |= {"name": name, "slug": "second"}
            return item

        edit_items(desk, change)
        desk.done("import")
        there = desk.stories()[RECORD]
        found = there.story_id, there.name, there.unpublished_changes
        assert found == (own, name, False)
    assert desk.done("rollback", "--plan", "--json").document["left"] == []
