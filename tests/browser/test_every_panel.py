"""Every notebook after a whole migration, in either theme at 1000 pixels."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from cmsmig.sandbox.server import SAMPLE
from tests.support.browser.barriers import THEMES, barriers, choose_theme
from tests.support.browser.book import Book
from tests.support.browser.lab import Lab
from tests.support.browser.project import Rehearsed
from tests.support.browser.walk import NOTEBOOKS, SUBSHELLS

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(400),
    pytest.mark.soak,
]
_SIZE = {"width": 1000, "height": 900}
LARGEST = 5_000_000
"""Bytes of a page or notebook that a run leaves of the sample."""
_DRAWN = """() => [...document.images].every(each => each.naturalWidth > 0)
  && document.querySelectorAll(".jp-RenderedHTMLCommon, main").length > 0"""
_UNFOLD = """() => document.querySelectorAll(".jp-OutputArea-output details")
  .forEach(each => { each.open = true; })"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def migrated(lab: Lab) -> AsyncIterator[Rehearsed]:
    """Return a project of which everything is imported and read back."""
    folder = lab.root / "migrated"
    rehearsed = Rehearsed.begin(SAMPLE, folder, lab.root.parent / "state")
    try:
        accept = ("decide", "--accept-proposals", "--reviewer", "A. Reviewer")
        await rehearsed.done(("pull",), accept, ("import",), ("verify",))
        yield rehearsed
    finally:
        rehearsed.end()


@pytest.mark.parametrize("notebook", NOTEBOOKS)
async def test_nothing_keeps_people_out(
    browser: Browser,
    lab: Lab,
    migrated: Rehearsed,
    pictures: Path | None,
    notebook: str,
) -> None:
    """axe-core finds nothing serious, no output is wider than its cell and no word is
    broken, whatever the theme."""
    lab.serve_comms(SUBSHELLS)
    (path,) = migrated.folder.glob(f"{notebook}_*.ipynb")
    found = []
    where = f"{migrated.folder.name}/{path.name}"
    async with Book.opened(browser, lab, where) as book:
        await book.page.set_viewport_size(_SIZE)
        await book.run_all()
        await book.page.evaluate(_UNFOLD)
        for theme in THEMES:
            await choose_theme(book.page, theme)
            found += await barriers(book.page)
            await book.picture(pictures, f"{path.stem}-{theme.split()[-1]}")
        assert book.hearing.quiet()
    assert not found, "\n".join(dict.fromkeys(found))


async def test_what_a_run_leaves_is_whole_without_a_network(
    browser: Browser, lab: Lab, migrated: Rehearsed
) -> None:
    """Each page asks for nothing but itself and draws all its pictures; each page and
    notebook can be sent; the last lines say when, how, and where the report is."""
    reports = lab.root / "reports-of-the-sample"
    said = await migrated.done(("run", "--reports", str(reports)))
    (folder,) = reports.iterdir()
    lines = said.splitlines()[-5:]
    assert f"report: {folder / 'report.html'}" in lines
    assert [each.partition(":")[0] for each in lines[:2]] == ["began", "ended"]
    assert "differences: 0" in lines
    pages = sorted(folder.glob("*.html"))
    assert len(pages) == len(NOTEBOOKS) + 1
    sizes = {each.name: each.stat().st_size for each in folder.rglob("*.*")}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
    context = await browser.new_context(offline=True)
    for each in pages:
        page = await context.new_page()
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        await page.goto(each.as_uri())
        assert [url for url in asked if not url.startswith("data:")] == [each.as_uri()]
        assert await page.evaluate(_DRAWN), each.name
        await page.close()
    await context.close()
