"""Notebook 01: the items of the sample site in two languages, browsed by keyboard
alone."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image
from playwright.async_api import Browser, expect

from cmsmig.origin.files import FileRow, FileStore
from cmsmig.run.locations import find_notebooks, notebooks_folder
from tests.support.browser.barriers import THEMES, barriers, choose_theme
from tests.support.browser.book import Book
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import Lab
from tests.support.browser.walk import SUBSHELLS
from tests.support.cases import cases
from tests.support.scripts import play
from tests.support.sites.localized import write_localized_sample

pytestmark = pytest.mark.asyncio(loop_scope="session")
_RUN = """async () => {
  const cells = window.theNotebook.content;
  const wanted = ["parameters", "workspace", "explore"];
  cells.deselectAll();
  for (const [index, cell] of cells.widgets.entries()) {
    if (!wanted.includes(cell.model.id)) continue;
    cells.activeCellIndex = index;
    await window.jupyterapp.commands.execute("notebook:run-cell");
  }
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def book(
    browser: Browser, lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Book]:
    """Open notebook 01 on that site as pulled, run the browser's cells, and wait
    until all items are listed."""
    folder = lab.root / tmp_path_factory.mktemp("explorer").name
    write_localized_sample(folder / "raw")
    (folder / "cmsmig.toml").write_text("")
    _write_pictures(folder)
    lab.serve_comms(SUBSHELLS)
    path = find_notebooks(notebooks_folder())[1].path
    shutil.copy(path, folder)
    async with Book.opened(browser, lab, f"{folder.name}/{path.name}") as opened:
        await opened.page.evaluate(_RUN)
        await opened.shows("explore_list", "287 items")
        await opened.is_empty("explore_progress")
        yield opened
        assert opened.hearing.quiet()


def _write_pictures(folder: Path) -> None:
    """Write one picture as the local copy of every picture that items name; its size
    is left out, so that none is one of the largest."""
    made = io.BytesIO()
    Image.new("RGB", (300, 200), "green").save(made, "PNG")
    body = made.getvalue()
    digest = sha256(body).hexdigest()
    texts = [path.read_text("utf-8") for path in folder.glob("raw/items/*.json")]
    addresses = set(re.findall(r"\{origin_files\}/[^\"\\]+", "".join(texts)))
    store = FileStore(folder / "files", folder / "raw")
    (folder / "files").mkdir()
    store.path(digest).write_bytes(body)
    store.save(FileRow(each, digest, content_type="image/png") for each in addresses)


@cases(__file__, "questions.yaml")
async def test_a_question_is_answered_by_keyboard(
    book: Book, case: dict[str, Any]
) -> None:
    """In a few steps, the focus never lost; a word typed is one step."""
    await play(case["steps"], Keyboard(book.page), book)


@pytest.mark.parametrize("theme", THEMES)
async def test_nothing_keeps_people_out(book: Book, theme: str) -> None:
    """In either theme axe-core finds nothing serious in the list and in an item, and
    at 1000 pixels nothing is wider than the panel."""
    keys = Keyboard(book.page)
    await choose_theme(book.page, theme)
    await book.page.set_viewport_size({"width": 1000, "height": 900})
    await keys.ask()
    await keys.down()
    assert await barriers(book.page, ".cmsmig-live") == []
    await keys.keys("Enter")
    await book.has_focus("#cmsmig-open-title")
    assert await barriers(book.page, ".cmsmig-live") == []


async def test_pictures_are_before_the_names(book: Book) -> None:
    """Each drawn, next to the name at 1000 pixels too, and of one size, so that no row
    jumps when they come."""
    await book.page.set_viewport_size({"width": 1000, "height": 900})
    keys = Keyboard(book.page)
    await keys.ask()
    shown = book.page.locator("[data-region=explore_list] td .cmsmig-thumbnail img")
    await expect(shown.first).to_be_visible()
    sizes = await shown.evaluate_all(
        "found => found.map(each => [each.naturalWidth > 0, each.width, each.height])"
    )
    assert sizes == [[True, 32, 32]] * len(sizes)
    gaps = await shown.evaluate_all(
        "found => found.map(each => each.closest('td').querySelector('button')"
        ".getBoundingClientRect().left - each.getBoundingClientRect().right)"
    )
    assert min(gaps) >= 4
    rows = book.page.locator("[data-region=explore_list] tbody tr")
    heights = await rows.evaluate_all("all => all.map(each => each.clientHeight)")
    assert min(heights) >= 36
