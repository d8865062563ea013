"""Pilots: a part is imported, the rest is left alone, and the whole comes out equal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)


def piloted(project: StagedProject, *flags: str) -> dict:
    """Import a pilot by the plan that is shown for it."""
    planned = project.done("plan", *flags, "--json").document
    number = project.mark()
    project.done("import", *flags, "--plan", planned["hash"])
    quota = sum(each.quota for each in project.since(number))
    assert quota == planned["calls"]["total"]
    return planned


def publishing(project: StagedProject) -> StagedProject:
    project.decide(
        "collections.yaml", "    publish: nothing", "    publish: what_is_live"
    )
    return project


@pytest.mark.parametrize(
    "pilots",
    [
        [("--limit", "20")],
        [("--collection", "spots"), ("--locale", "fr", "--limit", "3")],
    ],
    ids=["twenty", "two after another"],
)
def test_a_pilot_and_then_the_whole_is_the_whole(
    stage: Stage, small_site: Path, pilots: list
) -> None:
    """The space holds what one import of all would have made of it."""
    once = publishing(stage(content=small_site))
    once.done("import")
    project = publishing(stage(content=small_site))
    for flags in pilots:
        piloted(project, *flags)
    project.done("import")
    assert project.comparable() == once.comparable()
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    assert project.done("import", *pilots[-1], "--json").document["writes"] == 0


def test_a_pilot_of_twenty_items_is_twenty_items(
    stage: Stage, small_site: Path
) -> None:
    """No row, story, file or component is there that they do not need."""
    project = stage(content=small_site)
    planned = piloted(project, "--collection", "notes", "--limit", "20")
    assert planned["pilot"]["limit"] == 20
    assert (planned["items"]["in"], planned["items"]["to_create"]) == (20, 20)
    accounting = project.status()["accounting"]
    assert (accounting["in"], accounting["created"]) == (20, 20)
    assert len(project.stories()) == 20
    assert "spot" not in project.components()
    assert project.folders() == ["fr", "fr/notes", "notes"]
    outside = planned["not_in_pilot"]
    assert {each["cause"] for each in outside} == {"not_in_pilot"}
    assert planned["dangling"] == []
    used = {asset.body["ext_id"] for asset in project.space.assets.values()}
    assert planned["calls"]["sign_uploads"] == len(used) < 12


def test_verification_after_a_pilot_says_what_is_not_in_yet(
    stage: Stage, small_site: Path
) -> None:
    """No difference, exit 0; after the whole import nothing is left to say."""
    project = stage(content=small_site)
    piloted(project, "--collection", "spots", "--limit", "4")
    found = project.done("verify", "--json").document
    assert (found["differences"], found["compared"]["stories"]) == ([], 4)
    assert found["not_in_yet"] == 47 - 4
    assert "not in yet: 43 selected items" in project.done("verify").out
    project.delete(next(iter(project.stories())))
    assert project.codes() == ["story_gone"]
    project.done("import", "--recreate")
    assert project.run("verify", "--json").document["not_in_yet"] == 0
    project.verified()


def test_references_out_of_a_pilot_are_filled_by_a_later_one(stage: Stage) -> None:
    """They neither dangle nor fail, and what is there already is led to."""
    project = stage()
    ids = {e["name"]: e["item"] for e in items_of(project)}
    first = piloted(project, "--item", ids["Record 1"])
    outside = {(each["field"], each["cause"]) for each in first["not_in_pilot"]}
    assert outside == {("next", "not_in_pilot"), ("related", "not_in_pilot")}
    assert project.stories()["records/record-1"].content["next"] == ""
    assert project.outcome("records/record-1") == ("created", "", "pending")
    piloted(project, "--item", ids["Record 2"])
    # The first item is no part of this pilot, which is no difference.
    assert project.stories()["records/record-1"].content["next"] == ""
    project.verified()
    both = piloted(project, "--item", ids["Record 1"], "--item", ids["Record 2"])
    assert both["calls"]["update_stories"] == 1
    assert "next" not in {
        each["field"] for each in both["not_in_pilot"] if "/0" in each["item"]
    }
    second = project.stories()["records/record-2"]
    assert project.stories()["records/record-1"].content["next"] == second.uuid


def items_of(project: StagedProject) -> list[dict]:
    project.done("import", "--dry-run")
    (path,) = (project.folder / "raw" / "items").glob("*.json")
    body = json.loads(path.read_text())
    return [
        {"name": each["fieldData"]["name"], "item": each["id"]}
        for each in body["items"]
    ]


def test_what_is_outside_a_pilot_is_left_alone(stage: Stage) -> None:
    """Rows that are open, failed or gone stay as they are."""
    project = stage()
    ids = {e["name"]: e["item"] for e in items_of(project)}
    project.done("import")
    project.delete("records/record-2")
    assert project.run("import").code == 1
    project.doctor(
        "UPDATE item SET home_id = NULL, status = 'failed', reason = 'refused'"
        " WHERE full_slug = 'records/record-3'"
    )
    rows = project.rows("SELECT * FROM item ORDER BY full_slug")
    existing = project.rows("SELECT * FROM home")
    number = project.mark()
    assert project.run("import", "--item", ids["Record 5"], "--recreate").code == 1
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.rows("SELECT * FROM item ORDER BY full_slug") == rows
    assert project.rows("SELECT * FROM home") == existing


def test_another_pilot_is_drift(stage: Stage) -> None:
    """A plan of a part does not hold for another part, nor for the whole."""
    project = stage()
    shown = project.done("plan", "--limit", "2", "--json").document["hash"]
    assert project.plan()["hash"] != shown
    for flags in ((), ("--limit", "3")):
        ended = project.run("import", *flags, "--plan", shown)
        assert (ended.code, "decisions: the pilot" in ended.err) == (1, True)
    project.done("import", "--limit", "2", "--plan", shown)


def test_a_pilot_of_nothing_is_a_wrong_usage(stage: Stage) -> None:
    """Exit 2, with what is known, before anything is asked."""
    project = stage()
    number = project.mark()
    for flags, said in {
        ("--collection", "news"): "There is no collection `news`; known: records.",
        ("--locale", "xx"): "There is no locale `xx`",
        ("--item", "abc"): "The item `abc` is none of the items pulled.",
        ("--limit", "0"): "--limit",
    }.items():
        ended = project.run("plan", *flags)
        assert (ended.code, said in ended.err) == (2, True)
    assert project.since(number) == []


def test_an_item_that_is_skipped_says_why(stage: Stage, small_site: Path) -> None:
    """It was decided, and a pilot changes no decision."""
    project = stage(content=small_site)
    (path,) = (
        each
        for each in (project.folder / "raw" / "items").glob("*.json")
        if "note-24" in each.read_text()
    )
    archived = next(e for e in json.loads(path.read_text())["items"] if e["isArchived"])
    ended = project.run("plan", "--item", archived["id"])
    assert ended.code == 2
    assert "is not taken along: Archived at the origin." in ended.err
