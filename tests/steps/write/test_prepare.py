"""What stories stand on: components, folders, assets; ours and those of others."""

from __future__ import annotations

import pytest

from tests.support.steps.staged_project import Stage, StagedProject


def component(project: StagedProject, name: str) -> dict:
    """Return a component as it stands in the space."""
    (found,) = [
        each for each in project.space.components.values() if each["name"] == name
    ]
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
    project = stage()
    project.api("POST", "/components", {"component": body})
    before = component(project, "record")
    planned = project.plan()
    project.done("import", "--plan", planned["hash"])
    assert component(project, "record") == before
    assert project.count("update component") == 0
    made = project.rows(
        "SELECT made FROM made WHERE kind = 'component' AND name = 'record'"
    )
    assert made == [(0,)]
    assert project.plan()["hash"] == planned["hash"], "what was reused is no drift"
    project.verified()


def test_a_different_component_of_somebody_else_is_refused_by_name(
    stage: Stage,
) -> None:
    """Nothing is written, and the sentence says which one and what to do."""
    body = copied(stage, "record")
    body["schema"] = {"text": {"type": "text", "pos": 0}}
    project = stage()
    project.api("POST", "/components", {"component": body})
    before, number = component(project, "record"), project.mark()
    ended = project.run("import")
    assert ended.code == 1
    assert "`record`" in ended.err
    assert "design.yaml" in ended.err
    assert component(project, "record") == before
    assert project.stories() == {}
    assert project.count("create story", number) == 0
    assert project.rows("SELECT 1 FROM made WHERE name = 'record'") == []


def test_a_reused_component_that_changes_later_stops_the_next_run(
    stage: Stage,
) -> None:
    """Somebody else's component is compared again at every run."""
    body = copied(stage, "record")
    project = stage()
    project.api("POST", "/components", {"component": body})
    project.done("import")
    changed = {**body, "schema": {"text": {"type": "text", "pos": 0}}}
    number = component(project, "record")["id"]
    project.api("PUT", f"/components/{number}", {"component": changed})
    ended = project.run("import")
    assert (ended.code, "`record`" in ended.err) == (1, True)


def test_a_component_of_ours_follows_the_design(stage: Stage) -> None:
    """What this import made it may change, and the plan says so."""
    project = stage()
    project.done("prepare")
    project.decide("design.yaml", "display_name: Cover", "display_name: The cover")
    assert project.plan()["calls"]["update_components"] == 1
    project.done("prepare")
    assert project.count("update component") == 1
    assert (
        component(project, "record")["schema"]["cover"]["display_name"] == "The cover"
    )


def test_a_field_that_the_space_lacks_stops_the_import_before_the_first_story(
    stage: Stage,
) -> None:
    """The components are read back: a missing field key is named."""
    body = copied(stage, "record")
    del body["schema"]["cover"]
    project = stage()
    project.api("POST", "/components", {"component": body})
    project.decide_conflict("record", "reuse", kind="component")
    ended = project.run("import")
    assert ended.code == 1
    assert "field `cover` of component `record`" in ended.err
    assert project.stories() == {}


def test_a_folder_of_somebody_else_is_used_as_it_is(stage: Stage) -> None:
    """The folder stays theirs, and its stories are ours."""
    project = stage()
    body = {"name": "Theirs", "slug": "records", "is_folder": True}
    project.api("POST", "/stories", {"story": body})
    planned = project.plan()
    assert "create_folders" not in planned["calls"]
    project.done("import", "--plan", planned["hash"])
    assert project.folders() == ["records"]
    assert project.rows("SELECT made FROM made WHERE kind = 'folder'") == [(0,)]
    assert [each.name for each in project.space.stories.values() if each.is_folder] == [
        "Theirs"
    ]
    assert project.plan()["hash"] == planned["hash"]
    project.verified()


def test_a_story_in_the_place_of_a_folder_is_named(stage: Stage) -> None:
    """A person has to move it; nothing of theirs is touched."""
    project = stage(demo_space=True)
    content = {"component": "page", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}
    body = {"name": "Records", "slug": "records", "content": content}
    project.api("POST", "/stories", {"story": body})
    ended = project.run("import")
    assert (ended.code, "`records`" in ended.err) == (1, True)
    assert project.stories()["records"].name == "Records"


@pytest.mark.parametrize("finish", [False, True])
def test_files_are_uploaded_once_and_finished_only_when_asked(
    stage: Stage, finish: bool
) -> None:
    """The finish call costs quota, so that it is a setting and in the plan."""
    project = stage(settings=f"finish_uploads = {str(finish).lower()}")
    planned = project.plan()["calls"]
    project.done("prepare")
    project.done("prepare")
    assert project.count("sign upload") == project.count("upload") == 4
    expected = 4 if finish else 0
    assert (
        project.count("finish upload") == planned.get("finish_uploads", 0) == expected
    )


def test_a_proof_that_came_late_is_finished_too(stage: Stage) -> None:
    """A file found at its address by a rerun gets its finish call all the same."""
    project = stage(settings="finish_uploads = true")
    project.done("prepare")
    project.doctor("UPDATE asset SET status = 'signed'")
    planned, number = project.plan()["calls"], project.mark()
    project.done("prepare")
    assert project.count("sign upload", number) == planned["sign_uploads"] == 0
    assert project.count("finish upload", number) == planned["finish_uploads"] == 4
