"""Folders that people rename and move, and that the design names anew."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.staged_project import Stage, StagedProject


def rename_there(project: StagedProject, name: str) -> None:
    (folder,) = [each for each in project.space.stories.values() if each.is_folder]
    body = {"name": name, "slug": folder.body["slug"], "is_folder": True}
    project.api("PUT", f"/stories/{folder.story_id}", {"story": body})


def name_there(project: StagedProject) -> str:
    (folder,) = [each for each in project.space.stories.values() if each.is_folder]
    return str(folder.body["name"])


@pytest.mark.parametrize(
    ("ours", "theirs", "ends", "code"),
    [
        ("Ours", "", "Ours", 0),
        ("", "Theirs", "Theirs", 0),
        ("Alike", "Alike", "Alike", 0),
        ("Ours", "Theirs", "Theirs", 1),
    ],
    ids=["ours", "theirs", "alike", "otherwise"],
)
def test_a_folders_name_on_both_sides(
    stage: Stage, ours: str, theirs: str, ends: str, code: int
) -> None:
    """Ours alone is written, theirs alone stays; both otherwise waits."""
    project = stage()
    project.done("import")
    if theirs:
        rename_there(project, theirs)
    if ours:
        project.decide("design.yaml", "folder_name: Records", f"folder_name: {ours}")
    plan, mark = project.plan(), project.mark()
    ended = project.run("import")
    assert (ended.code, name_there(project)) == (code, ends)
    assert project.count("update story", mark) == plan["calls"].get("rename_folders", 0)
    if code:
        (conflict,) = plan["edit_conflicts"]
        assert (conflict["kind"], conflict["field"]) == ("folder", "name")
        project.decide_edit(
            "records", "name", "ours", str(conflict["seen"]), kind="folder"
        )
        project.done("import")
        assert name_there(project) == ours
    assert project.done("import", "--json").document["writes"] == 0


def test_a_moved_folder_is_the_same_folder(stage: Stage) -> None:
    """Nothing is made a second time; what comes new goes where the folder is."""
    project = stage()
    project.done("import")
    body = {"name": "Archive", "slug": "archive", "is_folder": True}
    above = project.api("POST", "/stories", {"story": body})["story"]
    (folder,) = [
        each
        for each in project.space.stories.values()
        if each.is_folder and each.story_id != above["id"]
    ]
    moved = {**folder.body, "parent_id": above["id"]}
    project.api("PUT", f"/stories/{folder.story_id}", {"story": moved})
    assert project.done("import", "--json").document["writes"] == 0
    assert project.folders() == ["archive", "archive/records"]
    project.delete("archive/records/record-1")
    project.done("import", "--recreate")
    assert "archive/records/record-1" in project.stories()


def root_there(project: StagedProject) -> object:
    (folder,) = [each for each in project.space.stories.values() if each.is_folder]
    return folder.body["default_root"]


def test_a_folder_gets_the_component_that_the_design_has(stage: Stage) -> None:
    """Named in the plan; what an editor chose stays, and waits where both changed."""
    project = stage()
    project.done("import")
    project.decide("design.yaml", "component: record\n", "component: entry\n")
    plan = project.plan()
    named = [each for each in plan["schema_changes"] if each["kind"] == "folder"]
    assert [(each["field"], each["base"], each["ours"]) for each in named] == [
        ("default_root", "record", "entry")
    ]
    assert plan["calls"]["update_folders"] == plan["calls"]["compare_folders"] == 1
    project.done("import")
    assert root_there(project) == "entry"
    assert project.run("verify").code == 0
    (folder,) = [each for each in project.space.stories.values() if each.is_folder]
    chosen = {**folder.body, "default_root": "figure"}
    project.api("PUT", f"/stories/{folder.story_id}", {"story": chosen})
    assert project.done("import", "--json").document["writes"] == 0
    project.decide("design.yaml", "component: entry\n", "component: post\n")
    (conflict,) = project.plan()["edit_conflicts"]
    assert (conflict["what"], conflict["field"]) == ("records", "default_root")
    assert project.run("import").code == 1
    assert root_there(project) == "figure"


class Meanwhile:
    """Does something once, before a story or folder is read alone."""

    do: Callable[[], None] | None = None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if self.do and call.method == "GET" and re.search(r"/stories/\d+$", call.path):
            done, self.do = self.do, None
            done()
        return await answer(call)


def test_a_folder_that_is_renamed_while_an_import_runs_stays(stage: Stage) -> None:
    """It is read and compared again right before the write."""
    renaming = Meanwhile()
    project = stage(renaming)
    project.done("import")
    project.decide("design.yaml", "folder_name: Records", "folder_name: Ours")

    def rename() -> None:
        (folder,) = [each for each in project.space.stories.values() if each.is_folder]
        folder.body["name"] = "Theirs"

    renaming.do = rename
    assert project.run("import").code == 1
    assert name_there(project) == "Theirs"
    assert project.open_intents() == []
