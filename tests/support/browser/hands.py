"""A panel worked by mouse, or by keys alone, each press of a person counted."""

from __future__ import annotations

from abc import ABC, abstractmethod

from playwright.async_api import Locator, Page

_PAST_THE_FOCUS = """(wanted) => document.activeElement
  .compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_PRECEDING"""
_IN_ITS_ROW = """(wanted) => {
  const row = wanted.closest("[data-item]");
  return !row || row.contains(document.activeElement);
}"""
_BELOW_THE_FOCUS = """(wanted) => {
  const row = document.activeElement.closest("[data-item]");
  return !row || row.compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_FOLLOWING;
}"""
_HAS_FOCUS = "(wanted) => wanted === document.activeElement"
_WITHIN = "() => document.activeElement.closest('.cmsmig-live') !== null"
_KEY = "(each) => each.closest('[data-item]') ? '' : each.dataset.key ?? ''"
_CHOSEN = "(each) => each.selectedOptions[0].label"
_MOST = 120
"""Presses after which a control counts as out of reach."""
_REST = 300
"""Milliseconds after which a panel sends what keys chose."""


class Hand(ABC):
    """What a person works a panel with; counts each press."""

    name = ""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.presses = 0

    @abstractmethod
    async def begin(self, panel: str) -> None:
        """Go to a panel; that is not counted."""

    @abstractmethod
    async def press(self, wanted: Locator, *, leaves: bool = False) -> None:
        """Press a button; `leaves`: it leads to another tab, which takes the focus."""

    @abstractmethod
    async def choose(self, wanted: Locator, label: str) -> None:
        """Choose in a drop-down by how an option begins."""

    @abstractmethod
    async def write(self, wanted: Locator, text: str) -> None:
        """Write a text into a field, and leave it."""


class Mouse(Hand):
    """Clicks; a text is typed after a click into its field."""

    name = "mouse"

    async def begin(self, panel: str) -> None:
        await self.page.locator(f"[data-panel={panel}]").scroll_into_view_if_needed()

    async def press(self, wanted: Locator, *, leaves: bool = False) -> None:
        await wanted.click()
        self.presses += 1

    async def choose(self, wanted: Locator, label: str) -> None:
        option = wanted.locator("option").filter(has_text=label).first
        value = await option.get_attribute("value")
        await wanted.select_option(value)
        self.presses += 2

    async def write(self, wanted: Locator, text: str) -> None:
        await wanted.fill(text)
        await wanted.press("Tab")
        self.presses += 2


class Keys(Hand):
    """Presses keys alone: those of the panel where it has some, else Tab and Enter."""

    name = "keys"

    async def begin(self, panel: str) -> None:
        await self.page.locator(f"[data-panel={panel}]").focus()

    async def press(self, wanted: Locator, *, leaves: bool = False) -> None:
        if not await self._reach(wanted):
            is_box = await wanted.evaluate("(each) => each.type === 'checkbox'")
            await self._key("Space" if is_box else "Enter", stays=not leaves)

    async def choose(self, wanted: Locator, label: str) -> None:
        await self._reach(wanted)
        await self.page.keyboard.type(label)
        self.presses += 1
        assert (await wanted.evaluate(_CHOSEN)).startswith(label)
        await self.page.wait_for_timeout(_REST)

    async def write(self, wanted: Locator, text: str) -> None:
        await self._reach(wanted)
        await wanted.press("Control+a")
        await self.page.keyboard.type(text)
        self.presses += 1
        await self._key("Escape")

    async def _key(self, key: str, *, stays: bool = True) -> None:
        await self.page.keyboard.press(key)
        self.presses += 1
        if stays:
            assert await self.page.evaluate(_WITHIN), f"{key} took the focus away"

    async def _reach(self, wanted: Locator) -> bool:
        """Bring the focus to a control; return whether its key pressed it."""
        if key := await wanted.evaluate(_KEY):
            await self._key(key)
            return await wanted.evaluate("(each) => each.matches('button')")
        for _ in range(_MOST):
            if await wanted.evaluate(_HAS_FOCUS):
                return False
            if not await wanted.evaluate(_IN_ITS_ROW):
                below = await wanted.evaluate(_BELOW_THE_FOCUS)
                await self._key("j" if below else "k")
            elif await wanted.evaluate(_PAST_THE_FOCUS):
                await self._key("Shift+Tab")
            else:
                await self._key("Tab")
        raise AssertionError(f"{wanted} is out of reach")
