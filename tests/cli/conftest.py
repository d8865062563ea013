"""What the tests of the commands share."""

from __future__ import annotations

import pytest

from tests.support.cli.rigs import rig, tiny_site, whole

__all__ = ["rig", "tiny_site", "whole"]


@pytest.fixture(autouse=True)
def retries_at_once(monkeypatch: pytest.MonkeyPatch, without_sockets: None) -> None:
    """Let what is tried again be tried again without a pause."""
    monkeypatch.setattr("cmsmig.wire.failures._FIRST_DELAY", 0.001)
