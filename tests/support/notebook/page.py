"""Panels of a notebook, worked as a person does who sees them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup, Tag

from cmsmig.notebook.kit.cell import Panel
from cmsmig.ui.controls import dom_class
from cmsmig.ui.live import Element
from tests.support.timelimit import patience


class Page:
    """The panels that are open, by what they show and by the names of their controls.

    Panels work at the same time as the test: what is expected is waited for.
    """

    def __init__(self, *shown: Panel | Element) -> None:
        made = (e.widget() if isinstance(e, Panel) else e for e in shown)
        self._lives = [element._handle for element in made]

    def html(self, region: str = "") -> str:
        """Return what is shown, or what one region of live HTML shows."""
        lives = [each.html for each in self._lives]
        if not region:
            return "\n".join(lives)
        pages = [BeautifulSoup(each, "html.parser") for each in lives]
        named = [e for p in pages for e in p.select(f"[data-region={region}]")]
        assert named, f"{region} is not shown"
        return "\n".join(each.decode_contents() for each in named)

    def text(self, region: str = "") -> str:
        """Return the words that are shown."""
        return words_of(self.html(region))

    def said(self) -> str:
        """Return what live panels say of what went wrong."""
        return self.text("error")

    def tags(self, name: str, region: str = "") -> list[Tag]:
        """Return the elements of a control in live HTML."""
        page = BeautifulSoup(self.html(region), "html.parser")
        return page.select(f"[data-do={name}], .{dom_class(name)} :is(select, input)")

    def ids(self, name: str) -> list[str]:
        """Return the values that controls in live HTML send."""
        return [each["data-value"] for each in self.tags(name)]

    def options(self, name: str, which: int = 0) -> list[str]:
        """Return the values that a drop-down offers."""
        page = BeautifulSoup(self.html(), "html.parser")
        listed = page.select(f".{dom_class(name)}")[which].select("option")
        return [each["value"] for each in listed]

    async def click(self, name: str, which: int = 0) -> None:
        """Press a button; it has to be there."""
        await self.until(lambda: self._has(name, which), f"no {name}")
        self._send(self.tags(name)[which], name, None)
        await worked()

    async def pick(self, name: str, label: str, which: int = 0) -> None:
        """Press one of the buttons of a name by what it says."""
        found: list[Tag] = []

        def has_it() -> bool:
            said = [e for e in self.tags(name) if _said(e) == label]
            found[:] = said
            return len(said) > which

        await self.until(has_it, f"no {name} says {label}")
        self._send(found[which], name, None)
        await worked()

    async def run(self, name: str) -> None:
        """Press a button, and wait until it can be pressed again."""
        await self.click(name)
        await self.rests(name)

    async def rests(self, name: str) -> None:
        """Wait until a button can be pressed."""
        await self.until(lambda: self.is_enabled(name), f"{name} cannot be pressed")

    def bar(self) -> tuple[int, int] | None:
        """Return how far the progress bar is, of how much; None: there is none."""
        found = BeautifulSoup(self.html(), "html.parser").select("progress[max]")
        return (int(found[0]["value"]), int(found[0]["max"])) if found else None

    def is_enabled(self, name: str) -> bool:
        """Return whether a button can be pressed."""
        return self.tags(name)[0].get("aria-disabled") is None

    async def set(self, name: str, value: Any, which: int = 0) -> None:
        """Give a field a value, a drop-down the value of a choice."""
        await self.until(lambda: self._has(name, which), f"no {name}")
        self._send(self.tags(name)[which], name, value)
        await worked()

    async def sees(self, *texts: str) -> None:
        """Wait until each of these texts is shown."""
        for text in texts:
            await self.until(lambda text=text: text in self.text(), f"no {text!r}")

    async def hides(self, *texts: str) -> None:
        """Wait until none of these texts is shown."""
        for text in texts:
            gone = f"{text!r} is still there"
            await self.until(lambda text=text: text not in self.text(), gone)

    async def shows(self, region: str, *texts: str) -> None:
        """Wait until a region shows each of these texts, in this order."""

        def holds() -> bool:
            left = self._held(region)
            for text in texts:
                _, found, left = left.partition(text)
                if not found:
                    return False
            return True

        await self.until(holds, f"{region} does not show {texts}")

    async def lacks(self, region: str, *texts: str) -> None:
        """Wait until a region shows none of these texts."""
        for text in texts:
            await self.until(
                lambda text=text: text not in self._held(region),
                f"{text!r} is still in {region}",
            )

    async def holds(self, name: str, *values: object) -> None:
        """Wait until the first controls of this name hold these values."""
        await self.until(
            lambda: self._values(name)[: len(values)] == [*values],
            f"{name} holds something else",
        )

    def _values(self, name: str) -> list[object]:
        return [_value(each) for each in self.tags(name)]

    async def counts(self, name: str, number: int) -> None:
        """Wait until there are so many controls of a name."""
        await self.until(
            lambda: len(self.tags(name)) == number, f"not {number} of {name}"
        )

    async def labelled(self, name: str, text: str) -> None:
        """Wait until a button has this label."""
        await self.until(lambda: text in self._label(name), f"{name} has another label")

    async def offers(self, name: str, *values: str) -> None:
        """Wait until a drop-down offers these values."""
        await self.until(
            lambda: self.options(name) == [*values], f"{name} offers something else"
        )

    async def marks(self, *wanted: list[str]) -> None:
        """Wait until these fields alone are in error: words of each."""

        def holds() -> bool:
            rows = BeautifulSoup(self.html(), "html.parser").select(".field")
            found = [words_of(each) for each in rows if "This field:" in each.text]
            return len(found) == len(wanted) and all(
                text in row
                for row, texts in zip(found, wanted, strict=True)
                for text in texts
            )

        await self.until(holds, f"other fields than {wanted} are in error")

    async def nothing_runs(self, *markup: str) -> None:
        """Insist that what is shown holds none of this markup, nor a handler."""
        page = BeautifulSoup(self.html(), "html.parser")
        acting = "script, a[href^='javascript:'], iframe:not([sandbox=''])"
        assert page.select(acting) == []
        names = {name for tag in page.find_all(True) for name in tag.attrs}
        assert not [name for name in names if name.startswith("on")]
        assert not [each for each in markup if each in self.html()]

    def _label(self, name: str) -> str:
        return self.tags(name)[0].get_text()

    def _held(self, region: str) -> str:
        """Return the words of a region, then its HTML: frames hold more of it."""
        return f"{self.text(region)}\n{self.html(region)}"

    def _has(self, name: str, which: int) -> bool:
        return len(self.tags(name)) > which

    def _send(self, tag: Tag, name: str, value: str | None) -> None:
        """Send what the page's script sends for an element."""
        assert tag.get("aria-disabled") is None, f"{name} cannot be pressed"
        sent = tag.get("data-value", "") if value is None else value
        if isinstance(value, bool):
            sent = f"{tag['data-value']}={int(value)}"
        if tag.get("data-row"):
            sent = f"{tag['data-row']}={sent}"
        if tag.get("data-from") and value is None:
            chosen = BeautifulSoup(self.html(), "html.parser").find(id=tag["data-from"])
            option = chosen.find("option", selected=True) or chosen.find("option")
            sent = f"{sent}={option['value']}"
        for live in self._lives:
            if dom_class(name) in live.html:
                sent = {"do": tag.get("data-do", name), "value": sent}
                live._handle_custom_msg(sent, [])

    async def until(self, holds: Callable[[], bool], otherwise: str) -> None:
        """Wait until something holds."""
        try:
            async with asyncio.timeout(patience() / 10):
                while not holds():
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{otherwise}:\n{self.text()}") from None


def _value(tag: Tag) -> object:
    """Return what a control in live HTML holds."""
    if tag.name == "select":
        chosen = tag.find("option", selected=True) or tag.find("option")
        return chosen["value"]
    return "checked" in tag.attrs if tag["type"] == "checkbox" else tag["value"]


def words_of(html: object) -> str:
    """Return the words of HTML; a place where a line may end is within one."""
    whole = re.sub("<wbr/?>", "", str(html))
    return " ".join(BeautifulSoup(whole, "html.parser").get_text(" ").split())


async def worked() -> None:
    """Let queued actions and scans of bodies run."""
    for _ in range(5):
        await asyncio.sleep(0.005)


def _said(button: Tag) -> str:
    """Return what a button says, a count left out."""
    return re.sub(r": [\d,]+$", "", button.get_text(strip=True))
