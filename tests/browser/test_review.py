"""Notebook 03: a site's bodies reviewed with the mouse, and with the keyboard alone."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.async_api import Browser

from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.settings import Project
from cmsmig.steps.decide.accept_proposals import accept_proposals
from tests.support.browser.barriers import barriers
from tests.support.browser.book import Book
from tests.support.browser.lab import Lab
from tests.support.browser.manybodies import write_many_bodies
from tests.support.browser.walk import SUBSHELLS
from tests.support.cases import cases
from tests.support.scripts import play

pytestmark = pytest.mark.asyncio(loop_scope="session")

BODIES = 24
SPLIT = 15
"""Those with a heading of level 2, a picture, a quote or a table."""
_FOCUSED = """() => {
  const at = document.activeElement;
  return at.closest(".cmsmig-live") ? at.id || at.className || at.tagName : "";
}"""
_HOLDER = "() => document.activeElement.outerHTML.slice(0, 200)"


@dataclass
class Review:
    """Notebook 03 of a pulled site, in a page of its own."""

    book: Book
    folder: Path
    is_restarted: bool = False

    async def begin(self) -> None:
        """Open the notebook and run it."""
        await self.book.open(f"{self.folder.name}/03_preview_rich_text.ipynb")
        await self.book.run_all()
        await self.book.shows("tally", f"all {BODIES} bodies looked through")

    async def counts_reviews(self, reviewed: int) -> None:
        """Wait until so many bodies are reviewed, and the others are left."""
        said = f"{reviewed} reviewed, {SPLIT - reviewed} left"
        await self.book.shows("tally", said)

    async def accepts(self, first: int, last: int, *keys: str) -> None:
        """Accept one body after the other, by the button or by keys in turn."""
        for number in range(first, last + 1):
            if keys:
                await self.keys(keys[number % len(keys)])
            else:
                await self.book.click("review-accept")
            await self.counts_reviews(number)

    async def keys(self, *keys: str) -> None:
        """Press keys; the focus stays in the panel."""
        for key in keys:
            await self.book.page.keyboard.press(key)
            if not await self.book.page.evaluate(_FOCUSED):
                holder = await self.book.page.evaluate(_HOLDER)
                pytest.fail(f"{key} took the focus out of the panel, to {holder}")

    async def typed(self, text: str) -> None:
        """Type a text, and leave the field."""
        await self.book.page.keyboard.type(text)
        await self.book.page.keyboard.press("Escape")

    async def focus(self, selector: str) -> None:
        """Give an element the focus."""
        await self.book.page.locator(selector).focus()

    async def another_kernel(self) -> None:
        """Restart the kernel, reload the page, and run the notebook again."""
        await self.book.restart_the_kernel()
        await self.book.page.evaluate("() => window.theNotebook.context.save()")
        await self.book.reload()
        await self.begin()
        self.is_restarted = True

    def are_kept(self, by: str, merged: int) -> None:
        """Insist that each review is on disk, by this name, so many of them merged."""
        text = (self.folder / "decisions" / "blocks.yaml").read_text("utf-8")
        reviews = yaml.safe_load(text)["reviews"]
        assert len(reviews) == SPLIT
        assert {(e["by"], e["how"]) for e in reviews} == {(by, "individually")}
        assert sum("merged" in str(each["blocks"]) for each in reviews) == merged

    async def tab_order(self, *wanted: str) -> None:
        """Press Tab from the search to the blocks, and insist on the order between."""
        await self.focus("#cmsmig-body-search-it")
        reached: list[str] = []
        while "cmsmig-block-merge-0" not in reached:
            await self.keys("Tab")
            at = await self.book.page.evaluate("() => document.activeElement.id")
            reached.append(at)
        names = [f"cmsmig-{each}" for each in wanted]
        assert [each for each in reached if each in names] == names

    async def has_no_barriers(self) -> None:
        """Insist that axe-core finds nothing serious or critical in any panel."""
        assert await barriers(self.book.page) == []


@cases(__file__, "review.yaml")
async def test_a_site_is_reviewed(
    browser: Browser, lab: Lab, tmp_path: Path, case: dict[str, Any]
) -> None:
    """With the mouse, and with the keyboard alone; the focus is never lost."""
    lab.serve_comms(case.get("comms", SUBSHELLS))
    folder = await pulled(lab.root / tmp_path.name, BODIES)
    async with Book.opened(browser, lab, "") as book:
        review = Review(book, folder)
        await play(case["steps"], review, book)
        if review.is_restarted:
            # The Lab reports late that panels of the old kernel are missing.
            errors = book.hearing.errors
            errors[:] = [each for each in errors if "model not found" not in each]
        assert book.hearing.quiet()


async def pulled(folder: Path, bodies: int) -> Path:
    """Make a project folder with many bodies in it, all but notebook 03 decided."""
    write_many_bodies(folder / "raw", bodies)
    workspace = Workspace(Project(folder), dry_run=False, interactive=False)
    await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer="a tester",
        observer=workspace.observer,
    )
    for name in ("blocks.yaml", "embeds.yaml"):
        (folder / "decisions" / name).unlink()
    (folder / "cmsmig.toml").write_text("")
    for each in find_notebooks(notebooks_folder()):
        if each.path.name.startswith("03"):
            shutil.copy(each.path, folder)
    return folder
