"""Replies that get lost: everything is made once, and seen to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.steps.faults import (
    APPLIED,
    CREATE_COMPONENT,
    CREATE_STORY,
    CUT,
    EMPTY,
    ERROR,
    GARBAGE,
    REFUSED,
    SIGN,
    UNSENT,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)

_LOST = (*APPLIED, UNSENT)


def imported(project: StagedProject) -> None:
    """Import and insist that everything is there once and verified."""
    ended = project.done("import")
    exactly_one_of_everything(project)
    project.verified()
    assert "created 6 + reused 0 + skipped 0 + failed 0" in ended.out


@pytest.mark.parametrize("mode", _LOST)
def test_one_story_when_the_reply_to_its_create_is_lost(
    stage: Stage, mode: str
) -> None:
    """A create whose reply is lost is looked up, and sent again only if absent."""
    fault = Fault(CREATE_STORY, mode, at=(3, 5), item='"record')
    project = stage(fault)
    imported(project)
    assert fault.hits == 2
    assert len(project.stories()) == 6


@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_one_folder_when_the_reply_to_its_create_is_lost(
    stage: Stage, mode: str
) -> None:
    """The first story request is the folder's; it exists once all the same."""
    fault = Fault(CREATE_STORY, mode)
    project = stage(fault)
    imported(project)
    assert (fault.hits, project.folders()) == (1, ["records"])
    made = project.rows("SELECT name, made FROM made WHERE kind = 'folder'")
    assert made == [("records", 1)]


@pytest.mark.parametrize("mode", [ERROR, UNSENT])
def test_one_component_when_the_reply_to_its_create_is_lost(
    stage: Stage, mode: str
) -> None:
    """A component whose reply is lost is found by its name."""
    fault = Fault(CREATE_COMPONENT, mode)
    project = stage(fault)
    imported(project)
    assert fault.hits == 1
    assert len(project.components()) == len(set(project.components()))
    assert {row[0] for row in project.rows("SELECT made FROM made")} == {1}


@pytest.mark.parametrize("mode", [ERROR, GARBAGE, UNSENT])
def test_one_asset_when_the_reply_to_its_signing_is_lost(
    stage: Stage, mode: str
) -> None:
    """The asset that a lost reply left without bytes is signed again on its id."""
    fault = Fault(SIGN, mode, at=(1, 3))
    project = stage(fault)
    imported(project)
    assert fault.hits == 2
    assert len(project.space.assets) == 4


@pytest.mark.parametrize("mode", [CUT, EMPTY, UNSENT])
def test_an_update_whose_reply_is_lost_is_settled_by_reading(
    stage: Stage, mode: str
) -> None:
    """What the story holds decides: only where nothing was applied is it sent again."""
    fault = Fault(UPDATE_STORY, mode, at=(2,))
    project = stage(fault)
    imported(project)
    sent = project.count("update story") + (1 if mode == UNSENT else 0)
    assert (fault.hits, sent) == (1, 7 if mode == UNSENT else 6)
    assert project.count("story") - 6 == 1, "one look, beside the six of verify"


def test_an_edit_between_a_lost_update_and_the_next_try_is_kept(stage: Stage) -> None:
    """A lost update is never repeated over what somebody saved meanwhile."""
    desks: list[StagedProject] = []
    fault = Fault(UPDATE_STORY, UNSENT)
    fault.before = lambda call: _save_behind(desks[0], call.path)
    desks.append(stage(fault))
    desks[0].done("import")
    edited = [
        story
        for story in desks[0].stories().values()
        if story.content["position"] == "4711"
    ]
    assert [bool(story.content["next"]) for story in edited] == [True]


def _save_behind(project: StagedProject, path: str) -> None:
    """Save as an editor would, without a request of one's own."""
    story = project.space.stories[int(path.rpartition("/")[2])]
    story.body = {**story.body, "content": {**story.content, "position": "4711"}}
    story.updated_at = "2027-01-01T00:00:00.000Z"


def test_a_create_that_is_lost_every_time_stays_open_for_the_next_run(
    stage: Stage,
) -> None:
    """One item gives up, the others go on, and the rerun makes it whole."""
    fault = Fault(CREATE_STORY, UNSENT, at=(), item="record-2")
    project = stage(fault)
    assert project.run("import").code == 1
    assert project.outcome("records/record-2")[:2] == ("failed", "not_confirmed")
    assert [kind for kind, _ in project.open_intents()] == ["create"]
    fault.over()
    imported(project)


def test_a_create_that_shows_late_is_adopted_at_the_next_run(stage: Stage) -> None:
    """A story that appears after its item was given up is ours all the same."""
    late = Fault(CREATE_STORY, UNSENT, at=(), item="record-2")
    bodies: list[bytes] = []
    late.before = lambda call: bodies.append(call.body)
    project = stage(late)
    assert project.run("import").code == 1
    late.over()
    number = project.mark()
    project.api("POST", "/stories", json.loads(bodies[0]))
    imported(project)
    assert project.count("create story", number) == 1, "only the one that was late"


