"""The controls of the notebooks: the only module that imports ipywidgets.

A kernel may serve what people click on another thread. So a control only puts its
work into the queue of the loop that made its board; the work runs there, one piece
at a time, and an error of it shows as one sentence below the board.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

import ipywidgets
from markupsafe import Markup

from cmsmig.ui.action_queue import Act, ActionQueue, Severity
from cmsmig.ui.controls import dom_class
from cmsmig.ui.html.safe_html import NOTHING, note, sheet, untypeset
from cmsmig.ui.live import Element as Element
from cmsmig.whole_text import whole_text

T = TypeVar("T")
F = TypeVar("F", bound="Element")
Look: TypeAlias = Literal["", "primary", "success", "warning", "danger"]

_LABEL = {"description_width": "initial"}
_NARROW = {"width": "max-content"}
_WIDE = {"width": "auto", "min_width": "14em", "max_width": "46em"}


class Html(Element):
    """Safe HTML that can be replaced."""

    def __init__(self, content: Markup | None = None) -> None:
        shown = str(untypeset(content or NOTHING))
        super().__init__(ipywidgets.HTML(shown, layout={"width": "auto"}))

    def show(self, content: Markup) -> None:
        """Replace what is shown."""
        self._handle.value = str(untypeset(content))


class Field(Element, Generic[T]):
    """A control that holds a value."""

    @property
    def value(self) -> T:
        """Return what it holds now."""
        return cast("T", self._handle.value)

    @value.setter
    def value(self, value: T) -> None:
        self._handle.value = value

    def enable(self, enabled: bool) -> None:
        """Let people change it, or not."""
        self._handle.disabled = not enabled


class Choice(Field[str]):
    """A control that holds one of several values."""

    def offer(self, options: Sequence[tuple[str, str]], value: str) -> None:
        """Replace the options, (label, value) each, and choose one."""
        # Not held together: the value would be checked against the old options.
        self._handle.options = tuple(options)
        self._handle.value = value


class Button(Element):
    """Something to click."""

    def enable(self, enabled: bool) -> None:
        """Let people click it, or not."""
        self._handle.disabled = not enabled

    def label(self, text: str) -> None:
        """Replace what stands on it."""
        self._handle.description = text


class Board:
    """The controls of one panel, their queue, and the place of their messages.

    Make it in the cell that shows it: its loop is the one that runs the cell.
    """

    def __init__(self) -> None:
        self._queue = ActionQueue(self.say)
        self._messages = Html()
        self._layouts: dict[int, Any] = {}
        self._styles: dict[type, Any] = {}

    @property
    def messages(self) -> Element:
        """Return the place where messages and errors show; put it last."""
        return self._messages

    def say(self, text: str, kind: Severity = "") -> None:
        """Show one sentence, in the place of the last one; empty takes it away."""
        self._messages.show(sheet(note(text, kind)) if text else NOTHING)

    def button(
        self, name: str, label: str, action: Act, *, look: Look = "", tip: str = ""
    ) -> Button:
        """Return a button; it cannot be clicked again while its action runs."""
        said = {"description": label, "button_style": look, "tooltip": tip or label}
        made = self._new(ipywidgets.Button, _NARROW, **said)
        made.add_class(dom_class(name))
        button = Button(made)
        button.shares = _NARROW

        async def act() -> None:
            button.enable(False)
            try:
                await _done(action())
            finally:
                button.enable(True)

        made.on_click(lambda _: self.queue(act))
        return button

    def text(
        self,
        name: str,
        label: str,
        value: str = "",
        *,
        hint: str = "",
        lines: int = 1,
        whole: bool = False,
        changed: Act | None = None,
    ) -> Field[str]:
        """Return a field for text, of one or several lines.

        `whole`: it tells its text when it is left or Enter is pressed, not each
        letter.
        """
        kind = ipywidgets.Text if lines == 1 else ipywidgets.Textarea
        made = self._new(
            kind, value=whole_text(value), description=label, placeholder=hint
        )
        made.continuous_update = not whole
        if lines > 1:
            made.rows = lines
        return self._field(Field(made), name, changed)

    def choice(
        self,
        name: str,
        label: str,
        options: Sequence[tuple[str, str]],
        value: str,
        *,
        tip: str = "",
        unseen: bool = False,
        changed: Act | None = None,
    ) -> Choice:
        """Return a drop-down; options are (label, value).

        `unseen`: its label is for those who do not see the column's head alone; `tip`
        says more when it is pointed at.
        """
        said = {"options": tuple(options), "value": value, "description": label}
        made = self._new(ipywidgets.Dropdown, **said)
        made.tooltip = tip or label
        choice = self._field(Choice(made), name, changed)
        if unseen:
            made.style = {"description_width": "0"}
            # In a column of a table, which says how wide it is.
            made.layout = {"width": "auto", "min_width": "0"}
            choice.shares = None
        return choice

    def tick(
        self, name: str, label: str, value: bool, *, changed: Act | None = None
    ) -> Field[bool]:
        """Return a box to tick."""
        made = self._new(
            ipywidgets.Checkbox, value=value, description=label, indent=False
        )
        return self._field(Field(made), name, changed)

    def queue(self, action: Act) -> None:
        """Run an action on the board's loop, soon. Works from every thread."""
        self._queue.add(action)

    def _new(self, kind: Any, look: dict[str, str] = _WIDE, /, **given: object) -> Any:
        """Return a widget that shares layout and style with its likes."""
        # Each is a message: of a thousand at once some are lost to a slow front end.
        if id(look) not in self._layouts:
            self._layouts[id(look)] = ipywidgets.Layout(**look)
        style = self._styles.get(kind, _LABEL if look is _WIDE else {})
        made = kind(layout=self._layouts[id(look)], style=style, **given)
        self._styles[kind] = made.style
        return made

    def _field(self, field: F, name: str, changed: Act | None) -> F:
        made = field._handle
        field.shares = _WIDE
        # Its description is a word of ours: JupyterLab typesets descriptions.
        made.add_class(dom_class(name))
        if changed is not None:
            made.observe(lambda _: self.queue(changed), names="value")
        return field


