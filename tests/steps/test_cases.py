"""The cases of `*/cases/`: what both sides do, decide and run, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.steps.scenario.first_command import FirstCommands
from tests.support.steps.scenario.play import Case, cases, play
from tests.support.steps.staged_project import Stage

CASES = [*cases(*sorted(Path(__file__).parent.glob("*/cases/*.yaml")))]


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the pauses for lists that lag and before a retry."""
    monkeypatch.setattr("cmsmig.steps.rollback.rollback_plan.ONCE_MORE", (0.0,))
    monkeypatch.setattr("cmsmig.steps.write.asset_records.ONCE_MORE", (0.0,))
    monkeypatch.setattr("cmsmig.steps.write.idempotent_write.LATER", (0.0, 0.0))
    monkeypatch.setattr("cmsmig.wire.failures._FIRST_DELAY", 0.001)


@pytest.fixture(scope="session")
def first_commands(tmp_path_factory: pytest.TempPathFactory) -> FirstCommands:
    return FirstCommands.of(CASES, tmp_path_factory.mktemp("begun"))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case(
    case: Case,
    stage: Stage,
    content_of: Callable[[str], Path],
    first_commands: FirstCommands,
) -> None:
    """The steps are the functions of `tests/support/steps/scenario`."""
    play(case, stage, content_of, first_commands)
