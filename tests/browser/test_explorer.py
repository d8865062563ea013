"""Notebook 01: the items of a site browsed in JupyterLab, by keyboard alone too."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from cmsmig.sandbox.server import SAMPLE
from tests.support.browser.barriers import THEMES, barriers, choose_theme
from tests.support.browser.browsing import Browsed, browsing
from tests.support.browser.lab import Lab

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browsed(
    browser: Browser,
    lab: Lab,
    tmp_path_factory: pytest.TempPathFactory,
    pictures: Path | None,
) -> AsyncIterator[Browsed]:
    """Open notebook 01 on the sample site as pulled, and run the browser's cells."""
    folder = lab.root / tmp_path_factory.mktemp("explorer").name
    shutil.copytree(SAMPLE, folder / "raw")
    async with browsing(browser, lab, folder, pictures) as opened:
        await expect(opened.book.region("list")).to_contain_text("278 items")
        yield opened


async def test_posts_without_a_cover(browsed: Browsed) -> None:
    """Which posts have no cover picture? Six steps; the list says which."""
    keys, listed = browsed.keys, browsed.book.region("list")
    await keys.ask()
    await keys.choose("c", "Journal")
    await expect(listed).to_contain_text("71 items")
    await keys.choose("f", "Main")
    await expect(browsed.book.control("explore-test")).to_be_visible()
    await expect(listed).not_to_contain_text("71 items")
    await expect(listed).to_contain_text("items")
    await browsed.picture("no-cover")
    assert len(keys.steps) == 6


async def test_items_that_point_to_an_author(browsed: Browsed) -> None:
    """Which items point to this author? Found by name, opened, listed: six steps."""
    keys, book = browsed.keys, browsed.book
    await keys.ask()
    await keys.press("/")
    await keys.type("Bram Oakes")
    await expect(book.region("list")).to_contain_text("15 items")
    await keys.press("Escape")
    await keys.down()
    await keys.press("Enter")
    await expect(browsed.page.locator("#cmsmig-item-title")).to_be_focused()
    item = book.region("item")
    await expect(item).to_contain_text("Bram Oakes")
    await browsed.picture("author")
    await expect(item).to_contain_text("Referred to by")
    await keys.press("r")
    assert len(keys.steps) == 6
    await expect(book.region("said")).to_contain_text("the items that refer to")
    await expect(book.region("list")).to_contain_text("Journal posts")


async def test_what_is_live_but_changed_since(browsed: Browsed) -> None:
    """What is live but changed since? Three steps; opened, the versions stand side by
    side, and what differs is marked."""
    keys, book = browsed.keys, browsed.book
    await keys.ask()
    await keys.choose("w", "live")
    await expect(book.region("list")).to_contain_text("9 items")
    assert len(keys.steps) == 3
    await browsed.picture("changed")
    await keys.down()
    await keys.press("Enter")
    item = book.region("item")
    await expect(item).to_contain_text("Visitors see (live)")
    await expect(item.locator(".differs").first).to_be_visible()
    await browsed.picture("versions")
    await keys.press("b")
    await expect(book.control("explore-open").first).to_be_focused()


async def test_what_was_changed_last_and_what_is_in_a_category(
    browsed: Browsed,
) -> None:
    """Each order and the first facet have a key: three steps each."""
    keys, listed = browsed.keys, browsed.book.region("list")
    await keys.ask()
    await keys.choose("o", "Ch")
    head = listed.locator("th[aria-sort=descending]")
    await expect(head).to_contain_text("Changed")
    assert len(keys.steps) == 3
    days = await listed.locator("time").all_inner_texts()
    assert days == sorted(days, reverse=True)
    await keys.choose("c", "Journal")
    await expect(listed).to_contain_text("71 items")
    facet = browsed.book.control("explore-facet").first.locator("select")
    label = (await facet.locator("option").all_inner_texts())[1]
    await keys.choose("v", label.split(" (")[0])
    await expect(listed).not_to_contain_text("71 items")
    count = label.rpartition("(")[2].rstrip(")")
    await expect(listed).to_contain_text(f"{count} item")


@pytest.mark.parametrize("theme", THEMES)
async def test_nothing_keeps_people_out(browsed: Browsed, theme: str) -> None:
    """In either theme axe-core finds nothing serious in the list and in an item, and
    at 1000 pixels nothing is wider than the panel."""
    page, keys = browsed.page, browsed.keys
    await choose_theme(page, theme)
    size = page.viewport_size
    await page.set_viewport_size({"width": 1000, "height": 900})
    await keys.ask()
    await keys.down()
    await _is_usable(browsed)
    await browsed.picture(f"list-{theme.split()[-1]}")
    await keys.press("Enter")
    await expect(page.locator("#cmsmig-item-title")).to_be_focused()
    await _is_usable(browsed)
    await browsed.picture(f"item-{theme.split()[-1]}")
    await choose_theme(page, THEMES[0])
    await page.set_viewport_size(size)
    assert browsed.hearing.quiet()


async def _is_usable(browsed: Browsed) -> None:
    assert await barriers(browsed.page, ".cmsmig-live") == []
