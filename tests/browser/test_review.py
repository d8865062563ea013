"""Notebook 03: a site's bodies reviewed with the mouse, and with the keyboard alone."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
import yaml
from playwright.async_api import Browser, Page, expect

from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.run.locate import find_notebooks, notebooks_folder
from cmsmig.settings import Project
from cmsmig.steps.decide.accept_proposals import accept_proposals
from tests.support.browser.barriers import barriers
from tests.support.browser.book import Book
from tests.support.browser.hearing import Hearing, listened
from tests.support.browser.lab import Lab
from tests.support.browser.manybodies import write_many_bodies
from tests.support.browser.walk import SUBSHELLS

pytestmark = pytest.mark.asyncio(loop_scope="session")

BODIES = 24
SPLIT = 15
"""Those with a heading of level 2, a picture, a quote or a table."""
RULES = ("headings", "lone pictures", "quotes", "tables")
_SAVE = "() => window.theNotebook.context.save()"
_FOCUSED = """() => {
  const at = document.activeElement;
  return at.closest(".cmsmig-live") ? at.id || at.className || at.tagName : "";
}"""
_HOLDER = "() => document.activeElement.outerHTML.slice(0, 200)"


@dataclass
class ReviewDesk:
    """Notebook 03 of a pulled site, in a page of its own."""

    book: Book
    hearing: Hearing
    folder: Path

    @property
    def page(self) -> Page:
        """Return the page."""
        return self.book.page

    def reviews(self) -> list[dict]:
        """Return the reviews that are on disk."""
        text = (self.folder / "decisions" / "blocks.yaml").read_text("utf-8")
        return yaml.safe_load(text).get("reviews") or []

    async def begin(self) -> None:
        """Open the notebook and run it."""
        await self.book.open(f"{self.folder.name}/03_preview_rich_text.ipynb")
        await self.book.run_all()
        await expect(self.book.region("tally")).to_contain_text(
            f"all {BODIES} bodies looked through"
        )

    async def split(self) -> None:
        """Store the bodies as blocks."""
        await self.book.choose("blocks-mode", "blocks")
        for rule in RULES:
            await self.book.control("blocks-rule").get_by_text(rule).click()
        await self.counts(0)

    async def counts(self, reviewed: int) -> None:
        """Wait until so many bodies are reviewed, and the others are left."""
        said = f"{reviewed} reviewed, {SPLIT - reviewed} left"
        await expect(self.book.region("tally")).to_contain_text(said)

    async def press(self, *keys: str) -> None:
        """Press keys; the focus stays in the panel."""
        for key in keys:
            await self.page.keyboard.press(key)
            if not await self.page.evaluate(_FOCUSED):
                holder = await self.page.evaluate(_HOLDER)
                pytest.fail(f"{key} took the focus out of the panel, to {holder}")


@pytest_asyncio.fixture(loop_scope="session")
async def desk(
    browser: Browser, lab: Lab, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[ReviewDesk]:
    """Return the notebook of a pulled site whose design is decided."""
    lab.serve_comms(getattr(request, "param", SUBSHELLS))
    folder = await pulled(lab.root / tmp_path.name, BODIES)
    context, hearing = await listened(browser)
    try:
        yield ReviewDesk(await Book.at(lab, await context.new_page()), hearing, folder)
    finally:
        await context.close()


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


async def test_a_site_is_reviewed_with_the_mouse(desk: ReviewDesk) -> None:
    """Each body is accepted, one of them changed first; a restart of the kernel and
    a reload of the page in the middle lose nothing."""
    book = desk.book
    await desk.begin()
    await desk.split()
    await book.fill("review-name", "Ada")
    await book.click("body-open")
    for number in range(1, 6):
        await book.click("review-accept")
        await desk.counts(number)
    await book.click("block-merge")
    await expect(book.region("title")).to_contain_text("changed by hand")
    changed = await book.region("title").inner_text()
    await book.restart_the_kernel()
    await desk.page.evaluate(_SAVE)
    await book.reload()
    await desk.begin()
    await desk.counts(5)
    await expect(book.control("review-name").locator("input")).to_have_value("Ada")
    await book.click("body-open")
    await expect(book.region("title")).to_have_text(changed)
    for number in range(6, SPLIT + 1):
        await book.click("review-accept")
        await desk.counts(number)
    await book.sees("Nothing is left to review")
    reviews = desk.reviews()
    assert len(reviews) == SPLIT
    assert {(each["by"], each["how"]) for each in reviews} == {("Ada", "individually")}
    merged = [each for each in reviews if "merged" in str(each["blocks"])]
    assert len(merged) == 1
    _forget_what_ended(desk.hearing)
    assert desk.hearing.quiet()


def _forget_what_ended(hearing: Hearing) -> None:
    """Take out what JupyterLab says of the panels of a kernel that is gone, which it
    may say late."""
    assert all("widget model not found" in each for each in hearing.errors)
    hearing.errors.clear()


@pytest.mark.parametrize("desk", ["disabled"], indirect=True)
async def test_a_site_is_reviewed_with_the_keyboard_alone(desk: ReviewDesk) -> None:
    """From the choice of blocks to the last body, the focus never lost; with comms on
    the kernel's main thread, where nothing is answered while a cell runs."""
    page, book = desk.page, desk.book
    await desk.begin()
    await book.control("blocks-mode").locator("select").focus()
    await page.keyboard.press("ArrowDown")
    await expect(book.control("blocks-rule").first).to_be_visible()
    await page.keyboard.press("Tab")
    for rule in ("headings", "images", "embeds", "tables", "quotes"):
        await expect(page.locator(f"#cmsmig-blocks-rule-{rule}")).to_be_focused()
        if rule != "embeds":
            await page.keyboard.press("Space")
        await page.keyboard.press("Tab")
    await desk.counts(0)
    await book.control("review-name").locator("input").focus()
    await page.keyboard.type("Grace")
    await page.keyboard.press("Escape")
    cells = await page.evaluate("() => window.theNotebook.content.widgets.length")
    await desk.press("o", "a")
    await desk.counts(1)
    await _change_a_body(desk)
    await desk.press("a")
    await desk.counts(2)
    await desk.press("n", "n", "p", "o")
    await desk.press("u")
    await desk.counts(1)
    await desk.press("a")
    for number in range(3, SPLIT + 1):
        await desk.counts(number - 1)
        await desk.press("Enter" if number % 2 else "a")
    await desk.counts(SPLIT)
    assert {each["by"] for each in desk.reviews()} == {"Grace"}
    assert cells == await page.evaluate(
        "() => window.theNotebook.content.widgets.length"
    )
    assert desk.hearing.quiet()


