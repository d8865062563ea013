"""The cases of `cases/`: what both sides do, decide and run, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.steps.scenario import Case, cases, play
from tests.support.steps.staged_project import Stage


@pytest.mark.parametrize("case", list(cases(Path(__file__).parent / "cases")), ids=str)
def test_a_case(case: Case, stage: Stage, request: pytest.FixtureRequest) -> None:
    """See docs of the steps in `tests/support/steps/scenario*.py`."""
    play(case, stage, request.getfixturevalue)