def column(*elements: Element) -> Element:
    """Return elements one below the other."""
    return Element(ipywidgets.VBox([each._handle for each in elements]))


def row(*elements: Element) -> Element:
    """Return elements side by side, wrapped where there is no room."""
    return Element(
        ipywidgets.HBox(
            [each._handle for each in elements],
            layout={
                "flex_flow": "row wrap",
                "align_items": "center",
                "grid_gap": "0 8px",
            },
        )
    )


def beside(wide: Element, narrow: Element) -> Element:
    """Return an element with a narrower one at its right, below where there is no
    room for both."""
    for each, width in ((wide, "3 1 640px"), (narrow, "2 1 420px")):
        each._handle.layout.flex = width
        each._handle.layout.min_width = "0"
    return Element(
        ipywidgets.HBox(
            [wide._handle, narrow._handle],
            layout={
                "flex_flow": "row wrap",
                "align_items": "flex-start",
                "grid_gap": "8px 20px",
            },
        )
    )


def grid(rows: Sequence[Sequence[Element]], *, widths: str) -> Element:
    """Return elements in rows; `widths` as CSS says it, such as `2fr 1fr auto`."""
    return Element(
        ipywidgets.GridBox(
            [each._handle for one in rows for each in one],
            layout={
                "grid_template_columns": widths,
                "grid_gap": "2px 12px",
                "align_items": "center",
                "width": "100%",
            },
        )
    )


def scrolled(name: str, content: Element) -> Element:
    """Return an element in a frame that scrolls by itself; its style is that of the
    class `cmsmig-<name>`."""
    made = ipywidgets.Box([content._handle], layout={"overflow": "auto"})
    made.add_class(f"cmsmig-{name}")
    return Element(made)


async def _done(result: Awaitable[None] | None) -> None:
    if result is not None:
        await result
