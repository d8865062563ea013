"""The cases of `*/cases/`: what both sides do, decide and run, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.steps.scenario import Case, cases, play
from tests.support.steps.staged_project import Stage

FOLDERS = ("decide", "plan", "recovery")
CASES = [
    each for name in FOLDERS for each in cases(Path(__file__).with_name(name) / "cases")
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case(case: Case, stage: Stage, request: pytest.FixtureRequest) -> None:
    """The steps are the functions of `tests/support/steps/scenario*.py`."""
    play(case, stage, request.getfixturevalue)
