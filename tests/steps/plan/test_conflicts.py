"""Stories of somebody else at our places: a person decides, nothing is altered."""

from __future__ import annotations

import pytest

from tests.support.steps.origin_edits import Item, delete_item, edit_items, put_back
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"
THEIRS = {"component": "page", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}


def occupied(stage: Stage) -> StagedProject:
    """Return a project whose space has a story of somebody else at a place of ours."""
    project = stage(demo_space=True)
    folder = {"name": "Records", "slug": "records", "is_folder": True}
    number = project.api("POST", "/stories", {"story": folder})["story"]["id"]
    story = {"name": "Theirs", "slug": "record-2", "parent_id": number}
    project.api("POST", "/stories", {"story": {**story, "content": THEIRS}})
    return project


def untouched(project: StagedProject) -> None:
    """Insist that their story is as they left it."""
    story = project.stories()[RECORD]
    assert (story.name, story.content) == ("Theirs", THEIRS)


def test_an_undecided_conflict_fails_its_item_only(stage: Stage) -> None:
    """The plan shows it, the import lists it and makes the others."""
    project = occupied(stage)
    planned = project.plan()
    assert [each["full_slug"] for each in planned["conflicts"]] == [RECORD]
    assert planned["conflicts"][0]["decided"] is None
    assert (planned["items"]["failed"], planned["calls"]["create_stories"]) == (1, 5)
    assert {each["cause"] for each in planned["dangling"]} == {"target_failed"}
    number = project.mark()
    assert project.run("import").code == 1
    assert project.outcome(RECORD)[:2] == ("failed", "conflict")
    assert project.count("create story", number) == 5
    assert project.count("update story", number) == planned["calls"]["update_stories"]
    untouched(project)


def test_skip_leaves_it_and_imports_nothing_in_its_place(stage: Stage) -> None:
    """A decided skip is no failure: exit 0, with its reason."""
    project = occupied(stage)
    project.decide_conflict(RECORD, "skip")
    project.done("import")
    assert project.outcome(RECORD)[:2] == ("skipped", "conflict_skipped")
    untouched(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_reuse_takes_it_as_the_home_without_writing_to_it(stage: Stage) -> None:
    """References lead to their story, and its content stays theirs."""
    project = occupied(stage)
    project.decide_conflict(RECORD, "reuse")
    planned = project.plan()
    assert planned["items"] == {
        "in": 6,
        "to_create": 5,
        "already_there": 1,
        "skipped": 0,
        "failed": 0,
        "gone": 0,
    }
    number = project.mark()
    project.done("import", "--plan", planned["hash"])
    assert (
        project.count("update story", number) == planned["calls"]["update_stories"] == 5
    )
    assert project.outcome(RECORD)[0] == "reused"
    theirs = project.stories()[RECORD].uuid
    assert project.stories()["records/record-1"].content["next"] == theirs
    assert project.status()["accounting"]["reused"] == 1
    untouched(project)
    project.done("verify")
    assert project.plan()["hash"] == planned["hash"]


def test_rename_imports_ours_under_another_slug(stage: Stage) -> None:
    """Both stories exist, ours under the slug that was decided."""
    project = occupied(stage)
    project.decide_conflict(RECORD, "rename", "record-2-imported")
    project.done("import")
    ours = project.stories()["records/record-2-imported"]
    assert project.stories()["records/record-1"].content["next"] == ours.uuid
    assert project.status()["accounting"]["created"] == 6
    untouched(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


@pytest.mark.parametrize("action", ["skip", "reuse", "rename"])
def test_a_decision_about_a_conflict_moves_the_plan(stage: Stage, action: str) -> None:
    """A plan shown before the decision does not hold after it."""
    project = occupied(stage)
    shown = project.plan()["hash"]
    project.decide_conflict(RECORD, action, "elsewhere")
    ended = project.run("import", "--plan", shown)
    assert (ended.code, "conflicts.yaml" in ended.err) == (1, True)
    assert list(project.stories()) == ["home", RECORD]


def test_a_place_taken_during_the_run_is_a_conflict_too(stage: Stage) -> None:
    """The service refuses the slug; what stands there was looked at and is not ours."""
    project = stage(demo_space=True)
    project.done("prepare")
    folder = next(
        each.story_id for each in project.space.stories.values() if each.is_folder
    )
    taken = {"name": "Theirs", "slug": "record-2", "parent_id": folder}
    project.api("POST", "/stories", {"story": {**taken, "content": THEIRS}})
    assert project.run("create").code == 1
    assert project.outcome(RECORD)[:2] == ("failed", "conflict")
    untouched(project)


def test_the_place_of_a_story_that_moves_is_free_for_the_next_import(
    stage: Stage,
) -> None:
    """A new item has the slug that another one had: the reason names that, and nothing
    is put in the way."""
    project = stage()
    new = delete_item(project, "record-2")
    project.done("import")
    put_back(project, new)
    slugs = {"record-1": "record-9", "record-2": "record-1"}

    def rename(item: Item) -> Item:
        slug = slugs.get(item["fieldData"]["slug"], item["fieldData"]["slug"])
        return item | {"fieldData": item["fieldData"] | {"slug": slug}}

    edit_items(project, rename)
    project.decide_edit("records/record-1", "slug", "ours")
    assert project.run("import").code == 1
    assert project.outcome("records/record-1")[:2] == ("failed", "conflict")
    (failed,) = project.status()["failed"]
    assert "is still the story of another item" in failed["explanation"]
    assert "records/record-9" in project.stories()
    project.done("import")
    assert "records/record-1" in project.stories()
    project.verified()
