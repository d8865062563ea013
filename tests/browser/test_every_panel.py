"""Every notebook after a whole migration, as it stands in either theme at 1000 pixels.

Of the sample site, or of the content folder that CMSMIG_CONTENT names.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from cmsmig.sandbox.sample.build import write_sample
from tests.support.browser.barriers import THEMES, barriers, choose_theme
from tests.support.browser.book import Book
from tests.support.browser.hearing import listened
from tests.support.browser.lab import Lab
from tests.support.browser.project import Rehearsed
from tests.support.browser.walk import NOTEBOOKS, SUBSHELLS
from tests.support.sidebyside import EVERY_WAY

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(400),
    pytest.mark.skipif(not EVERY_WAY, reason="for `make notebooks`"),
]
CONTENT = os.environ.get("CMSMIG_CONTENT", "")
_SIZE = {"width": 1000, "height": 900}
_UNFOLD = """() => document.querySelectorAll(".jp-OutputArea-output details")
  .forEach(each => { each.open = true; })"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def migrated(
    lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Rehearsed]:
    """Return a project of which everything is imported and read back."""
    content = Path(CONTENT or tmp_path_factory.mktemp("content") / "sample")
    if not CONTENT:
        write_sample(content)
    folder = lab.root / "migrated"
    rehearsed = Rehearsed.begin(content, folder, lab.root.parent / "state")
    try:
        accept = ("decide", "--accept-proposals", "--reviewer", "A. Reviewer")
        for arguments in (("pull",), accept, ("import",), ("verify",)):
            process = rehearsed.rehearsal.process(*arguments)
            out, err = await asyncio.to_thread(process.communicate)
            assert process.returncode in (0, 1), f"{out}\n{err}"
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
    context, hearing = await listened(browser)
    book = await Book.at(lab, await context.new_page())
    await book.page.set_viewport_size(_SIZE)
    (path,) = migrated.folder.glob(f"{notebook}_*.ipynb")
    await book.open(f"{migrated.folder.name}/{path.name}")
    await book.run_all()
    await book.page.evaluate(_UNFOLD)
    found = []
    for theme in THEMES:
        await choose_theme(book.page, theme)
        found += await barriers(book.page)
        await book.picture(pictures, f"{path.stem}-{theme.split()[-1]}")
    await book.close()
    await context.close()
    assert hearing.quiet()
    assert not found, "\n".join(dict.fromkeys(found))
