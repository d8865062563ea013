"""derived.sqlite may hold what another program changed: none of it is written."""

from __future__ import annotations

import json

import pytest

from tests.support.steps.desk import Desk, Stage
from tests.support.steps.forged_drafts import FORGED, forge_drafts, forge_index


def is_forged(desk: Desk) -> bool:
    """Return whether a story of the space holds what was forged."""
    held = [each.content for each in desk.stories().values()]
    return FORGED in json.dumps(held)


def mirrored(desk: Desk) -> None:
    desk.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    desk.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")


def test_a_plan_does_not_fit_other_drafts(stage: Stage) -> None:
    """Exit 1 and a sentence, before anything is written."""
    desk = stage()
    shown = desk.plan()
    assert forge_drafts(desk.folder, with_plan=True)
    ended = desk.run("import", "--plan", shown["hash"])
    assert ended.code == 1
    assert "drafts of the stories are others" in ended.err
    assert "derived.sqlite" in ended.err
    assert desk.stories() == {}
    assert desk.count("create_story") == desk.count("create_component") == 0


@pytest.mark.parametrize("planned", ["before", "after"])
def test_a_forged_draft_is_not_written(stage: Stage, planned: str) -> None:
    """Not where what the plan found is kept, nor where the plan itself was made of
    forged drafts; once the drafts are made again, everything is brought."""
    desk = stage()
    shown = desk.plan()
    forged = forge_drafts(desk.folder, with_plan=planned == "after")
    assert forged
    if planned == "after":
        genuine, shown = shown, desk.plan()
        assert shown["hash"] != genuine["hash"]
    ended = desk.run("import", "--plan", shown["hash"], "--json")
    assert ended.code == 1
    assert not is_forged(desk)
    reasons = desk.rows("SELECT explanation FROM item WHERE status = 'failed'")
    assert len(reasons) == forged
    assert all("derived.sqlite" in each for (each,) in reasons)
    desk.done("import")
    assert not is_forged(desk)
    desk.verified()


def test_a_draft_that_does_not_fit_its_fingerprint_is_made_again(stage: Stage) -> None:
    desk = stage()
    shown = desk.plan()
    assert forge_drafts(desk.folder, with_fingerprint=False)
    desk.done("import", "--plan", shown["hash"])
    assert not is_forged(desk)
    desk.verified()


def test_a_forged_version_for_visitors_is_not_published(stage: Stage) -> None:
    """What visitors see below edits is a draft of its own."""
    desk = stage()
    for path in (desk.folder / "raw" / "live").glob("*.json"):
        path.write_text(path.read_text().replace('"Record ', '"Released record '))
    mirrored(desk)
    shown = desk.plan()
    assert shown["fingerprints"]["drafts"]["visitors"]
    assert forge_drafts(desk.folder)
    assert desk.run("import", "--plan", shown["hash"]).code == 1
    assert not is_forged(desk)
    desk.run("import")
    desk.done("import")
    assert not is_forged(desk)
    desk.verified()


def test_a_verification_compares_with_drafts_that_it_makes_again(stage: Stage) -> None:
    """Whatever derived.sqlite holds; it says so once and holds the true drafts then."""
    desk = stage()
    desk.done("import")
    forged = forge_drafts(desk.folder)
    found = desk.run("verify", "--json")
    assert found.code == 4
    listed = found.document["differences"]
    assert [each["code"] for each in listed] == ["draft_changed"] * forged
    assert "derived.sqlite" in listed[0]["text"]
    desk.verified()


def test_items_and_files_are_those_of_raw(stage: Stage) -> None:
    """Not the names, paths, uses of files and number of items that were kept: a plan
    of those is not imported, and neither import nor verification reads them."""
    desk = stage()
    genuine = desk.plan()
    forge_index(desk.folder)
    shown = desk.plan()
    assert shown["hash"] != genuine["hash"]
    assert desk.run("import", "--plan", shown["hash"]).code == 1
    assert desk.stories() == {}
    forge_index(desk.folder)
    desk.done("import", "--plan", genuine["hash"])
    assert len(desk.stories()) == 6
    assert FORGED not in json.dumps(desk.comparable())
    forge_index(desk.folder)
    desk.verified()
