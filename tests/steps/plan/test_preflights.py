"""What the service's plan includes, which is a question of the price."""

from __future__ import annotations

import pytest

from cmsmig.configuration.plans import (
    DESTINATION_PLANS,
    Counted,
    Limit,
    PlanLimits,
)
from tests.support.steps.scenario.answers import Answers
from tests.support.steps.staged_project import Stage


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