async def _change_a_body(desk: ReviewDesk) -> None:
    """Find a body by its name; choose blocks, change them, undo, all by keys."""
    page = desk.page
    cards = page.locator(".cmsmig-card")
    await desk.press("/")
    await page.keyboard.type("00007")
    await page.keyboard.press("Escape")
    await expect(desk.book.region("title")).to_contain_text("Article 00007")
    await expect(cards).to_have_count(6)
    await desk.press("j", "j")
    await expect(page.locator("#cmsmig-card-2[aria-current=true]")).to_be_focused()
    await desk.press("t", "Shift+Tab", "Enter")
    await expect(cards.nth(2)).to_contain_text("kind changed")
    await desk.press("m")
    await expect(cards).to_have_count(5)
    await desk.press("s", "ArrowDown", "Shift+Tab", "Enter")
    await expect(cards).to_have_count(6)
    await desk.press("r")
    await desk.press("u", "u", "u")
    await expect(cards).to_have_count(6)
    await desk.press("/")
    for _ in "00007":
        await page.keyboard.press("Backspace")
    await page.keyboard.press("Escape")


async def test_nothing_keeps_people_out(desk: ReviewDesk) -> None:
    """Tab comes to each control in sight, in reading order, and axe-core finds nothing
    serious or critical in any of the panels."""
    await desk.begin()
    await desk.split()
    await desk.book.click("body-open")
    await expect(desk.page.locator("#cmsmig-block-merge-0")).to_be_visible()
    await tab_through(desk)
    await desk.page.get_by_text("Accept many at once").click()
    for text in ("Bodies to import", "Accept blocks and embeds"):
        await desk.book.sees(text)
    assert await barriers(desk.page) == []


async def tab_through(desk: ReviewDesk) -> None:
    """Press Tab from the search to the blocks, and insist on the order between."""
    await desk.page.locator("#cmsmig-body-search-it").focus()
    reached = []
    while "cmsmig-block-merge-0" not in reached:
        await desk.press("Tab")
        reached.append(await desk.page.evaluate("() => document.activeElement.id"))
    order = [each for each in reached if each.startswith("cmsmig-")]
    wanted = ("body-state", "body-item", "body-next", "review-accept", "review-undo")
    assert [f"cmsmig-{each}-it" for each in wanted] == [
        each for each in order if each in {f"cmsmig-{name}-it" for name in wanted}
    ]
