"""Publication: only what was decided, only what is live, never a folder."""

from __future__ import annotations

from pathlib import Path

from cmsmig.sandbox.http.asgi import Call, Middleware, Next, Reply
from tests.support.steps.faults import ERROR, PUBLISH_STORY, REFUSED, Fault
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"


def publishing(stage: Stage, *faults: Fault) -> StagedProject:
    """Return a project whose records are all to be published."""
    project = stage(*faults)
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    return project


def notes_only(stage: Stage, content: Path, *middleware: Middleware) -> StagedProject:
    """Return a project where the notes, and only they, are to be published."""
    project = stage(*middleware, content=content)
    path = project.folder / "decisions" / "collections.yaml"
    notes, mark, spots = path.read_text().partition("- collection: spots")
    notes = notes.replace("publish: nothing", "publish: what_is_live")
    path.write_text(notes + mark + spots)
    return project


def published(project: StagedProject) -> set[str]:
    return {
        slug
        for slug, story in project.stories().items()
        if story.published_content is not None
    }


def test_nothing_is_published_unless_decided(stage: Stage) -> None:
    """Every story stays a draft, and no request could have published one."""
    project = stage()
    project.done("import")
    project.done("publish")
    assert published(project) == set()
    assert project.count("publish story") == 0


def test_no_request_ever_publishes_or_unpublishes_a_folder(
    stage: Stage, small_site: Path
) -> None:
    """The service would publish every draft below it; a rollback needs none either."""
    asked: list[Call] = []

    async def watch(call: Call, answer: Next) -> Reply:
        if "/stories/" in call.path:
            asked.append(call)
        return await answer(call)

    project = notes_only(stage, small_site, watch)
    project.done("import")
    path = project.folder / "decisions" / "collections.yaml"
    path.write_text(
        path.read_text().replace("publish: what_is_live", "publish: nothing")
    )
    project.decide("design.yaml", "folder_name: Notes", "folder_name: Our notes")
    project.done("import")
    folders = {
        str(own) for own, story in project.space.stories.items() if story.is_folder
    }
    assert len(folders) == 5
    project.done("rollback")
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
    project = notes_only(stage, small_site)
    planned = project.plan()["calls"]["publish_stories"]
    project.done("import")
    notes = {slug for slug in project.stories() if "notes/" in slug}
    assert published(project) == notes - {"notes/note-23"}
    assert project.count("publish story") == planned == len(notes) - 1
    for slug in notes - {"notes/note-23"}:
        story = project.stories()[slug]
        assert story.published_content == story.content, "linked before published"
        assert story.unpublished_changes is False
    folders = [each for each in project.space.stories.values() if each.is_folder]
    assert all(each.published_content is None for each in folders)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_what_others_refer_to_is_published_first(stage: Stage) -> None:
    """No page leads to one that is not there yet, however many are under way."""
    project = publishing(stage)
    slugs: dict[str, str] = {}

    def note(item: Item) -> Item:
        slugs[item["id"]] = item["fieldData"]["slug"]
        return item

    def chain(item: Item) -> Item:
        after = [*slugs].index(item["id"]) + 1
        data = {**item["fieldData"], "related": None}
        data["next"] = [*slugs, None][after]
        return {**item, "fieldData": data}

    edit_items(project, note, ("items",))

    edit_items(project, chain)
    mark = project.mark()
    project.done("import")
    order = [each.item for each in project.since(mark) if each.route == "publish story"]
    assert order == [f"records/{each}" for each in reversed(slugs.values())]


def test_a_lost_reply_of_a_publication_is_repeated(stage: Stage) -> None:
    """Publishing twice changes nothing more, and the item is published once it is."""
    fault = Fault(PUBLISH_STORY, ERROR, at=(2,))
    project = publishing(stage, fault)
    project.done("import")
    assert fault.hits == 1
    assert project.open_intents() == []
    project.verified()


def test_a_publication_that_fails_is_tried_again_by_the_next_run(
    stage: Stage,
) -> None:
    """The item is listed as failed, and gets its status back when it is published."""
    fault = Fault(PUBLISH_STORY, REFUSED, at=(3,))
    project = publishing(stage, fault)
    assert project.run("import").code == 1
    (failed,) = project.status()["failed"]
    assert failed["reason"] == "not_published"
    planned = project.plan()["calls"]["publish_stories"]
    assert planned == 1
    project.done("publish")
    assert project.status()["failed"] == []
    project.verified()


