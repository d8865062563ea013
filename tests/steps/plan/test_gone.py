"""Any part of a space is lost, and the run that brings it back is killed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.support.steps.faults import (
    CREATE_STORY,
    CUT,
    SIGN,
    UNSENT,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.scenario.decisions import DECISIONS
from tests.support.steps.scenario.service import KINDS, delete_record
from tests.support.steps.staged_project import Stage, exactly_one_of_everything


@pytest.mark.parametrize("seed", range(2))
def test_anything_may_go_and_comes_back(
    stage: Stage, small_site: Path, seed: int
) -> None:
    """The space is as it was before, and nothing is left to do."""
    drawn = random.Random(f"gone {seed}")
    kind = drawn.choice([CREATE_STORY, UPDATE_STORY, SIGN])
    fault = Fault(kind, drawn.choice([CUT, UNSENT]), then_dead=True)
    fault.over()
    project = stage(fault, content=small_site)
    for name in ("published", "asset folder"):
        project.decide(*DECISIONS[name])
    project.done("import")
    before = project.comparable()
    # Files that outlive their folder are moved, which is not to be gone.
    for name in sorted(set(KINDS) - {"asset_folders"}):
        own = list(getattr(project.space, name))
        for each in drawn.sample(own, k=drawn.randint(0, len(own))):
            delete_record(project, name, each)
    if drawn.random() < 0.5:
        assert project.run("import").code == 1
    fault.at, fault.seen = (drawn.randint(1, 4),), 0
    project.run("import", "--recreate")
    fault.over()
    project.done("import", "--recreate")
    assert project.comparable() == before
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    assert project.plan()["gone"] == {}
