"""The browser of items in notebook 01, opened on a content folder."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from cmsmig.run.locate import find_notebooks, notebooks_folder
from tests.support.browser.book import Book
from tests.support.browser.hearing import Hearing, listened
from tests.support.browser.keyboard import Keyboard
from tests.support.browser.lab import Lab
from tests.support.browser.walk import SUBSHELLS

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


@dataclass
class Browsed:
    """The browser of a site's items, on a page of its own."""

    book: Book
    hearing: Hearing
    keys: Keyboard
    pictures: Path | None

    @property
    def page(self) -> Page:
        """Return the page."""
        return self.book.page

    async def picture(self, name: str) -> None:
        """Write a picture of the notebook, where pictures are asked for."""
        await self.book.picture(self.pictures, f"explorer-{name}")


@asynccontextmanager
async def browsing(
    browser: Browser, lab: Lab, folder: Path, pictures: Path | None
) -> AsyncIterator[Browsed]:
    """Open notebook 01 on the pulled site in a folder below the Lab's root, and run the
    browser's cells, until all of its items are listed."""
    lab.serve_comms(SUBSHELLS)
    (folder / "cmsmig.toml").write_text("")
    (notebook,) = (
        each.path
        for each in find_notebooks(notebooks_folder())
        if each.path.name.startswith("01")
    )
    shutil.copy(notebook, folder)
    context, hearing = await listened(browser)
    page = await context.new_page()
    book = await Book.at(lab, page)
    await book.open(f"{folder.name}/{notebook.name}")
    await page.evaluate(_RUN)
    await expect(book.region("list")).to_contain_text("items")
    await expect(book.region("progress")).to_be_empty()
    yield Browsed(book, hearing, Keyboard(page), pictures)
    await book.close()
    await context.close()
