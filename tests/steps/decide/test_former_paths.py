"""Links below the path that a collection had before its slug changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cmsmig.notebook import inspection
from cmsmig.notebook.kit.opened_project import open_workspace
from tests.support.notebook.page import Page
from tests.support.steps.staged_project import Stage, StagedProject


def former_paths(staged: StagedProject) -> list[dict]:
    text = (staged.folder / "decisions" / "collections.yaml").read_text()
    return yaml.safe_load(text).get("former_paths", [])


@pytest.fixture
def staged(stage: Stage, content_of: Callable[[str], Path]) -> StagedProject:
    """Return a project of the site, made before there is an event loop."""
    return stage(content=content_of("renamed"))


async def test_a_path_is_decided_in_the_notebook(staged: StagedProject) -> None:
    """The root too, which a person looks at; what is not decided is not written."""
    workspace = open_workspace(str(staged.folder), interactive=True)
    page = Page(inspection.choose_item_sets(workspace, "Ada"))
    await page.sees("/archive/record-2")
    await page.set("former-path", "stay", 0)
    await page.set("former-path", "follow", 1)
    said = {each["path"]: each["follow"] for each in former_paths(staged)}
    assert said == {"/archive": False, "/": True}
    planned = await asyncio.to_thread(staged.plan)
    assert planned["links_left_by_cause"] == {"static": 3}
    page = Page(inspection.choose_item_sets(workspace, "Ada"))
    await page.set("former-path", "", 0)
    assert [each["path"] for each in former_paths(staged)] == ["/"]
