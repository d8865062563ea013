"""Stories of somebody else at our places: a person decides, nothing is altered."""

from __future__ import annotations

import pytest

from tests.support.steps.desk import Desk, Stage
from tests.support.steps.origin_edits import Item, delete_item, edit_items, put_back

RECORD = "records/record-2"
THEIRS = {"component": "page", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}


def occupied(stage: Stage) -> Desk:
    """Return a desk whose space has a story of somebody else at a place of ours."""
    desk = stage(demo_space=True)
    folder = {"name": "Records", "slug": "records", "is_folder": True}
    number = desk.api("POST", "/stories", {"story": folder})["story"]["id"]
    story = {"name": "Theirs", "slug": "record-2", "parent_id": number}
    desk.api("POST", "/stories", {"story": {**story, "content": THEIRS}})
    return desk


def untouched(desk: Desk) -> None:
    """Insist that their story is as they left it."""
    story = desk.stories()[RECORD]
    assert (story.name, story.content) == ("Theirs", THEIRS)


def test_an_undecided_conflict_fails_its_item_only(stage: Stage) -> None:
    """The plan shows it, the import lists it and makes the others."""
    desk = occupied(stage)
    planned = desk.plan()
    assert [each["full_slug"] for each in planned["conflicts"]] == [RECORD]
    assert planned["conflicts"][0]["decided"] is None
    assert (planned["items"]["failed"], planned["calls"]["create_stories"]) == (1, 5)
    assert {each["cause"] for each in planned["dangling"]} == {"target_failed"}
    number = desk.mark()
    assert desk.run("import").code == 1
    assert desk.outcome(RECORD)[:2] == ("failed", "conflict")
    assert desk.count("create story", number) == 5
    assert desk.count("update story", number) == planned["calls"]["update_stories"]
    untouched(desk)


def test_skip_leaves_it_and_imports_nothing_in_its_place(stage: Stage) -> None:
    """A decided skip is no failure: exit 0, with its reason."""
    desk = occupied(stage)
    desk.decide_conflict(RECORD, "skip")
    desk.done("import")
    assert desk.outcome(RECORD)[:2] == ("skipped", "conflict_skipped")
    untouched(desk)
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


def test_reuse_takes_it_as_the_home_without_writing_to_it(stage: Stage) -> None:
    """References lead to their story, and its content stays theirs."""
    desk = occupied(stage)
    desk.decide_conflict(RECORD, "reuse")
    planned = desk.plan()
    assert planned["items"] == {
        "in": 6,
        "to_create": 5,
        "already_there": 1,
        "skipped": 0,
        "failed": 0,
        "gone": 0,
    }
    number = desk.mark()
    desk.done("import", "--plan", planned["hash"])
    assert desk.count("update story", number) == planned["calls"]["update_stories"] == 5
    assert desk.outcome(RECORD)[0] == "reused"
    theirs = desk.stories()[RECORD].uuid
    assert desk.stories()["records/record-1"].content["next"] == theirs
    assert desk.status()["accounting"]["reused"] == 1
    untouched(desk)
    desk.done("verify")
    assert desk.plan()["hash"] == planned["hash"]


def test_rename_imports_ours_under_another_slug(stage: Stage) -> None:
    """Both stories exist, ours under the slug that was decided."""
    desk = occupied(stage)
    desk.decide_conflict(RECORD, "rename", "record-2-imported")
    desk.done("import")
    ours = desk.stories()["records/record-2-imported"]
    assert desk.stories()["records/record-1"].content["next"] == ours.uuid
    assert desk.status()["accounting"]["created"] == 6
    untouched(desk)
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0


@pytest.mark.parametrize("action", ["skip", "reuse", "rename"])
def test_a_decision_about_a_conflict_moves_the_plan(stage: Stage, action: str) -> None:
    """A plan shown before the decision does not hold after it."""
    desk = occupied(stage)
    shown = desk.plan()["hash"]
    desk.decide_conflict(RECORD, action, "elsewhere")
    ended = desk.run("import", "--plan", shown)
    assert (ended.code, "conflicts.yaml" in ended.err) == (1, True)
    assert list(desk.stories()) == ["home", RECORD]


def test_a_place_taken_during_the_run_is_a_conflict_too(stage: Stage) -> None:
    """The service refuses the slug; what stands there was looked at and is not ours."""
    desk = stage(demo_space=True)
    desk.done("prepare")
    folder = next(
        each.story_id for each in desk.space.stories.values() if each.is_folder
    )
    taken = {"name": "Theirs", "slug": "record-2", "parent_id": folder}
    desk.api("POST", "/stories", {"story": {**taken, "content": THEIRS}})
    assert desk.run("create").code == 1
    assert desk.outcome(RECORD)[:2] == ("failed", "conflict")
    untouched(desk)


def test_the_place_of_a_story_that_moves_is_free_for_the_next_import(
    stage: Stage,
) -> None:
    """A new item has the slug that another one had: the reason names that, and nothing
    is put in the way."""
    desk = stage()
    new = delete_item(desk, "record-2")
    desk.done("import")
    put_back(desk, new)
    slugs = {"record-1": "record-9", "record-2": "record-1"}

    def rename(item: Item) -> Item:
        slug = slugs.get(item["fieldData"]["slug"], item["fieldData"]["slug"])
        return item | {"fieldData": item["fieldData"] | {"slug": slug}}

    edit_items(desk, rename)
    desk.decide_edit("records/record-1", "slug", "ours")
    assert desk.run("import").code == 1
    assert desk.outcome("records/record-1")[:2] == ("failed", "conflict")
    (failed,) = desk.status()["failed"]
    assert "is still the story of another item" in failed["explanation"]
    assert "records/record-9" in desk.stories()
    desk.done("import")
    assert "records/record-1" in desk.stories()
    desk.verified()
