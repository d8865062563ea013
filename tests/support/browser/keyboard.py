"""A panel worked by keys alone, each press of a person counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.async_api import Page, expect

_PANEL = "() => document.querySelector('.cmsmig-live[data-panel=explore]').focus()"
_ON_ITEM = "tr[aria-current=true] .cmsmig-explore-open:focus"
_WITHIN = "() => document.activeElement.closest('.cmsmig-live') !== null"
_CHOSEN = "() => document.activeElement.selectedOptions[0].label"
_OFFERED = "() => [...document.activeElement.options].map((each) => each.label)"
_FORGOTTEN = 1100
"""Milliseconds after which a drop-down has forgotten the letters typed before."""
_TIMES = 10


@dataclass
class Keyboard:
    """Presses keys in a page, and counts the steps."""

    page: Page
    pressed: list[str] = field(default_factory=list)
    """What was pressed since the question was asked."""

    async def ask(self) -> None:
        """Begin with another question, the focus in the panel and all items listed."""
        await self.page.evaluate(_PANEL)
        await self.page.keyboard.press("x")
        await expect(self.page.locator("[data-item]").first).to_be_visible()
        self.pressed = []

    async def keys(self, *keys: str) -> None:
        """Press keys one after the other; each is a step."""
        for key in keys:
            await self.page.keyboard.press(key)
            self.pressed.append(key)
            assert await self.page.evaluate(_WITHIN), f"{key} took the focus away"

    def steps(self, number: int) -> None:
        """Insist on how many steps that was."""
        assert len(self.pressed) == number, self.pressed

    async def down(self) -> None:
        """Go to the next item of the list, and wait until the focus is on it."""
        await self.keys("j")
        await expect(self.page.locator(_ON_ITEM)).to_have_count(1)

    async def type(self, text: str) -> None:
        """Type a word, as one step."""
        await self.page.keyboard.type(text)
        self.pressed.append(text)

    async def pick(self, key: str, label: str) -> None:
        """Choose in the drop-down that a key goes to, by the first letters of what it
        is; then go back to the keys. Three steps."""
        await self.keys(key)
        await self._type_label(label)
        self.pressed.append(label)
        await self.keys("Escape")

    async def _type_label(self, label: str) -> None:
        """Type until the drop-down has chosen it.

        It takes letters with more than a second between them for words of their own,
        and a busy machine needs longer than that for a letter; a person never does.
        Each such letter selects the next option that begins with it.
        """
        word = label.casefold()
        offered: list[str] = await self.page.evaluate(_OFFERED)
        meant = next(each for each in offered if each.casefold().startswith(word))
        for _ in range(_TIMES):
            await self.page.keyboard.type(label)
            chosen = await self.page.evaluate(_CHOSEN)
            # Its count changes while the site is scanned.
            if chosen.partition(" (")[0] == meant.partition(" (")[0]:
                return
            await self.page.wait_for_timeout(_FORGOTTEN)
            await self.page.keyboard.press("Home")
        raise AssertionError(f"{chosen!r} is chosen for {label!r}")
