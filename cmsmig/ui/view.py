"""A panel: a state, actions on it, one template for the live and the static form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

from markupsafe import Markup

from cmsmig.errors import CacheError, UsageError
from cmsmig.ui.action_queue import ActionQueue
from cmsmig.ui.controls import bar, button
from cmsmig.ui.doc import Severity
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, folded, note, sheet
from cmsmig.ui.live import Element, Live

Method: TypeAlias = Callable[..., Awaitable[None] | None]
M = TypeVar("M", bound=Method)
V = TypeVar("V", bound="View")


@dataclass(frozen=True, slots=True)
class Action:
    """What people can do in a panel: one control, its key and what it says."""

    name: str
    label: str
    key: str
    about: str
    main: bool
    """Whether it is the next step."""
    begins: bool = False
    """Whether a button elsewhere that leads to this panel presses it."""


def action(
    name: str,
    label: str = "",
    *,
    key: str = "",
    about: str = "",
    main: bool = False,
    begins: bool = False,
) -> Callable[[M], M]:
    """Let a method of a view be called by the control of this name.

    It gets the value that the control sends, and may be awaitable.
    """

    def declared(method: M) -> M:
        made = Action(name, label, key, about, main, begins)
        method.action = made  # type: ignore[attr-defined]
        return method

    return declared


class View(ABC):
    """A panel. Subclasses hold the state, declare the actions and make the HTML."""

    prefix = ""
    """Before the name of each control, with a hyphen."""
    label = ""
    """The panel's name for those who cannot see it."""
    says_last = False
    """Whether messages are at the end of the panel, where its button is."""

    def __init__(self) -> None:
        self.said: tuple[str, Severity] = ("", "")
        """The last message."""
        self._owner: View | None = None
        self._parts: list[View] = []
        self._doing: set[str] = set()
        """The controls whose actions are not over yet."""
        self.after: Callable[[], None] = lambda: None
        """Called whenever an action is over."""
        self._live: Live | None = None
        self._queue: ActionQueue | None = None
        self.actions = {
            each.name: (each, getattr(self, name))
            for kind in type(self).__mro__[::-1]
            for name, value in vars(kind).items()
            if isinstance(each := getattr(value, "action", None), Action)
        }

    def part(self, view: V) -> V:
        """Let a view be a part of this one, which shows its HTML and its messages."""
        view._owner = self
        self._parts.append(view)
        return view

    def keep(self, before: View) -> None:  # noqa: B027 (most panels have no place)
        """Show the place that the same panel showed before it was made again."""

    @property
    def size(self) -> int:
        """Return how many letters the form without controls looks through."""
        return 0

    @abstractmethod
    def html(self, *, live: bool) -> Markup:
        """Return what is shown; without controls when it is not live."""

    def element(self) -> Element:
        """Return the panel before a person. Call it in the cell that shows it."""
        self._queue = ActionQueue(self.say)
        self._live = Live(self.label, self._receive, self.prefix)
        self.show()
        self.opened()
        return self._live

    def opened(self) -> None:  # noqa: B027 (most panels start nothing)
        """Start the work in the background."""

    @property
    def queue(self) -> ActionQueue:
        """Return the queue of a live panel."""
        if self._owner is not None:
            return self._owner.queue
        assert self._queue is not None
        return self._queue

    def show(self, *, focus: str = "", calm: bool = False) -> None:
        """Show the state as it is now; `focus` and `calm` as in `Live.show`."""
        if self._owner is not None:
            self._owner.show(focus=focus, calm=calm)
        elif self._live is not None:
            self._live.show(self.html(live=True), focus=focus, calm=calm)

    def say(self, text: str, kind: Severity = "") -> None:
        """Show one sentence; empty takes the last one away."""
        if self._owner is not None:
            self._owner.say(text, kind)
            return
        before, self.said = self.said, (text, kind)
        if self.said != before:
            self.show()

    def messages(self) -> Markup:
        """Return the places of the last message; one of them is read out. A part has
        none of its own."""
        if self._owner is not None:
            return NOTHING
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
            says_last=self.says_last,
            regions=regions.items(),
        )

    def act(self, name: str, label: str = "", **more: object) -> Markup:
        """Return the button of an action."""
        each, _ = self.actions[name]
        own = {"key": each.key, "about": each.about, "main": each.main}
        begins = {"begins": each.begins}
        given: dict[str, object] = {**own, **begins, **more}
        return button(self.named(name), label or each.label, **given)

    def named(self, name: str) -> str:
        """Return the whole name of a control: with a hyphen it is whole."""
        is_whole = "-" in name or not self.prefix
        return name if is_whole else f"{self.prefix}-{name}"

    def _views(self) -> Iterator[View]:
        yield self
        for each in self._parts:
            yield from each._views()

    def _receive(self, name: str, value: str) -> None:
        for each in self._views():
            for short, (_, method) in each.actions.items():
                if each.named(short) == name:
                    self.queue.add(partial(self._do, name, method, value))

    async def _do(self, name: str, method: Method, value: str) -> None:
        """Do what a control asks for, unless it is still being done."""
        if name in self._doing:
            return
        self._doing.add(name)
        try:
            result = method(value)
            if result is not None:
                await result
        finally:
            self._doing.discard(name)
            self.after()


class Following(View):
    """A panel that is made once it can be, and made again when the project changed."""

    def __init__(
        self,
        prefix: str,
        label: str,
        make: Callable[[], View],
        *,
        is_folded: bool = False,
    ) -> None:
        """What `make` raises while there is no content is said in its place. A folded
        panel opens below its label."""
        super().__init__()
        self.prefix, self.label = prefix, label
        self._make, self._is_folded = make, is_folded
        self._shown: View | None = None
        self._error = ""
        self._made()

    @property
    def size(self) -> int:
        """Return how many letters the form without controls looks through."""
        return self._shown.size if self._shown else 0

    def opened(self) -> None:
        """Start the work of what is shown."""
        if self._shown is not None:
            self._shown.opened()

    def renew(self) -> None:
        """Make what is shown again."""
        self._made()
        self.show(calm=True)
        self.opened()

    def _made(self) -> None:
        before, self._shown, self._error = self._shown, None, ""
        self._parts.clear()
        try:
            self._shown = self.part(self._make())
            if before is not None:
                self._shown.keep(before)
        except (CacheError, UsageError) as error:
            self._error = str(error)

    def html(self, *, live: bool) -> Markup:
        """Return what is shown, or what is missing for it."""
        if self._shown is None:
            said = sheet(note(self._error))
            return self.panel(missing=said) if live else said
        shown = self._shown.html(live=live)
        if not live:
            return shown
        whole = shown + self.messages()
        return folded(self.label, whole) if self._is_folded else whole


class DocView(View):
    """A document below the buttons of its actions."""

    hidden = False
    """Whether there are no buttons: in a dry run."""

    def __init__(self, label: str, content: Callable[[], Markup]) -> None:
        super().__init__()
        self.label = label
        self._content = content
        self.doc = content()
        """The document as it was made last."""

    def renew(self) -> None:
        """Make the document again and show it."""
        self.doc = self._content()
        self.show(calm=True)

    def html(self, *, live: bool) -> Markup:
        """Return the document; live, with its buttons."""
        if not live:
            return self.doc
        buttons = () if self.hidden else map(self.act, self.actions)
        return self.panel(controls=bar(*buttons), doc=self.doc)
