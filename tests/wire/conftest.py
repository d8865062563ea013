"""What the tests of the budget share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.wire.budgets import Budgets
from tests.support.wire.virtual_time import VirtualTime


@pytest.fixture
async def clock() -> AsyncIterator[VirtualTime]:
    """Return a clock that moves on whenever all tasks sleep."""
    clock = VirtualTime()
    async with clock.moving():
        yield clock


@pytest.fixture
async def budgets(tmp_path: Path, clock: VirtualTime) -> AsyncIterator[Budgets]:
    """Return budgets of a folder that is theirs alone."""
    made = Budgets(tmp_path / "budgets", clock)
    yield made
    made.close()