def test_a_publication_no_longer_wanted_is_no_failure(stage: Stage) -> None:
    """Decided otherwise after it failed: the item is created, and that is all."""
    fault = Fault(PUBLISH_STORY, REFUSED, at=(3,))
    project = publishing(stage, fault)
    assert project.run("import").code == 1
    project.decide("collections.yaml", "what_is_live\n", "nothing\n")
    project.done("import")
    assert project.status()["failed"] == []


def test_mirror_without_publication_imports_drafts(stage: Stage) -> None:
    """Nothing is published, so nothing can be published wrongly."""
    project = stage()
    project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    project.done("import")
    assert (len(project.stories()), published(project)) == (6, set())
    project.verified()


def test_what_an_editor_unpublished_stays_so_until_decided(stage: Stage) -> None:
    """Written again, not shown again; verification and changes name it."""
    project = stage()
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    story = project.stories()[RECORD]
    project.api("GET", f"/stories/{story.story_id}/unpublish")
    for path in (project.folder / "raw").glob("*/*.json"):
        path.write_text(path.read_text().replace('"Record 2"', '"Record two"'))
    (change,) = project.done("changes", "--json").document["destination"]
    assert (change["field"], change["old"], change["new"]) == ("published", True, False)
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    assert (
        project.count("publish story", mark) == planned.get("publish_stories", 0) == 0
    )
    assert project.stories()[RECORD].name == "Record two"
    assert project.stories()[RECORD].published_content is None
    assert project.codes() == ["not_published"]
    project.decide_edit(RECORD, "published", "ours")
    project.done("import")
    assert project.stories()[RECORD].published_content is not None
    project.verified()


def test_what_is_not_to_be_public_is_taken_back_where_that_is_decided(
    stage: Stage,
) -> None:
    """By one call, as the plan says; the others stay, and nothing is left open."""
    project = stage()
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    before = published(project)
    project.decide("collections.yaml", "publish: what_is_live", "publish: nothing")
    project.decide_edit(RECORD, "published", "ours")
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    assert published(project) == before - {RECORD}
    assert project.count("unpublish story", mark) == planned["unpublish_stories"] == 1
    assert project.open_intents() == []
    assert project.done("import", "--json").document["writes"] == 0


def test_unfinished_edits_are_not_shown_to_visitors(stage: Stage) -> None:
    """An editor at work and the origin on one story: both stand, unpublished."""
    project = stage()
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    project.edit(RECORD, position="4711")
    for path in (project.folder / "raw").glob("*/*.json"):
        path.write_text(path.read_text().replace('"Record 2"', '"Record two"'))
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    assert (
        project.count("publish story", mark) == planned.get("publish_stories", 0) == 0
    )
    there = project.stories()[RECORD]
    assert (there.name, there.content["position"]) == ("Record two", "4711")
    assert "4711" not in str(there.published_content)


def test_what_an_editor_changed_alike_is_published_as_the_plan_says(
    stage: Stage,
) -> None:
    """Nothing is written, and visitors get what both sides have."""
    project = publishing(stage)
    project.done("import")
    story = project.stories()[RECORD]
    body = {"story": {"name": "Record two", "content": story.content}}
    project.api("PUT", f"/stories/{story.story_id}", body)
    for path in (project.folder / "raw").glob("*/*.json"):
        path.write_text(path.read_text().replace('"Record 2"', '"Record two"'))
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    assert (planned["update_stories"], planned["publish_stories"]) == (0, 1)
    assert project.count("publish story", mark) == 1
    assert not project.stories()[RECORD].unpublished_changes


def test_a_page_whose_move_was_declined_is_published_where_it_is_and_stays(
    stage: Stage,
) -> None:
    """Also by the next import: no editor changed it, and a rollback removes it."""
    project = publishing(stage)
    project.done("import")
    own = project.stories()[RECORD].story_id
    project.decide_edit(RECORD, "slug", "theirs")
    for name in ("Record two", "Record ii"):

        def change(item: Item, name: str = name) -> Item:
            if item["fieldData"]["name"] in ("Record 2", "Record two"):
                item["fieldData"] |= {"name": name, "slug": "second"}
            return item

        edit_items(project, change)
        project.done("import")
        there = project.stories()[RECORD]
        found = there.story_id, there.name, there.unpublished_changes
        assert found == (own, name, False)
    assert project.done("rollback", "--plan", "--json").document["left"] == []