def test_a_file_whose_signing_is_lost_every_time_does_not_stop_the_others(
    stage: Stage,
) -> None:
    """It is listed as failed, its asset is kept in mind and used by the rerun."""
    fault = Fault(SIGN, GARBAGE, at=(), item="plate-00001")
    project = stage(fault)
    assert project.run("import").code == 1
    (failed,) = project.status()["failed_assets"]
    assert failed["reason"] == "not_confirmed"
    assert len(project.stories()) == 6
    fault.over()
    assert project.run("import").code == 0
    assert len(project.space.assets) == 4
    exactly_one_of_everything(project)
    project.verified()


def test_an_asset_deleted_before_it_got_its_bytes_is_signed_anew(
    stage: Stage,
) -> None:
    """An id that is no longer there is given up for a new one."""
    fault = Fault(SIGN, ERROR, at=(2,), then_dead=True)
    project = stage(fault)
    assert project.run("import").code == 7
    fault.over()
    for asset in list(project.space.assets):
        project.api("DELETE", f"/assets/{asset}")
    project.doctor("UPDATE asset SET status = 'signed'")
    imported(project)
    assert len(project.space.assets) == 4


def test_a_refused_story_is_listed_and_the_others_are_linked(stage: Stage) -> None:
    """A refusal names the field, is one item's fate and waits for the next run."""
    fault = Fault(CREATE_STORY, REFUSED, at=(), item="record-4")
    project = stage(fault)
    ended = project.run("import")
    assert ended.code == 1
    assert project.outcome("records/record-4")[:2] == ("failed", "refused")
    (failed,) = project.status()["failed"]
    assert "is not to our liking" in failed["explanation"]
    pending = project.rows("SELECT full_slug FROM item WHERE link_state = 'pending'")
    assert pending, "who refers to it waits"
    fault.over()
    imported(project)
    assert project.rows("SELECT 1 FROM item WHERE link_state = 'pending'") == []


def test_an_update_refused_once_gets_its_status_back(stage: Stage) -> None:
    """An item that failed in phase two and is fine at the next run is created again."""
    fault = Fault(UPDATE_STORY, REFUSED, at=(2,))
    project = stage(fault)
    assert project.run("import").code == 1
    ((status, reason),) = project.rows(
        "SELECT status, reason FROM item WHERE reason > ''"
    )
    assert (status, reason) == ("failed", "refused")
    imported(project)
    assert project.rows("SELECT 1 FROM item WHERE reason > ''") == []


def test_many_replies_lost_still_end_with_everything_once(
    stage: Stage, small_site: Path
) -> None:
    """Every fifth reply of each kind is lost, in two locales and two collections."""
    kinds = (CREATE_STORY, SIGN, UPDATE_STORY)
    faults = [Fault(kind, CUT, at=tuple(range(3, 200, 5))) for kind in kinds]
    project = stage(*faults, content=small_site)
    project.done("import")
    assert all(fault.hits >= 2 for fault in faults)
    exactly_one_of_everything(project)
    project.verified()


def component_there(project: StagedProject, **changes: object) -> dict:
    """Change the component `record` as a developer would."""
    found = project.space.component("record")
    body = {**found, **changes}
    project.api("PUT", f"/components/{found['id']}", {"component": body})
    return body


def killed_while_making_a_component(stage: Stage, mode: str) -> StagedProject:
    fault = Fault(CREATE_COMPONENT, mode, item='"name":"record"', then_dead=True)
    project = stage(fault)
    assert project.run("import").code == 7
    fault.over()
    return project


def test_a_component_that_was_edited_after_a_kill_is_ours(stage: Stage) -> None:
    """Its fields show which create made it; a developer's label stays."""
    project = killed_while_making_a_component(stage, CUT)
    component_there(project, display_name="Theirs")
    assert project.plan()["in_the_way"] == []
    project.done("import")
    assert project.space.component("record")["display_name"] == "Theirs"
    (row,) = project.rows("SELECT made FROM made WHERE name = 'record'")
    assert (row, project.open_intents()) == ((1,), [])
    ended = project.run("rollback", "--json")
    (left,) = ended.document["left"]
    assert (left["what"], left["fields"]) == ("record", ["display_name"])


@pytest.mark.parametrize("other", ["type", "fewer"])
def test_a_component_of_others_after_a_kill_is_theirs(stage: Stage, other: str) -> None:
    """One of our name that lacks a field of ours, or has it with another type."""
    project = killed_while_making_a_component(stage, UNSENT)
    title = {"type": "markdown" if other == "type" else "text", "pos": 0}
    theirs = {"name": "record", "is_root": True, "schema": {"title": title}}
    project.api("POST", "/components", {"component": theirs})
    before = project.space.component("record")
    assert [each["what"] for each in project.plan()["in_the_way"]] == ["record"]
    assert project.run("import").code != 0
    project.run("rollback")
    assert project.space.component("record") == before
