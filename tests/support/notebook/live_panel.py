"""A panel of live HTML, worked as a person does who sees it."""

from __future__ import annotations

import asyncio

from bs4 import BeautifulSoup, Tag

from cmsmig.notebook.kit.control_registry import dom_class


class LivePanel:
    """The HTML of a panel's regions, and the controls in it."""

    def __init__(self, element: object, label: str = "") -> None:
        """`label` names the panel where an element holds several."""
        stack = [element._handle]
        while not _is_panel(stack[-1], label):
            stack.extend(reversed(getattr(stack.pop(), "children", ())))
        self._model = stack[-1]

    def html(self, region: str = "") -> str:
        """Return what is shown, or what one region shows."""
        assert region in ("", *self._model.regions), f"{region} is not shown"
        names = [region] if region else self._model.regions
        return "\n".join(getattr(self._model, f"region_{name}") for name in names)

    def text(self, region: str = "") -> str:
        """Return the words that are shown."""
        return " ".join(self._soup(region).get_text(" ").split())

    def said(self) -> str:
        """Return what the panel says of what went wrong."""
        return self.text("error")

    def controls(self, name: str) -> list[Tag]:
        """Return the elements that are worked, by their registered name."""
        return self._soup().select(f"[data-do={name}], .{dom_class(name)} select")

    def ids(self, name: str) -> list[str]:
        """Return the values that controls of this name send."""
        return [each["data-value"] for each in self.controls(name)]

    def options(self, name: str, which: int = 0) -> list[str]:
        """Return the values that a drop-down offers."""
        listed = self._soup().select(f".{dom_class(name)}")[which].select("option")
        return [each["value"] for each in listed]

    async def work(self, name: str, value: str | None = None, which: int = 0) -> None:
        """Press a button, or give a field a value; it has to be there."""
        found = self.controls(name)[which]
        assert found.get("aria-disabled") is None, f"{name} cannot be pressed"
        sent = found.get("data-value", "") if value is None else value
        if found.get("data-row"):
            sent = f"{found['data-row']}={sent}"
        if found.get("data-from") and value is None:
            chosen = self._soup().find(id=found["data-from"])
            option = chosen.find("option", selected=True) or chosen.find("option")
            sent = f"{sent}={option['value']}"
        self._model._handle_custom_msg({"do": name, "value": sent}, [])
        await worked()

    def _soup(self, region: str = "") -> BeautifulSoup:
        return BeautifulSoup(self.html(region), "html.parser")


def _is_panel(widget: object, label: str) -> bool:
    named = type(widget).__name__ == "LiveModel"
    return named and label in ("", widget.label)


async def worked() -> None:
    """Let queued actions run, and what looks through bodies beside them."""
    for _ in range(5):
        await asyncio.sleep(0.015)
