"""Notebooks 02 and 03 before a person: what is done in a panel, and what follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.cases import cases
from tests.support.notebook.session import Session
from tests.support.scripts import play


@cases(__file__, "design.yaml")
async def test_the_design_is_worked_by_hand(
    tmp_path: Path, case: dict[str, Any]
) -> None:
    """What is edited is on disk and shown at once; what cannot be is said."""
    await play(case["steps"], Session(tmp_path))


@cases(__file__, "bodies.yaml")
async def test_bodies_are_reviewed_by_hand(
    tmp_path: Path, case: dict[str, Any]
) -> None:
    """Choices about bodies, embeds and blocks reach the previews and the files."""
    await play(case["steps"], Session(tmp_path))
