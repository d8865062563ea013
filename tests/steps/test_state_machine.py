"""Both sides at work for days, in a few runs; `make machine`, `make days`: many."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proofs.machine.days.play import play, steps_of
from tests.proofs.machine.days.stage import staged
from tests.proofs.machine.play import Play
from tests.proofs.machine.rules import Migration
from tests.proofs.machine.world import world

FEW = settings(
    max_examples=6,
    stateful_step_count=18,
    phases=(Phase.generate,),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_the_destination_is_what_the_model_says(tmp_path: Path) -> None:
    """After each step of each run: nothing lost, nothing told wrongly."""
    before = Play.steps
    with world(tmp_path) as made:
        Play.world = made
        run_state_machine_as_test(Migration, settings=FEW)
    assert Play.steps - before > 60


@pytest.mark.parametrize("seed", [12, 16, 20, 22, 29])
def test_the_space_is_right_after_kills_and_lost_ledgers(
    tmp_path: Path, seed: int
) -> None:
    """Read from the space alone: nothing twice, no edit lost, nothing shown early."""
    setup, steps = steps_of(seed, 14)
    play(staged(setup, tmp_path / setup), steps)
