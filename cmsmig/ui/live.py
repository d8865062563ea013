"""HTML in a notebook that people work in: the only module with ipywidgets, whose
messages it uses, and anywidget, which gives a widget of it our script.

The kernel makes the HTML. `live.js` puts it into the page, where idiomorph changes
only what differs, keeps focus and cursor, and sends which control was used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import cast

import anywidget
import traitlets
from ipywidgets import DOMWidget, Layout
from markupsafe import Markup

from cmsmig.valid_text import valid_text


class Element:
    """A widget in a notebook."""

    def __init__(self, handle: DOMWidget) -> None:
        self._handle = handle

    def bundle(self) -> tuple[dict[str, object], dict[str, object]]:
        """Return what a front end shows this with, and what it is to know of that."""
        return cast(
            "tuple[dict[str, object], dict[str, object]]",
            self._handle._repr_mimebundle_(),
        )


class Live(Element):
    """A panel of safe HTML; `received` gets the name and value of each control used."""

    def __init__(
        self, label: str, received: Callable[[str, str], None], panel: str = ""
    ) -> None:
        """`label` names the panel for those who cannot see it, `panel` for buttons that
        lead to it."""
        layout = Layout(width="auto")
        super().__init__(LiveModel(label=label, panel=panel, layout=layout))
        self._received = received
        self._asked = 0
        self._handle.on_msg(self._on_message)

    def show(self, html: Markup, *, focus: str = "", calm: bool = False) -> None:
        """Show this HTML instead.

        `focus` is the id of the element that gets the focus. `calm` for updates
        that no control asked for: a field that has the focus stays as it is.
        """
        with self._handle.hold_sync():
            self._handle.calm = calm
            self._handle.html = valid_text(html)
            if focus:
                self._asked += 1
                self._handle.wanted = f"{focus} {self._asked}"

    def _on_message(self, _: object, content: object, buffers: object) -> None:
        if isinstance(content, dict):
            self._received(str(content.get("do")), str(content.get("value", "")))


def script() -> str:
    """Return the page's part: the library, then our modules as one."""
    parts = ("vendor/idiomorph-0.8.0.min.js", "panes.js", "live.js")
    here = files("cmsmig.ui")
    return "\n".join(here.joinpath(each).read_text("utf-8") for each in parts)


class LiveModel(anywidget.AnyWidget):
    """What the page knows of a panel."""

    _esm = script()
    html = traitlets.Unicode("").tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    panel = traitlets.Unicode("").tag(sync=True)
    wanted = traitlets.Unicode("").tag(sync=True)
    calm = traitlets.Bool(False).tag(sync=True)
