"""derived.sqlite may hold what another program changed: none of it is written."""

from __future__ import annotations

import json

import pytest

from tests.support.steps.forged_drafts import FORGED, forge_drafts, forge_index
from tests.support.steps.staged_project import Stage, StagedProject


def is_forged(project: StagedProject) -> bool:
    """Return whether a story of the space holds what was forged."""
    held = [each.content for each in project.stories().values()]
    return FORGED in json.dumps(held)


def mirrored(project: StagedProject) -> None:
    project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")


def test_a_plan_does_not_fit_other_drafts(stage: Stage) -> None:
    """Exit 1 and a sentence, before anything is written."""
    project = stage()
    shown = project.plan()
    assert forge_drafts(project.folder, with_plan=True)
    ended = project.run("import", "--plan", shown["hash"])
    assert ended.code == 1
    assert "drafts of the stories are others" in ended.err
    assert "derived.sqlite" in ended.err
    assert project.stories() == {}
    assert project.count("create_story") == project.count("create_component") == 0


@pytest.mark.parametrize("planned", ["before", "after"])
def test_a_forged_draft_is_not_written(stage: Stage, planned: str) -> None:
    """Not where what the plan found is kept, nor where the plan itself was made of
    forged drafts; once the drafts are made again, everything is brought."""
    project = stage()
    shown = project.plan()
    forged = forge_drafts(project.folder, with_plan=planned == "after")
    assert forged
    if planned == "after":
        genuine, shown = shown, project.plan()
        assert shown["hash"] != genuine["hash"]
    ended = project.run("import", "--plan", shown["hash"], "--json")
    assert ended.code == 1
    assert not is_forged(project)
    reasons = project.rows("SELECT explanation FROM item WHERE status = 'failed'")
    assert len(reasons) == forged
    assert all("derived.sqlite" in each for (each,) in reasons)
    project.done("import")
    assert not is_forged(project)
    project.verified()


def test_a_draft_that_does_not_fit_its_fingerprint_is_made_again(stage: Stage) -> None:
    project = stage()
    shown = project.plan()
    assert forge_drafts(project.folder, with_fingerprint=False)
    project.done("import", "--plan", shown["hash"])
    assert not is_forged(project)
    project.verified()


def test_a_forged_version_for_visitors_is_not_published(stage: Stage) -> None:
    """What visitors see below edits is a draft of its own."""
    project = stage()
    for path in (project.folder / "raw" / "live").glob("*.json"):
        path.write_text(path.read_text().replace('"Record ', '"Released record '))
    mirrored(project)
    shown = project.plan()
    assert shown["fingerprints"]["drafts"]["visitors"]
    assert forge_drafts(project.folder)
    assert project.run("import", "--plan", shown["hash"]).code == 1
    assert not is_forged(project)
    project.run("import")
    project.done("import")
    assert not is_forged(project)
    project.verified()


def test_a_verification_compares_with_drafts_that_it_makes_again(stage: Stage) -> None:
    """Whatever derived.sqlite holds; it says so once and holds the true drafts then."""
    project = stage()
    project.done("import")
    forged = forge_drafts(project.folder)
    found = project.run("verify", "--json")
    assert found.code == 4
    listed = found.document["differences"]
    assert [each["code"] for each in listed] == ["draft_changed"] * forged
    assert "derived.sqlite" in listed[0]["text"]
    project.verified()


def test_items_and_files_are_those_of_raw(stage: Stage) -> None:
    """Not the names, paths, uses of files and number of items that were kept: a plan
    of those is not imported, and neither import nor verification reads them."""
    project = stage()
    genuine = project.plan()
    forge_index(project.folder)
    shown = project.plan()
    assert shown["hash"] != genuine["hash"]
    assert project.run("import", "--plan", shown["hash"]).code == 1
    assert project.stories() == {}
    forge_index(project.folder)
    project.done("import", "--plan", genuine["hash"])
    assert len(project.stories()) == 6
    assert FORGED not in json.dumps(project.comparable())
    forge_index(project.folder)
    project.verified()
