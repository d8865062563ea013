"""What the tests of the destination share."""

from __future__ import annotations

import pytest

from tests.support.destination.scripted import Script


@pytest.fixture
def script() -> Script:
    """Return a script without answers yet."""
    return Script()
