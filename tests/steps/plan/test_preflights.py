"""Warnings of a plan about very large stories, and about what a plan includes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cmsmig.configuration.plans import (
    DESTINATION_PLANS,
    Counted,
    Limit,
    PlanLimits,
)
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.scenario_answers import Answers
from tests.support.steps.staged_project import Stage


def long_text(item: Item) -> Item:
    data = item["fieldData"]
    if data["slug"] != "record-3":
        return item
    return {**item, "fieldData": {**data, "text": f"<p>{'ü' * 2_700_000}</p>"}}


@pytest.mark.parametrize("taken", [True, False])
def test_a_large_story_is_a_warning_and_is_sent(stage: Stage, taken: bool) -> None:
    """No limit is published today: the service may take it, or refuse it alone."""
    project = stage()
    if taken:
        project.space.unknowns = replace(project.space.unknowns, largest_story=2**30)
    edit_items(project, long_text)
    planned = project.plan()
    (found,) = planned["preflights"]
    assert (found["kind"], found["full_slug"]) == ("story_size", "records/record-3")
    assert not found["fails"]
    assert "5.2 MB of JSON, and an older page allowed 5 MB" in found["text"]
    assert planned["items"]["failed"] == 0
    assert project.run("import").code == (0 if taken else 1)
    outcome = project.outcome("records/record-3")[:2]
    assert outcome == (("created", "") if taken else ("failed", "refused"))
    assert len(project.stories()) == (6 if taken else 5)


def test_more_than_the_plan_includes_is_listed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the maximum, it is a question of the price."""
    counts = dict(DESTINATION_PLANS["growth"].counts)
    counts[Counted.STORIES] = Limit(most=1_000, included=5)
    monkeypatch.setitem(DESTINATION_PLANS, "growth", PlanLimits(6, counts))
    space = {"plan": "growth", "plan_level": None, "limits": {}}
    project = stage(Answers([{"request": r"GET /v1/spaces/\d+$", "space": space}]))
    (sentence,) = project.plan()["limits"]
    assert "6 stories, and 5 are included by the service's" in sentence
    assert "technical limits page of November 2026 for the plan growth" in sentence
