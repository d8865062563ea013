"""Content that tries to run something or to ask other hosts: it does neither."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.browser.book import Book
from tests.support.browser.hearing import MARKER, listened
from tests.support.browser.hostile import ABROAD, VECTORS
from tests.support.browser.lab import Lab
from tests.support.browser.project import Unattended
from tests.support.timelimit import patience

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(400)]
SHOWN_IN = ("01_inspect_origin", "02_design_components", "03_preview_rich_text")
"""The notebooks that show what the origin's texts hold."""
_TYPESET = """async () => {
  const typesetter = window.theNotebook.content.rendermime.latexTypesetter;
  for (const each of document.querySelectorAll(".jp-OutputArea .jp-RenderedHTML"))
    await typesetter.typeset(each);
  return document.querySelectorAll(".jp-OutputArea mjx-container").length;
}"""
"""Typesets the outputs as the Lab does, to the end; tells how many formulas it made."""
_UNFOLD = """() => document.querySelectorAll("details")
  .forEach(each => { each.open = true; })"""


async def test_it_does_run_where_nothing_guards(browser: Browser) -> None:
    """Each way is noticed in a bare page: what is not noticed elsewhere did not run."""
    context, hearing = await listened(browser)
    page = await context.new_page()
    await page.route("**/*.example/**", lambda route: route.abort())
    await page.set_content("".join(VECTORS.values()) + ABROAD, wait_until="load")
    await page.get_by_text("Follow the hostile link").click()
    await expect(page.locator("iframe")).to_have_count(3)
    async with asyncio.timeout(patience()):
        while len(set(hearing.ran)) < len(VECTORS):
            await page.evaluate("() => new Promise(requestAnimationFrame)")
    await context.close()
    said = {each.removeprefix(f"{MARKER}: ") for each in hearing.ran}
    assert said == VECTORS.keys()
    assert {each.split("/")[2] for each in hearing.away} == {
        "abroad.example",
        "video.example",
    }


@pytest.mark.parametrize("trusted", [True, False])
async def test_an_output_notebook_in_the_lab(
    unattended: Unattended,
    lab: Lab,
    browser: Browser,
    pictures: Path | None,
    trusted: bool,
) -> None:
    """Trusted, so that the Lab itself takes nothing out of it, and as it comes."""
    name = SHOWN_IN[-1]
    path = lab.root / f"{name}-{trusted}.ipynb"
    # The Lab knows by what is in a notebook whether it is trusted.
    document = json.loads((unattended.reports / f"{name}.ipynb").read_text("utf-8"))
    document["metadata"]["trusted_here"] = trusted
    path.write_text(json.dumps(document), "utf-8")
    if trusted:
        await _trust(lab, path)
    where = str(path.relative_to(lab.root))
    async with Book.opened(browser, lab, where) as book:
        await _looked_at(book.page)
        assert await book.page.evaluate(_TYPESET) == 0
        await book.picture(pictures, path.stem)
        # Before the end: a kernel that goes as it comes is an error to the Lab.
        assert book.hearing.quiet()


@pytest.mark.parametrize("name", [*SHOWN_IN, "report"])
async def test_a_page_of_a_run(
    unattended: Unattended, browser: Browser, name: str
) -> None:
    """The notebooks' HTML and the report, opened from the folder they lie in."""
    context, hearing = await listened(browser)
    page = await context.new_page()
    await page.goto((unattended.reports / f"{name}.html").as_uri())
    await _looked_at(page)
    await context.close()
    assert hearing.quiet()


async def _trust(lab: Lab, path: Path) -> None:
    """Sign a notebook as the Lab's user does with `Trust Notebook`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "jupyter", "trust", path, env=lab.environ
    )
    assert await process.wait() == 0


async def _looked_at(page: Page) -> None:
    """Open what is folded, show every part, and follow the hostile links."""
    await expect(page.get_by_text("onerror").first).to_be_attached()
    for frame in page.frames:
        await frame.evaluate(_UNFOLD)
        for link in await frame.get_by_text("Follow the hostile link").all():
            if await link.is_visible():
                await link.click()
        assert await frame.locator("a[href^='javascript:' i]").count() == 0
