"""Moments at which work was lost or reported wrongly, replayed as one meets them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, expect

from cmsmig.origin.cache import RawCache
from tests.support.browser.book import Book
from tests.support.browser.hearing import listened
from tests.support.browser.lab import Lab
from tests.support.browser.project import Rehearsed
from tests.support.browser.walk import SUBSHELLS

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(400),
    pytest.mark.soak,
]
ACCEPT = ("decide", "--accept-proposals", "--reviewer", "A. Reviewer")
ALL_THERE = "All 47 stories exist. Next: 06, links."


@dataclass(frozen=True)
class Place:
    """A decided project in a Lab, and pages to open its notebooks in."""

    lab: Lab
    context: BrowserContext
    rehearsed: Rehearsed

    @property
    def folder(self) -> Path:
        """Return the project folder."""
        return self.rehearsed.folder

    @asynccontextmanager
    async def opened(self, number: str) -> AsyncIterator[Book]:
        """Open a notebook in a page of its own, and run it."""
        book = await Book.at(self.lab, await self.context.new_page())
        await self.run(book, number)
        yield book
        await book.close()
        await book.page.close()

    async def run(self, book: Book, number: str) -> None:
        """Open a notebook in a page, and run it."""
        (path,) = self.folder.glob(f"{number}_*.ipynb")
        await book.open(f"{self.folder.name}/{path.name}")
        await book.run_all()


@pytest_asyncio.fixture(loop_scope="session")
async def place(
    browser: Browser, lab: Lab, tmp_path: Path, small_site: Path
) -> AsyncIterator[Place]:
    """Return a project of which everything is read and decided."""
    lab.serve_comms(SUBSHELLS)
    kept = tmp_path / "requests.sqlite"
    folder = lab.root / tmp_path.name
    rehearsed = Rehearsed.begin(small_site, folder, lab.root.parent / "state", kept)
    context, _ = await listened(browser)
    try:
        await rehearsed.done(("pull",), ACCEPT)
        yield Place(lab, context, rehearsed)
    finally:
        await context.close()
        rehearsed.end()


async def test_another_sites_token_with_an_old_raw(place: Place) -> None:
    """01 says whose site is here, and what to do; nothing of it is replaced."""
    raw = place.folder / "raw"
    listed = (raw / "sites.json").read_text("utf-8")
    held = RawCache(raw).held_site()
    assert held
    (raw / "sites.json").write_text(listed.replace(held, "f" * 24))
    (raw / ".pages" / "site.json").unlink()
    before = {each: each.read_bytes() for each in raw.rglob("*.jsonl")}
    async with place.opened("01") as book:
        await book.click("pull-start")
        await book.sees("another project folder", f"({'f' * 24})", f"({held})")
    assert before == {each: each.read_bytes() for each in raw.rglob("*.jsonl")}


async def test_05_is_open_while_04_runs(place: Place) -> None:
    """A press in 05 names the run of 04, and afterwards what comes first; 04 stops and
    continues, and then 05 works unchanged."""
    gate = place.rehearsed.gate
    async with place.opened("04") as four, place.opened("05") as five:
        gate.hold("POST", r"/components$", after=1)
        await four.click("prepare-start")
        await gate.reached()
        await five.click("create-start")
        await five.sees("notebook 04")
        await four.click("prepare-stop")
        await four.sees("Stopping after the calls in flight")
        gate.release()
        await expect(four.control("prepare-start")).to_have_text("Go on")
        await five.click("create-start")
        await five.sees("notebook 04")
        await four.click("prepare-start")
        await four.sees("are there. Next: 05, stories.")
        await five.click("create-start")
        await five.sees(ALL_THERE)


async def test_a_reload_and_a_kernel_restart_in_mid_run(place: Place) -> None:
    """The panel names the run that ended and continues it: each story once."""
    gate = place.rehearsed.gate
    await place.rehearsed.done(("prepare",))
    async with place.opened("05") as book:
        gate.hold("POST", r"/stories$", after=9)
        await book.click("create-start")
        await gate.reached()
        await book.restart_the_kernel()
        gate.release()
        await book.reload()
        await place.run(book, "05")
        await book.sees("ended before it was done", "of 47 stories exist")
        await expect(book.control("create-start")).to_have_text("Go on")
        await book.click("create-start")
        await book.sees(ALL_THERE)
    space = place.rehearsed.rehearsal.handle.state.space
    stories = [each for each in space.stories.values() if not each.is_folder]
    assert len(stories) == 47


async def test_the_sandbox_restarts_between_import_and_the_next_plan(
    place: Place,
) -> None:
    """It is as it was: the plan has nothing to make, and 07 finds no difference."""
    await place.rehearsed.done(("import",))
    before = place.rehearsed.content()
    place.rehearsed.restart()
    assert place.rehearsed.content() == before
    async with place.opened("04") as book:
        await book.sees("items have a story")
    async with place.opened("07") as book:
        await book.click("verify-start")
        await book.sees("0 differences between decisions, ledger and destination")
