"""A plan that no longer fits is refused, and each thing that moved is named."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.steps.staged_project import Stage, StagedProject

_FOREIGN = {"component": "page", "_uid": "5f4dcc3b-5aa7-45d6-9d83-27deb882cf99"}


def an_item_of_the_origin_changes(project: StagedProject) -> str:
    (path,) = (project.folder / "raw" / "items").glob("*.json")
    path.write_text(path.read_text().replace('"Record 3"', '"Record three"'))
    return f"origin: items/{path.name} changed"


def a_live_item_changes(project: StagedProject) -> str:
    (path,) = (project.folder / "raw" / "live").glob("*.json")
    path.write_text(path.read_text().replace('"Record 3"', '"Record three"'))
    return f"origin: live/{path.name} changed"


def a_schema_changes(project: StagedProject) -> str:
    (path,) = (project.folder / "raw" / "collections").glob("*.json")
    text = path.read_text()
    path.write_text(text.replace('"Cover"', '"Front"'))
    return f"origin: collections/{path.name} changed"


def a_downloaded_file_changes(project: StagedProject) -> str:
    path = project.folder / "raw" / "files.json"
    body = json.loads(path.read_text())
    digest = body["files"][0]["sha256"]
    (project.folder / "files" / ("0" * 64)).write_bytes(b"other bytes")
    path.write_text(path.read_text().replace(digest, "0" * 64))
    return "origin: files changed"


def a_domain_of_the_site_changes(project: StagedProject) -> str:
    path = project.folder / "raw" / "sites.json"
    body = json.loads(path.read_text())
    body["sites"][0]["customDomains"] = [{"id": "1", "url": "www.example.org"}]
    path.write_text(json.dumps(body))
    return "origin: site changed"


def the_design_changes(project: StagedProject) -> str:
    project.decide("design.yaml", "display_name: Cover", "display_name: Front")
    return "decisions: design.yaml changed"


def the_collections_change(project: StagedProject) -> str:
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    return "decisions: collections.yaml changed"


def the_embeds_change(project: StagedProject) -> str:
    path = project.folder / "decisions" / "embeds.yaml"
    lines = path.read_text().splitlines()
    index = next(i for i, line in enumerate(lines) if line.endswith(": html"))
    lines[index] = lines[index].replace(": html", ": drop")
    path.write_text("\n".join(lines) + "\n")
    return "decisions: embeds.yaml changed"


def a_setting_that_changes_the_calls_changes(project: StagedProject) -> str:
    with (project.folder / "cmsmig.toml").open("a") as file:
        file.write("\nfinish_uploads = true\n")
    return "decisions: settings changed"


def a_story_appears(project: StagedProject) -> str:
    story = {"name": "News", "slug": "news", "content": _FOREIGN}
    project.api("POST", "/stories", {"story": story})
    return "destination: story news is new"


def a_folder_appears(project: StagedProject) -> str:
    folder = {"name": "Records", "slug": "records", "is_folder": True}
    project.api("POST", "/stories", {"story": folder})
    return "destination: story records is new"


def a_story_is_edited(project: StagedProject) -> str:
    project.edit("home", headline="by hand")
    return "destination: story home changed"


def a_story_goes(project: StagedProject) -> str:
    project.delete("home")
    return "destination: story home is gone"


def a_component_of_our_name_appears(project: StagedProject) -> str:
    body = {"name": "record", "is_root": True, "schema": {"a": {"type": "text"}}}
    project.api("POST", "/components", {"component": body})
    return "destination: component record is new"


@pytest.mark.parametrize(
    "move",
    [
        an_item_of_the_origin_changes,
        a_live_item_changes,
        a_schema_changes,
        a_downloaded_file_changes,
        a_domain_of_the_site_changes,
        the_design_changes,
        the_collections_change,
        the_embeds_change,
        a_setting_that_changes_the_calls_changes,
        a_story_appears,
        a_folder_appears,
        a_story_is_edited,
        a_story_goes,
        a_component_of_our_name_appears,
    ],
)
def test_what_moved_is_named_and_nothing_is_written(
    stage: Stage, move: Callable[[StagedProject], str]
) -> None:
    """Exit 1, the part and the thing on standard error, no request but reads."""
    project = stage(demo_space=True)
    shown = project.plan()["hash"]
    phrase = move(project)
    number = project.mark()
    ended = project.run("import", "--plan", shown)
    assert ended.code == 1
    assert phrase in ended.err
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.rows("SELECT count(*) FROM item") == [(0,)]


def test_a_component_that_nothing_needs_is_no_drift(stage: Stage) -> None:
    """Only components of the names that the design uses count."""
    project = stage()
    shown = project.plan()["hash"]
    body = {"name": "teaser", "is_root": False, "schema": {"a": {"type": "text"}}}
    project.api("POST", "/components", {"component": body})
    assert project.plan()["hash"] == shown


def test_an_edit_of_a_story_of_ours_is_drift(stage: Stage) -> None:
    """After an interrupted import: what somebody edited or deleted since is named."""
    project = stage()
    shown = project.plan()["hash"]
    project.done("prepare")
    project.done("create")
    project.edit("records/record-2", position="4711")
    project.delete("records/record-3")
    ended = project.run("import", "--plan", shown)
    assert ended.code == 1
    assert "destination: story records/record-2 was edited" in ended.err
    assert "destination: story records/record-3 is gone" in ended.err


def test_drift_names_the_items(stage: Stage) -> None:
    """By path and key, however many are in the file that changed."""
    project = stage()
    shown = project.plan()["hash"]
    an_item_of_the_origin_changes(project)
    told = project.run("import", "--plan", shown).err
    assert "item records/record-3 (" in told
    assert "records/record-2" not in told


def test_a_plan_that_merges_an_edit_is_resumed_with_its_hash(stage: Stage) -> None:
    """Our own write over the merged edit is no drift of the plan that asked for it."""
    project = stage()
    project.done("import")
    project.edit("records/record-3", position="4711")
    an_item_of_the_origin_changes(project)
    shown = project.plan()["hash"]
    project.done("import", "--plan", shown)
    project.done("import", "--plan", shown)
    there = project.stories()["records/record-3"]
    assert (there.name, there.content["position"]) == ("Record three", "4711")


def test_an_unknown_plan_is_a_wrong_usage(stage: Stage) -> None:
    """A hash that was never shown here is refused with exit code 2."""
    project = stage()
    assert project.run("import", "--plan", "0" * 16).code == 2
