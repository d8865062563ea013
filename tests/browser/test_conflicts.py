"""Notebook 04 after days of work on both sides: conflicts are decided by choices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, expect

from tests.support.browser.book import Book
from tests.support.browser.hearing import listened
from tests.support.browser.lab import Lab
from tests.support.browser.project import Rehearsed
from tests.support.rehearsal import Rehearsal
from tests.support.steps.origin_edits import edit_items
from tests.support.steps.staged_project import StagedProject

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRIVES = frozenset(("conflict-take", "gone-take"))
"""Controls that only a project with conflicts has."""


@pytest_asyncio.fixture(loop_scope="session")
async def desk(
    lab: Lab, small_site: Path, tmp_path: Path
) -> AsyncIterator[StagedProject]:
    """Return an imported project; a story's name was changed on both sides since, and
    another story is gone."""
    folder = lab.root / tmp_path.name
    rehearsed = Rehearsed.begin(small_site, folder, tmp_path / "state")
    try:
        rehearsal = rehearsed.rehearsal
        accepting = ("--accept-proposals", "--reviewer", "a tester")
        for each in (("pull",), ("decide", *accepting), ("import",)):
            await _done(rehearsal, *each)
        desk = StagedProject(rehearsal)
        one, two = sorted(desk.stories())[:2]
        body = {"story": {"name": "Theirs"}}
        desk.api("PUT", f"/stories/{desk.stories()[one].story_id}", body)
        slug = one.rpartition("/")[2]
        edit_items(desk, lambda item: _renamed(item, slug))
        desk.delete(two)
        yield desk
    finally:
        rehearsed.end()


async def _done(rehearsal: Rehearsal, *arguments: str) -> None:
    process = rehearsal.process(*arguments)
    out, err = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, f"{out}\n{err}"


def _renamed(item: dict, slug: str) -> dict:
    data = item["fieldData"]
    name = "Ours" if data["slug"] == slug else data["name"]
    return {**item, "fieldData": {**data, "name": name}}


async def test_conflicts_are_decided_in_the_notebook(
    browser: Browser, lab: Lab, desk: StagedProject, pictures: Path | None
) -> None:
    """Chosen with mouse or keyboard, written at once; the next plan goes by it."""
    context, hearing = await listened(browser)
    book = await Book.at(lab, await context.new_page())
    await book.open(f"{desk.folder.name}/04_prepare_destination.ipynb")
    await book.run_all()
    edits = book.region("edits")
    await expect(edits).to_contain_text("Theirs")
    await expect(edits).to_contain_text("Ours")
    await book.picture(pictures, "conflicts")
    found = await Axe().run(book.page, context=".cmsmig-live")
    assert [
        each["id"]
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
    ] == []
    await book.choose("conflict-take", "write ours")
    await book.sees("Written to decisions/conflicts.yaml")
    await book.choose("gone-take", "make it again")
    await book.click("plan-again")
    await book.sees("This is the plan as of now")
    for name in DRIVES:
        await expect(book.control(name)).to_have_count(0)
    await _done(desk.rehearsal, "import")
    assert "Ours" in [each.body["name"] for each in desk.stories().values()]
    assert book.driven >= DRIVES
    assert hearing.quiet()
    await book.close()
    await context.close()
