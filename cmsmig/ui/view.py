"""A panel: a state, actions on it, one template for the live and the static form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from markupsafe import Markup

from cmsmig.ui.action_queue import ActionQueue, Severity
from cmsmig.ui.controls import button
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, note, sheet
from cmsmig.ui.live import Element, Live

M = TypeVar("M", bound="Callable[..., Awaitable[None] | None]")


@dataclass(frozen=True, slots=True)
class Action:
    """What people can do in a panel: one control, its key and what it says."""

    name: str
    label: str
    key: str
    about: str


def action(
    name: str, label: str = "", *, key: str = "", about: str = ""
) -> Callable[[M], M]:
    """Let a method of a view be called by the control of this name.

    It gets the value that the control sends, and may be awaitable.
    """

    def declared(method: M) -> M:
        method.action = Action(name, label, key, about)  # type: ignore[attr-defined]
        return method

    return declared


class View(ABC):
    """A panel. Subclasses hold the state, declare the actions and make the HTML."""

    prefix = ""
    """Before the name of each control, with a hyphen."""
    label = ""
    """The panel's name for those who cannot see it."""

    def __init__(self) -> None:
        self.said: tuple[str, Severity] = ("", "")
        """The last message."""
        self._live: Live | None = None
        self._queue: ActionQueue | None = None
        self.actions = {
            each.name: (each, getattr(self, name))
            for kind in type(self).__mro__[::-1]
            for name, value in vars(kind).items()
            if isinstance(each := getattr(value, "action", None), Action)
        }

    @abstractmethod
    def html(self, *, live: bool) -> Markup:
        """Return what is shown; without controls when it is not live."""

    def element(self) -> Element:
        """Return the panel before a person. Call it in the cell that shows it."""
        self._queue = ActionQueue(self.say)
        self._live = Live(self.label, self._receive)
        self.show()
        self.opened()
        return self._live

    def opened(self) -> None:  # noqa: B027 (most panels start nothing)
        """Start the work in the background."""

    @property
    def queue(self) -> ActionQueue:
        """Return the queue of a live panel."""
        assert self._queue is not None
        return self._queue

    def show(self, *, focus: str = "", calm: bool = False) -> None:
        """Show the state as it is now; `focus` and `calm` as in `Live.show`."""
        if self._live is not None:
            self._live.show(self.html(live=True), focus=focus, calm=calm)

    def say(self, text: str, kind: Severity = "") -> None:
        """Show one sentence; empty takes the last one away."""
        before, self.said = self.said, (text, kind)
        if self.said != before:
            self.show()

    def messages(self) -> Markup:
        """Return the places of the last message; one of them is read out."""
        text, kind = self.said
        return fragment(
            "ui/view.html",
            "messages",
            region=self.named("said").replace("-", "_"),
            said=sheet(note(text, kind)) if text else NOTHING,
            bad=kind == "bad",
        )

    def panel(self, title: str = "", /, **regions: Markup) -> Markup:
        """Return regions one below the other, with the style and the messages."""
        return fragment(
            "ui/view.html",
            "panel",
            title=title,
            messages=self.messages(),
            regions=regions.items(),
        )

    def act(self, name: str, label: str = "", **more: object) -> Markup:
        """Return the button of an action."""
        each, _ = self.actions[name]
        given: dict[str, object] = {"key": each.key, "about": each.about, **more}
        return button(self.named(name), label or each.label, **given)

    def named(self, name: str) -> str:
        """Return the whole name of a control: with a hyphen it is whole."""
        is_whole = "-" in name or not self.prefix
        return name if is_whole else f"{self.prefix}-{name}"

    def _receive(self, name: str, value: str) -> None:
        for short, (_, method) in self.actions.items():
            if self.named(short) == name:
                # A function of its own each time: the queue drops what waits already.
                self.queue.add(partial(method, value))
