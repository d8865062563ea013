"""Notebook 04 after days of work on both sides: conflicts are decided in one list."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.support.browser.barriers import barriers
from tests.support.browser.book import Book
from tests.support.browser.lab import Lab
from tests.support.browser.project import Rehearsed
from tests.support.scripts import play
from tests.support.steps.origin_edits import edit_items

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRIVES = frozenset(
    {"plan-recreate"}
    | {
        f"changes-{each}"
        for each in (
            *("decide", "all", "open", "back", "next", "previous", "search", "clear"),
            *("state", "where", "kind", "sort", "save", "group", "column"),
        )
    }
)
"""Controls that only a project with conflicts has."""


STEPS = (
    {"run_all": []},
    {"shows": ["changes_list", "Theirs"]},
    {"fill": ["changes-search", "no such story"]},
    {"shows": ["changes_list", "No change passes"]},
    {"click": "changes-clear"},
    {"choose": ["changes-where", "destination"]},
    {"choose": ["changes-kind", "story"]},
    {"choose": ["changes-state", "not decided"]},
    {"click": "changes-sort"},
    {"click": "changes-save"},
    {"shows": ["changes_said", "changes.csv"]},
    {"press": ["Choose columns", 0]},
    {"press_in": ["changes-column", "Decided by"]},
    {"choose": ["changes-group", "conflicts"]},
    {"click": "changes-clear"},
    {"tick": "plan-recreate"},
    {"sees": "Made again, since it is gone: stories 1."},
    {"tick": "plan-recreate"},
    {"hides": "Made again, since it is gone"},
    {"click": "changes-open"},
    {"click": "changes-next"},
    {"click": "changes-previous"},
    {"pick": ["changes-decide", "make it again"]},
    {"shows": ["changes_item", "✓ make it again"]},
    {"click": "changes-back"},
    {"pick": ["changes-all", "write ours"]},
    {"sees": "1 decision written to decisions/conflicts.yaml"},
    {"click": "plan-again"},
    {"sees": "This is the plan as of now"},
    {"shows": ["changes_list", "✓ make it again", "✓ write ours"]},
)


async def test_conflicts_are_decided_in_the_notebook(
    browser: Browser, lab: Lab, small_site: Path, tmp_path: Path
) -> None:
    """A story's name was changed on both sides, another story is gone: chosen, written
    at once; the next plan goes by it."""
    folder = lab.root / tmp_path.name
    rehearsed = Rehearsed.begin(small_site, folder, tmp_path / "state")
    try:
        accepting = ("decide", "--accept-proposals", "--reviewer", "a tester")
        await rehearsed.done(("pull",), accepting, ("import",))
        project = rehearsed.rehearsal
        one, two = sorted(project.stories())[:2]
        body = {"story": {"name": "Theirs"}}
        project.api("PUT", f"/stories/{project.stories()[one].story_id}", body)
        edit_items(project, lambda item: _renamed(item, one.rpartition("/")[2]))
        project.delete(two)
        path = f"{folder.name}/04_prepare_destination.ipynb"
        async with Book.opened(browser, lab, path) as book:
            await play(STEPS[:2], book)
            assert await barriers(book.page, ".cmsmig-live") == []
            await play(STEPS[2:], book)
            await rehearsed.done(("import",))
            assert "Ours" in [e.body["name"] for e in project.stories().values()]
            assert book.driven >= DRIVES
            assert book.hearing.quiet()
    finally:
        rehearsed.end()


def _renamed(item: dict, slug: str) -> dict:
    data = item["fieldData"]
    name = "Ours" if data["slug"] == slug else data["name"]
    return {**item, "fieldData": {**data, "name": name}}
