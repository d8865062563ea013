"""What stories stand on: components, folders, assets; ours and those of others."""

from __future__ import annotations

import pytest

from tests.support.steps.desk import Desk, Stage


def component(desk: Desk, name: str) -> dict:
    """Return a component as it stands in the space."""
    (found,) = [each for each in desk.space.components.values() if each["name"] == name]
    return dict(found)


def copied(stage: Stage, name: str) -> dict:
    """Return the body of a component that an import makes."""
    maker = stage()
    maker.done("prepare")
    shown = component(maker, name)
    return {
        key: shown[key]
        for key in ("name", "display_name", "is_root", "is_nestable", "schema")
        if key in shown
    }


def test_an_equal_component_of_somebody_else_is_reused_and_never_altered(
    stage: Stage,
) -> None:
    """It stays byte for byte, and the ledger knows that it is not ours."""
    body = copied(stage, "record")
    body["display_name"] = "A name of their own"
    desk = stage()
    desk.api("POST", "/components", {"component": body})
    before = component(desk, "record")
    planned = desk.plan()
    desk.done("import", "--plan", planned["hash"])
    assert component(desk, "record") == before
    assert desk.count("update component") == 0
    made = desk.rows(
        "SELECT made FROM made WHERE kind = 'component' AND name = 'record'"
    )
    assert made == [(0,)]
    assert desk.plan()["hash"] == planned["hash"], "what was reused is no drift"
    desk.verified()


def test_a_different_component_of_somebody_else_is_refused_by_name(
    stage: Stage,
) -> None:
    """Nothing is written, and the sentence says which one and what to do."""
    body = copied(stage, "record")
    body["schema"] = {"text": {"type": "text", "pos": 0}}
    desk = stage()
    desk.api("POST", "/components", {"component": body})
    before, number = component(desk, "record"), desk.mark()
    ended = desk.run("import")
    assert ended.code == 1
    assert "`record`" in ended.err
    assert "design.yaml" in ended.err
    assert component(desk, "record") == before
    assert desk.stories() == {}
    assert desk.count("create story", number) == 0
    assert desk.rows("SELECT 1 FROM made WHERE name = 'record'") == []


def test_a_reused_component_that_changes_later_stops_the_next_run(
    stage: Stage,
) -> None:
    """Somebody else's component is compared again at every run."""
    body = copied(stage, "record")
    desk = stage()
    desk.api("POST", "/components", {"component": body})
    desk.done("import")
    changed = {**body, "schema": {"text": {"type": "text", "pos": 0}}}
    number = component(desk, "record")["id"]
    desk.api("PUT", f"/components/{number}", {"component": changed})
    ended = desk.run("import")
    assert (ended.code, "`record`" in ended.err) == (1, True)


def test_a_component_of_ours_follows_the_design(stage: Stage) -> None:
    """What this import made it may change, and the plan says so."""
    desk = stage()
    desk.done("prepare")
    desk.decide("design.yaml", "display_name: Cover", "display_name: The cover")
    assert desk.plan()["calls"]["update_components"] == 1
    desk.done("prepare")
    assert desk.count("update component") == 1
    assert component(desk, "record")["schema"]["cover"]["display_name"] == "The cover"


def test_a_field_that_the_space_lacks_stops_the_import_before_the_first_story(
    stage: Stage,
) -> None:
    """The components are read back: a missing field key is named."""
    body = copied(stage, "record")
    del body["schema"]["cover"]
    desk = stage()
    desk.api("POST", "/components", {"component": body})
    desk.decide_conflict("record", "reuse", kind="component")
    ended = desk.run("import")
    assert ended.code == 1
    assert "field `cover` of component `record`" in ended.err
    assert desk.stories() == {}


def test_a_folder_of_somebody_else_is_used_as_it_is(stage: Stage) -> None:
    """The folder stays theirs, and its stories are ours."""
    desk = stage()
    body = {"name": "Theirs", "slug": "records", "is_folder": True}
    desk.api("POST", "/stories", {"story": body})
    planned = desk.plan()
    assert "create_folders" not in planned["calls"]
    desk.done("import", "--plan", planned["hash"])
    assert desk.folders() == ["records"]
    assert desk.rows("SELECT made FROM made WHERE kind = 'folder'") == [(0,)]
    assert [each.name for each in desk.space.stories.values() if each.is_folder] == [
        "Theirs"
    ]
    assert desk.plan()["hash"] == planned["hash"]
    desk.verified()


def test_a_story_in_the_place_of_a_folder_is_named(stage: Stage) -> None:
    """A person has to move it; nothing of theirs is touched."""
    desk = stage(demo_space=True)
    content = {"component": "page", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}
    body = {"name": "Records", "slug": "records", "content": content}
    desk.api("POST", "/stories", {"story": body})
    ended = desk.run("import")
    assert (ended.code, "`records`" in ended.err) == (1, True)
    assert desk.stories()["records"].name == "Records"


@pytest.mark.parametrize("finish", [False, True])
def test_files_are_uploaded_once_and_finished_only_when_asked(
    stage: Stage, finish: bool
) -> None:
    """The finish call costs quota, so that it is a setting and in the plan."""
    desk = stage(settings=f"finish_uploads = {str(finish).lower()}")
    planned = desk.plan()["calls"]
    desk.done("prepare")
    desk.done("prepare")
    assert desk.count("sign upload") == desk.count("upload") == 4
    expected = 4 if finish else 0
    assert desk.count("finish upload") == planned.get("finish_uploads", 0) == expected


def test_a_proof_that_came_late_is_finished_too(stage: Stage) -> None:
    """A file found at its address by a rerun gets its finish call all the same."""
    desk = stage(settings="finish_uploads = true")
    desk.done("prepare")
    desk.doctor("UPDATE asset SET status = 'signed'")
    planned, number = desk.plan()["calls"], desk.mark()
    desk.done("prepare")
    assert desk.count("sign upload", number) == planned["sign_uploads"] == 0
    assert desk.count("finish upload", number) == planned["finish_uploads"] == 4
