"""Notebook 03 on a site of many bodies: neither the page nor the kernel waits.

2,000 of them, so that this ends soon; 10,000 by `make soak KIND=many-bodies`.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.test_review import pulled
from tests.support.browser.book import Book
from tests.support.browser.hearing import listened
from tests.support.browser.lab import Lab

pytestmark = pytest.mark.asyncio(loop_scope="session")

BODIES = int(os.environ.get("CMSMIG_BODIES", "1000"))
"""A multiple of 8, at least 800."""
SPLIT, TABLES = BODIES * 5 // 8, BODIES // 8
"""Those that rules split, and those with a table."""
LONGEST_TASK = float(os.environ.get("CMSMIG_LONGEST_TASK", "inf"))
"""Milliseconds that anything may hold the page; `make soak KIND=many-bodies` sets it,
since the page's clock counts other programs of a crowded machine too."""
MOST_ELEMENTS = 1000
"""Elements that the panels may hold, however many bodies there are."""
LONGEST_WORK = 300
"""Milliseconds that the kernel may work at a stretch once its cells have run, as its
own clock counts them: other programs of the machine are no matter of ours."""
_WATCH = """() => {
  window.longTasks = [];
  new PerformanceObserver(list => {
    for (const each of list.getEntries()) window.longTasks.push(each.duration);
  }).observe({type: "longtask"});
}"""
_ELEMENTS = """() => Math.max(...[...document.querySelectorAll(".cmsmig-live")]
  .map(each => each.querySelectorAll("*").length))"""
_BEAT = """
import asyncio, time
stretches = [0.0]
async def beat():
    last = time.thread_time()
    while True:
        await asyncio.sleep(0.001)
        now = time.thread_time()
        stretches.append(now - last)
        last = now
beating = asyncio.ensure_future(beat())
"""
_EXECUTE = """async ([code, expression]) => {
  const kernel = window.theNotebook.sessionContext.session.kernel;
  const asked = {code, silent: true, user_expressions: {it: expression}};
  const reply = await kernel.requestExecute(asked).done;
  return reply.content.user_expressions.it.data["text/plain"];
}"""


async def test_many_bodies_stay_fluid(
    browser: Browser, lab: Lab, tmp_path: Path, pictures: Path | None
) -> None:
    """Looked through, chosen, split, reviewed one by one and in bulk, undone."""
    lab.serve_comms("perCommTarget")
    folder = await pulled(lab.root / tmp_path.name, BODIES)
    context, hearing = await listened(browser)
    book = await Book.at(lab, await context.new_page())
    page = book.page
    await book.open(f"{folder.name}/03_preview_rich_text.ipynb")
    await page.evaluate(_WATCH)
    await book.run_all()
    await _executed(page, _BEAT, "0")
    await book.sees("bodies are looked through so far")
    waits = {name: await _waited(book, work) for name, work in WORK.items()}
    await expect(book.region("tally")).to_contain_text(f"all {BODIES:,} bodies")
    await book.picture(pictures, "many-bodies")
    work = 1000 * float(await _executed(page, "", "max(stretches)"))
    tasks = await page.evaluate("() => window.longTasks")
    elements = await page.evaluate(_ELEMENTS)
    options = await page.locator("select").evaluate_all(
        "all => Math.max(...all.map(each => each.options.length))"
    )
    longest = max(tasks, default=0)
    print(f"{longest:.0f} ms, {work:.0f} ms of work, {elements} elements", waits)
    assert longest < LONGEST_TASK
    assert work < LONGEST_WORK
    assert elements < MOST_ELEMENTS
    assert options < 100
    assert hearing.quiet()
    await book.close()
    await context.close()


async def _executed(page: Page, code: str, expression: str) -> str:
    """Execute code in the kernel and return what an expression shows then."""
    return await page.evaluate(_EXECUTE, [code, expression])


async def _waited(book: Book, work: Callable[[Book], Awaitable[None]]) -> int:
    """Do something; return the milliseconds until it is seen."""
    before = await book.page.evaluate("() => performance.now()")
    await work(book)
    return round(await book.page.evaluate("() => performance.now()") - before)


async def _leaf(book: Book) -> None:
    """Go on and back while everything is still being looked through."""
    steps = book.region("steps")
    for place in (2, 3, 4):
        await book.click("body-next")
        await expect(steps).to_contain_text(f"{place} of")
    await book.click("body-on")
    await expect(steps).to_contain_text("34 of")


async def _search(book: Book) -> None:
    await book.fill("body-search", "article 0077")
    await expect(book.region("steps")).to_contain_text("of 10")
    await book.fill("body-search", "")
    await expect(book.region("steps")).to_contain_text(f"of {BODIES:,}")


async def _split(book: Book) -> None:
    await book.choose("blocks-mode", "blocks")
    for rule in ("headings", "lone pictures", "quotes", "tables"):
        await book.control("blocks-rule").get_by_text(rule).click()
    # Everything has to be looked through for this, and then once more.
    await expect(book.region("tally")).to_contain_text(f"{SPLIT:,} left")


async def _filter(book: Book) -> None:
    await book.choose("body-structure", "table")
    await expect(book.region("steps")).to_contain_text(f"of {TABLES:,}")
    await book.choose("body-structure", "anything")
    await book.choose("body-loss", "some loss")
    await expect(book.region("steps")).not_to_contain_text(f"of {BODIES:,}")
    await book.choose("body-loss", "any")
    await expect(book.region("steps")).to_contain_text(f"of {BODIES:,}")


async def _review(book: Book) -> None:
    await book.fill("review-name", "Ada")
    await book.click("body-open")
    for number in (1, 2, 3):
        await book.click("review-accept")
        await expect(book.region("tally")).to_contain_text(f"{number} reviewed")


async def _review_all(book: Book) -> None:
    await book.page.get_by_text("Accept many at once").click()
    await book.click("review-all")
    await expect(book.region("tally")).to_contain_text(f"{SPLIT:,} reviewed, 0 left")


async def _undo(book: Book) -> None:
    await book.click("review-undo")
    await expect(book.region("tally")).to_contain_text(
        f"3 reviewed, {SPLIT - 3:,} left"
    )


async def _embeds(book: Book) -> None:
    await book.fill("embed-search", "host7.")
    await expect(book.control("embed-signature")).to_have_count(1)
    await book.choose("embed-signature", "link")
    await book.choose("embed-kind", "raw HTML block", which=-1)
    await expect(book.region("tally")).to_contain_text(f"all {BODIES:,}")


WORK = {
    "leaf": _leaf,
    "search": _search,
    "split": _split,
    "filter": _filter,
    "review": _review,
    "review all": _review_all,
    "undo": _undo,
    "embeds": _embeds,
}
"""What is done, in order."""
