"""What the tests of runs share."""

from __future__ import annotations

from tests.support.cli.rigs import rig, taking_down, tiny_site, whole

__all__ = ["rig", "taking_down", "tiny_site", "whole"]
