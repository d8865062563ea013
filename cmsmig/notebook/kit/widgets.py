"""The controls of the notebooks: the only module that imports ipywidgets.

A kernel may serve what people click on another thread. So a control only puts its
work into the queue of the loop that made its board; the work runs there, one piece
at a time, and an error of it shows as one sentence below the board.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

import ipywidgets
from markupsafe import Markup

from cmsmig.errors import CmsmigError
from cmsmig.notebook.kit.control_registry import dom_class, purpose
from cmsmig.ui.html.safe_html import NOTHING, UNTYPESET, note, sheet, untypeset
from cmsmig.whole_text import whole_text

T = TypeVar("T")
F = TypeVar("F", bound="Element")
Action: TypeAlias = Callable[[], Awaitable[None] | None]
"""What a control does: quick, or awaitable when it takes its time."""
Look: TypeAlias = Literal["", "primary", "success", "warning", "danger"]

_log = logging.getLogger(__name__)
_LABEL = {"description_width": "initial"}
_NARROW = {"width": "max-content"}
_WIDE = {"width": "auto", "min_width": "14em", "max_width": "46em"}


class Element:
    """A widget in a notebook."""

    shares: dict[str, str] | None = None
    """What its layout says, as long as that is one with other controls of its board."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def bundle(self) -> dict[str, object]:
        """Return what a front end shows this with."""
        return cast("dict[str, object]", self._handle._repr_mimebundle_())

    def visible(self, shown: bool) -> None:
        """Show it or take it away without a gap."""
        if self.shares is not None:
            self._handle.layout, self.shares = self.shares, None
        self._handle.layout.display = None if shown else "none"


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


class Bar(Element):
    """A progress bar with a line of text."""

    def __init__(self, total: int) -> None:
        self._bar = ipywidgets.IntProgress(
            value=0, min=0, max=max(1, total), layout={"width": "24em"}
        )
        self._text = ipywidgets.Label("")
        # Unlike other widgets, labels are typeset.
        for each in UNTYPESET.split():
            self._text.add_class(each)
        super().__init__(ipywidgets.HBox([self._bar, self._text]))

    def show(self, done: int, total: int, text: str) -> None:
        """Show `done` of `total` and a line about it."""
        self._bar.max = max(1, total)
        self._bar.value = done
        self._text.value = text


class Board:
    """The controls of one panel, their queue, and the place of their messages.

    Make it in the cell that shows it: its loop is the one that runs the cell.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._messages = Html()
        self._layouts: dict[int, Any] = {}
        self._styles: dict[type, Any] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._queued: set[Action] = set()

    @property
    def messages(self) -> Element:
        """Return the place where messages and errors show; put it last."""
        return self._messages

    def say(self, text: str, kind: Literal["", "good", "warning", "bad"] = "") -> None:
        """Show one sentence, in the place of the last one; empty takes it away."""
        self._messages.show(sheet(note(text, kind)) if text else NOTHING)

    def button(
        self, name: str, label: str, action: Action, *, look: Look = "", tip: str = ""
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
        changed: Action | None = None,
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
        changed: Action | None = None,
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

    def listing(
        self,
        name: str,
        label: str,
        options: Sequence[tuple[str, str]],
        value: str,
        *,
        rows: int = 8,
        changed: Action | None = None,
    ) -> Choice:
        """Return a list with several lines in sight; options are (label, value)."""
        said = {"options": tuple(options), "value": value, "description": label}
        made = self._new(ipywidgets.Select, **said, rows=rows)
        return self._field(Choice(made), name, changed)

    def tick(
        self, name: str, label: str, value: bool, *, changed: Action | None = None
    ) -> Field[bool]:
        """Return a box to tick."""
        made = self._new(
            ipywidgets.Checkbox, value=value, description=label, indent=False
        )
        return self._field(Field(made), name, changed)

    def number(
        self,
        name: str,
        label: str,
        value: int,
        *,
        least: int = 0,
        most: int = 1_000_000,
        changed: Action | None = None,
    ) -> Field[int]:
        """Return a field for a whole number."""
        said = {"value": value, "min": least, "max": most, "description": label}
        made = self._new(ipywidgets.BoundedIntText, **said)
        return self._field(Field(made), name, changed)

    def queue(self, action: Action) -> None:
        """Run an action on the board's loop, soon. Works from every thread.

        An action that waits already is not queued twice.
        """
        if action not in self._queued:
            self._queued.add(action)
            self._loop.call_soon_threadsafe(self._start, action)

    def _new(self, kind: Any, look: dict[str, str] = _WIDE, /, **given: object) -> Any:
        """Return a widget that shares layout and style with its likes."""
        # Each is a message: of a thousand at once some are lost to a slow front end.
        if id(look) not in self._layouts:
            self._layouts[id(look)] = ipywidgets.Layout(**look)
        style = self._styles.get(kind, _LABEL if look is _WIDE else {})
        made = kind(layout=self._layouts[id(look)], style=style, **given)
        self._styles[kind] = made.style
        return made

    def _field(self, field: F, name: str, changed: Action | None) -> F:
        made = field._handle
        field.shares = _WIDE
        # Its description is a word of ours: JupyterLab typesets descriptions.
        made.add_class(dom_class(name))
        if not made.description and not made.tooltip:
            # What people who do not see the column's heading are told.
            made.tooltip = purpose(name)
        if changed is not None:
            made.observe(lambda _: self.queue(changed), names="value")
        return field

    def _start(self, action: Action) -> None:
        self._queued.discard(action)
        task = self._loop.create_task(self._guarded(action))
        # The loop itself holds its tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, action: Action) -> None:
        self.say("")
        try:
            await _done(action())
        except CmsmigError as error:
            self.say(str(error), "bad")
        except Exception as error:
            _log.exception("A control's action failed")
            self.say(
                f"This went wrong and should not have ({type(error).__name__}: "
                f"{error}); run the cell again, and report it if it stays.",
                "bad",
            )


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


def columns(*elements: Element) -> Element:
    """Return elements side by side, each with the same width."""
    return Element(
        ipywidgets.GridBox(
            [each._handle for each in elements],
            layout={
                "grid_template_columns": f"repeat({len(elements)}, minmax(0, 1fr))",
                "grid_gap": "8px",
                "width": "100%",
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


def folded(title: str, content: Element, *, open_: bool = False) -> Element:
    """Return an element that opens and closes under its title."""
    made = ipywidgets.Accordion(
        [content._handle], titles=(title,), selected_index=0 if open_ else None
    )
    return Element(made)


async def _done(result: Awaitable[None] | None) -> None:
    if result is not None:
        await result
