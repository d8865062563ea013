"""One notebook in JupyterLab, worked as a person works it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, expect

from cmsmig.ui.controls import dom_class
from tests.support.browser.hearing import Hearing, listened
from tests.support.browser.lab import TOKEN, Lab
from tests.support.timelimit import patience

_OPEN = """async path => {
  const app = window.jupyterapp;
  const panel = await app.commands.execute(
    "docmanager:open", {path, factory: "Notebook"});
  await panel.context.ready;
  await panel.sessionContext.ready;
  window.theNotebook = panel;
}"""
_RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
_FAILED = """() => window.theNotebook.content.widgets
  .filter(cell => cell.model.type === "code")
  .flatMap(cell => cell.model.outputs.toJSON())
  .filter(output => output.output_type === "error")
  .map(output => `${output.ename}: ${output.evalue}`)"""
_AT_THE_TOP = "() => window.theNotebook.content.outerNode.scrollTop === 0"
_SHOWN = """() => {
  const controls = ".cmsmig-live :is(button, select, input)";
  const named = /^cmsmig-(?!live|sheet)/;
  return [...document.querySelectorAll(controls)]
    .map(each => each.closest("[class*=cmsmig-]:not(.cmsmig-live)") ?? each)
    .flatMap(each => [...each.classList].filter(one => named.test(one)))
    .map(one => one.replace("cmsmig-", ""));
}"""
"""The names of all controls in the page."""
_CLOSE = """async () => {
  const panel = window.theNotebook;
  await panel.sessionContext.shutdown();
  panel.context.model.dirty = false;
  panel.dispose();
}"""
_HEIGHT = """() => {
  const shown = [...document.querySelectorAll(".jp-Cell")];
  return shown.reduce((sum, cell) => sum + cell.getBoundingClientRect().height, 0);
}"""

_TOP = """async () => {
  window.jupyterapp.shell.collapseLeft();
  await new Promise(requestAnimationFrame);
  window.theNotebook.content.outerNode.scrollTop = 0;
  await new Promise(requestAnimationFrame);
}"""


_ANSWERED = b"update_states"
"""In what a kernel answers when a page asks which controls it has already."""


@dataclass
class Book:
    """The page of a JupyterLab, the notebook that is open in it, what was driven."""

    page: Page
    driven: set[str] = field(default_factory=set)
    """Names of the controls that were worked, over all notebooks."""
    shown: set[str] = field(default_factory=set)
    """Names of the controls that notebooks showed."""
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether a kernel has sent the page the controls that it has already."""

    hearing: Hearing = field(default_factory=Hearing)
    """What the browser says and asks for."""

    def __post_init__(self) -> None:
        self.page.on(
            "websocket", lambda socket: socket.on("framereceived", self._received)
        )

    @classmethod
    async def at(cls, lab: Lab, page: Page) -> Book:
        """Go to the Lab and wait until it is there."""
        page.set_default_timeout(1000 * patience())
        expect.set_options(timeout=1000 * patience())
        book = cls(page)
        await page.goto(f"{lab.address}/lab?token={TOKEN}&reset")
        await book._restored()
        return book

    @classmethod
    @asynccontextmanager
    async def opened(cls, browser: Browser, lab: Lab, path: str) -> AsyncIterator[Book]:
        """Open a notebook, if one is named, in a context of its own, and close both."""
        context, hearing = await listened(browser)
        book = await cls.at(lab, await context.new_page())
        book.hearing = hearing
        if path:
            await book.open(path)
        yield book
        await book.close()
        await context.close()

    async def open(self, path: str) -> None:
        """Open a notebook, by its path below the Lab's root.

        Cells that make controls while a page still asks for those that are there can
        leave it without some of them: a person is not as fast.
        """
        self.answered.clear()
        await self.page.evaluate(_OPEN, path)
        async with asyncio.timeout(patience()):
            await self.answered.wait()

    def _received(self, payload: str | bytes) -> None:
        frame = payload.encode() if isinstance(payload, str) else payload
        if _ANSWERED in frame:
            self.answered.set()

    async def run_all(self) -> None:
        """Run all cells and insist that none ends in an error."""
        await self.page.evaluate(_RUN_ALL)
        assert await self.page.evaluate(_FAILED) == []

    async def is_at_the_top(self) -> None:
        """Wait until the first lines of the notebook are what a person sees."""
        await self.page.wait_for_function(_AT_THE_TOP)

    async def reload(self) -> None:
        """Reload the page, and wait until the Lab is there again."""
        await self.page.reload()
        await self._restored()

    async def _restored(self) -> None:
        await self.page.wait_for_function("() => window.jupyterapp?.restored")
        await self.page.evaluate("() => window.jupyterapp.restored")

    async def restart_the_kernel(self) -> None:
        """Restart the notebook's kernel."""
        kernel = "window.theNotebook.sessionContext.session.kernel"
        await self.page.evaluate(f"() => {kernel}.restart()")

    async def close(self) -> None:
        """Close the notebook without saving it; end its kernel."""
        self.shown.update(await self.page.evaluate(_SHOWN))
        await self.page.evaluate(_CLOSE)

    async def press_card(self, place: int) -> None:
        """Click on a block of a body."""
        await self.page.locator(".cmsmig-card").nth(place).locator(".kind").click()
        self.driven.add("block-select")

    def outputs(self) -> Locator:
        """Return what the cells put out."""
        return self.page.locator(".jp-OutputArea-output")

    def output(self, text: str) -> Locator:
        """Return the output that holds a text."""
        return self.outputs().filter(has_text=text).first

    def control(self, name: str) -> Locator:
        """Return a control of the registry; each one of several in a table."""
        return self.page.locator(f".{dom_class(name)}")

    def region(self, name: str) -> Locator:
        """Return a region of a panel of live HTML."""
        return self.page.locator(f"[data-region='{name}']")

    async def click(self, name: str, which: int = 0) -> None:
        """Click a button."""
        await self.control(name).nth(which).click()
        self.driven.add(name)

    async def pick(self, name: str, label: str, which: int = 0) -> None:
        """Click one of the buttons of a name by what it says, a count and the sign that
        is its key left out."""
        pattern = rf"^{re.escape(label)}(: [\d,]+)?[^\w\s]?$"
        said = self.page.get_by_text(re.compile(pattern))
        await self.control(name).and_(said).nth(which).click()
        self.driven.add(name)

    async def choose(self, name: str, label: str, which: int = 0) -> None:
        """Choose an option of a drop-down by what it says, a count left out."""
        index = await self._offered(name, label, which)
        select = self.control(name).nth(which).locator("select")
        await select.select_option(index=index)
        self.driven.add(name)

    async def _offered(self, name: str, label: str, which: int) -> int:
        """Wait until a drop-down offers something; return its place.

        A panel that learns more is drawn again, and holds nothing in between.
        """
        offered: list[str] = []
        try:
            async with asyncio.timeout(patience()):
                while True:
                    offered = await self.options(name, which=which)
                    said = [re.sub(r" \([\d,]+\)$", "", each) for each in offered]
                    known = offered if label in offered else said
                    if label in known:
                        return known.index(label)
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{name} offers {offered}") from None

    async def fill(self, name: str, text: str, which: int = 0) -> None:
        """Type a text over what a field holds, and leave the field."""
        field = self.control(name).nth(which).locator("input")
        await field.fill(text)
        await field.press("Tab")
        self.driven.add(name)

    async def tick(self, name: str, which: int = 0) -> None:
        """Change a box from ticked to not, or back."""
        await self.control(name).nth(which).locator("input[type=checkbox]").click()
        self.driven.add(name)

    async def options(self, name: str, which: int = 0) -> list[str]:
        """Return what a drop-down offers."""
        listed = await self._options(name, which).all_inner_texts()
        return [" ".join(text.split()) for text in listed]

    def _options(self, name: str, which: int) -> Locator:
        return self.control(name).nth(which).locator("option")

    async def choose_place(self, name: str, place: int) -> None:
        """Choose what a drop-down offers at a place, once it offers that."""
        async with asyncio.timeout(patience()):
            while not (offered := await self.options(name))[place:]:
                await asyncio.sleep(0.05)
        await self.choose(name, offered[place])

    async def press(self, text: str, which: int | None = None) -> None:
        """Click on words of the page; `which`, where they are there twice."""
        found = self.page.get_by_text(text)
        await (found if which is None else found.nth(which)).click()

    async def unfold(self, selector: str) -> None:
        """Click on each element of a CSS selector."""
        for each in await self.page.locator(selector).all():
            await each.click()

    async def press_in(self, name: str, text: str) -> None:
        """Click on words of a control."""
        await self.control(name).get_by_text(text).click()
        self.driven.add(name)

    async def offers(self, name: str, *labels: str) -> None:
        """Insist on what a drop-down offers."""
        assert await self.options(name) == [*labels]

    async def holds(self, name: str, value: str, which: int = 0) -> None:
        """Wait until a field holds a text."""
        field = self.control(name).locator("input").nth(which)
        await expect(field).to_have_value(value)

    async def labelled(self, name: str, text: str) -> None:
        """Wait until a button has this label."""
        await expect(self.control(name)).to_have_text(text)

    async def shows(self, region: str, *texts: str) -> None:
        """Wait until a region holds each of these texts."""
        for text in texts:
            await expect(self.region(region)).to_contain_text(text)

    async def lacks(self, region: str, text: str) -> None:
        """Wait until a region does not hold a text."""
        await expect(self.region(region)).not_to_contain_text(text)

    async def is_empty(self, region: str) -> None:
        """Wait until a region holds nothing."""
        await expect(self.region(region)).to_be_empty()

    async def reads(self, selector: str, text: str) -> None:
        """Wait until the first element of a CSS selector holds a text."""
        await expect(self.page.locator(selector).first).to_contain_text(text)

    async def counts(self, selector: str, number: int) -> None:
        """Wait until there are so many elements of a CSS selector."""
        await expect(self.page.locator(selector)).to_have_count(number)

    async def has_focus(self, selector: str) -> None:
        """Wait until the first element of a CSS selector has the focus."""
        await expect(self.page.locator(selector).first).to_be_focused()

    async def newest_first(self) -> None:
        """Insist that the days of the list go back in time."""
        days = await self.region("explore_list").locator("time").all_inner_texts()
        assert days == sorted(days, reverse=True) != []

    async def hides(self, text: str) -> None:
        """Wait until no output holds a text."""
        await expect(self.output(text)).to_be_hidden()

    async def sees(self, *texts: str) -> None:
        """Wait until the outputs hold each of these texts."""
        for text in texts:
            await expect(self.output(text)).to_be_visible()

    async def picture(self, folder: Path | None, name: str) -> None:
        """Write a picture of the whole notebook, where pictures are asked for."""
        if folder is None:
            return
        size = self.page.viewport_size
        assert size is not None
        height = int(await self.page.evaluate(_HEIGHT)) + 400
        await self.page.set_viewport_size({"width": size["width"], "height": height})
        await self.page.evaluate(_TOP)
        folder.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=folder / f"{name}.png")
        await self.page.set_viewport_size(size)
