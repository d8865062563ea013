"""Notebook 03 on a site of many bodies: neither the page nor the kernel waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.async_api import Browser, Page

from tests.browser.test_review import pulled
from tests.support.browser.book import Book
from tests.support.browser.lab import Lab
from tests.support.browser.walk import SUBSHELLS
from tests.support.scripts import play

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.soak]

BODIES = 10_000
"""A multiple of 8."""
LONGEST_TASK = 500
"""Milliseconds that anything may hold the page."""
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
    browser: Browser, lab: Lab, tmp_path: Path
) -> None:
    """Looked through, chosen, split, reviewed one by one and in bulk, undone."""
    lab.serve_comms(SUBSHELLS)
    folder = await pulled(lab.root / tmp_path.name, BODIES)
    path = f"{folder.name}/03_preview_rich_text.ipynb"
    async with Book.opened(browser, lab, path) as book:
        page = book.page
        await page.evaluate(_WATCH)
        await book.run_all()
        await _executed(page, _BEAT, "0")
        await play(_steps(), book)
        work = 1000 * float(await _executed(page, "", "max(stretches)"))
        tasks = await page.evaluate("() => window.longTasks")
        elements = await page.evaluate(_ELEMENTS)
        options = await page.locator("select").evaluate_all(
            "all => Math.max(...all.map(each => each.options.length))"
        )
        held = max(tasks, default=0)
        print(f"{held:.0f} ms, {work:.0f} ms of work, {elements} elements")
        assert held < LONGEST_TASK
        assert work < LONGEST_WORK
        assert elements < MOST_ELEMENTS
        assert options < 100
        assert book.hearing.quiet()


def _steps() -> list[dict[str, Any]]:
    """Return what is done, with the numbers that the site shows."""
    text = Path(__file__).with_name("cases").joinpath("many_bodies.yaml").read_text()
    split = BODIES * 5 // 8
    numbers = {
        "BODIES": BODIES,
        "SPLIT": split,
        "LEFT": split - 3,
        "TABLES": BODIES // 8,
    }
    for name, number in numbers.items():
        text = text.replace(name, f"{number:,}")
    return yaml.safe_load(text)


async def _executed(page: Page, code: str, expression: str) -> str:
    """Execute code in the kernel and return what an expression shows then."""
    return await page.evaluate(_EXECUTE, [code, expression])
