"""What the tests of the ledger share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the ledger is."""
    return tmp_path / "ledger.sqlite"
