"""What a fault at each single request of an import has shown to matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.sandbox.faults.fault_rules import Fault as Kind
from cmsmig.sandbox.faults.fault_rules import PlannedFault
from tests.support.steps.faults import CUT, Fault
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)

PUBLISH = ("collections.yaml", "    publish: nothing", "    publish: what_is_live")


def inject(project: StagedProject, *plan: PlannedFault) -> None:
    project.rehearsal.handle.state.injector.set(plan)


@pytest.fixture(scope="session")
def whole() -> dict[str, dict]:
    """Hold the spaces that uninterrupted imports leave."""
    return {}


@pytest.mark.parametrize(
    ("kind", "route", "item"),
    [
        (Kind.DROP_BEFORE, "create story", "notes/note-5"),
        (Kind.SILENT, "upload", "spot-1.jpg"),
    ],
)
def test_what_is_filled_after_it_was_published_is_published_again(
    stage: Stage, small_site: Path, whole: dict, kind: Kind, route: str, item: str
) -> None:
    """A story or file that came in a rerun is in what the public sees, too."""
    if not whole:
        calm = stage(content=small_site)
        calm.decide(*PUBLISH)
        calm.done("import")
        whole.update(calm.comparable())
    project = stage(content=small_site)
    project.decide(*PUBLISH)
    inject(project, PlannedFault(kind, route=route, item=item, times=30))
    assert project.run("import").code == 1
    inject(project)
    planned = project.plan()["calls"]
    mark = project.mark()
    project.done("import")
    assert project.count("publish story", mark) == planned["publish_stories"]
    assert project.comparable() == whole
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_what_is_published_too_early_is_a_difference(
    stage: Stage, small_site: Path
) -> None:
    """A saved and unpublished change of a story is listed; a save alone is none."""
    project = stage(content=small_site)
    project.decide(*PUBLISH)
    project.done("import")
    story = project.stories()["notes/note-1"]
    same = {"story": {"content": story.content}}
    project.api("PUT", f"/stories/{story.story_id}", same)
    project.done("verify")
    changed = {"story": {"content": {**story.content, "title": "Another title"}}}
    project.api("PUT", f"/stories/{story.story_id}", changed)
    assert project.codes() == ["field_value", "not_published"]


def test_an_asset_folder_whose_reply_was_lost_is_ours(
    stage: Stage, small_site: Path
) -> None:
    """The rerun of a killed run knows its own folder, and makes no second one."""
    fault = Fault(("POST", r"/asset_folders$"), CUT, then_dead=True)
    project = stage(fault, content=small_site)
    project.decide("design.yaml", "asset_folder: ''", "asset_folder: Old site")
    assert project.run("import").code != 0
    fault.over()
    project.done("import")
    rows = project.rows("SELECT name, made FROM made WHERE kind = 'asset_folder'")
    assert rows == [("Old site", 1)]
    assert len(project.space.asset_folders) == 1
    exactly_one_of_everything(project)


def test_an_asset_folder_that_was_there_is_not_ours(
    stage: Stage, small_site: Path
) -> None:
    """It is used and stays theirs."""
    project = stage(content=small_site)
    project.decide("design.yaml", "asset_folder: ''", "asset_folder: Old site")
    project.api("POST", "/asset_folders", {"asset_folder": {"name": "Old site"}})
    project.done("import")
    rows = project.rows("SELECT name, made FROM made WHERE kind = 'asset_folder'")
    assert rows == [("Old site", 0)]


@pytest.mark.parametrize("theirs", [False, True])
def test_a_datasource_is_ours_when_we_asked_for_it(
    stage: Stage, moody_site: Path, theirs: bool
) -> None:
    """Known again after its reply was lost; one that was there stays theirs."""
    fault = Fault(("POST", r"/datasources$"), CUT, then_dead=True)
    if theirs:
        fault.over()
    project = stage(fault, content=moody_site)
    chosen = "encoding: option_datasource\n        datasource: moods\n"
    project.decide("design.yaml", "encoding: option\n", chosen)
    if theirs:
        project.datasource("moods", "loud", "calm", "sad")
    assert (project.run("prepare").code == 0) is theirs
    fault.over()
    project.done("prepare")
    rows = project.rows("SELECT name, made FROM made WHERE kind = 'datasource'")
    assert rows == [("moods", 0 if theirs else 1)]
    assert len(project.space.datasources) == 1
    told = ["loud", "calm", "sad"] if theirs else ["calm", "loud"]
    assert project.entries() == told
    assert project.open_intents() == []
