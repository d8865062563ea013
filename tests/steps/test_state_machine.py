"""Both sides at work for days, in a few runs; `make soak KIND=machine`: many."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs.machine.play import play, steps_of
from tests.proofs.machine.stage import staged


@pytest.mark.parametrize("seed", [12, 16, 20, 22, 29, 100_000])
def test_the_space_is_right_whatever_happens(tmp_path: Path, seed: int) -> None:
    """Read from the space alone: nothing twice, no edit lost, nothing shown early."""
    setup, steps = steps_of(seed, 14)
    play(staged(setup, tmp_path / setup), steps)
