"""What the tests of runs share."""

from __future__ import annotations

from tests.support.cli.rigs import rig, tiny_site, whole

__all__ = ["rig", "tiny_site", "whole"]
