"""Panels made of our own HTML that people work in: the only module with anywidget.

The kernel makes the HTML, with the same functions as static previews; `live_panel.js`
shows it region by region, keeps the focus, and says which control was worked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import anywidget
import traitlets
from markupsafe import Markup

from cmsmig.notebook.kit.control_registry import dom_class
from cmsmig.notebook.kit.widgets import Board, Element
from cmsmig.ui.html.safe_html import NOTHING, note, sheet
from cmsmig.whole_text import whole_text

Heard: TypeAlias = Callable[[str], Awaitable[None] | None]
"""What a control does with the value that the page sent along: quick, or awaitable
when it takes its time."""
ERROR = "error"
"""The region of what went wrong."""
_MODULE = Path(__file__).with_name("live_panel.js")


class LiveBoard(Board):
    """A board whose messages show inside its panel."""

    def __init__(self) -> None:
        super().__init__()
        self.live: Live | None = None

    def say(self, text: str, kind: Literal["", "good", "warning", "bad"] = "") -> None:
        """Show one sentence in the region `error`; empty takes it away."""
        if self.live is not None:
            said = sheet(note(text, kind)) if text else NOTHING
            self.live.show({ERROR: said})


class Live(Element):
    """HTML in regions, each replaced in place; its controls are told by name."""

    def __init__(
        self,
        board: LiveBoard,
        label: str,
        frame: Markup,
        regions: Sequence[str],
        controls: Mapping[str, Heard],
    ) -> None:
        """`frame` holds an element with `data-region` for each of the regions, and
        one for `ERROR`.

        `label` names the panel for those who cannot see it; `controls` are the
        registered names with what they do.
        """
        for name in controls:
            dom_class(name)
        self._board = board
        self._controls = controls
        self._asked = 0
        names = (*regions, ERROR)
        made = _model(names)(frame=str(frame), label=label, regions=[*names])
        made.on_msg(self._told)
        super().__init__(made)
        board.live = self

    def show(
        self, regions: Mapping[str, Markup], *, focus: str = "", calm: bool = False
    ) -> None:
        """Replace regions, all at once; the others stay as they are.

        `focus` is the id of the element that takes the focus afterwards. `calm` for
        what nobody asked for: it never disturbs a field that somebody is in.
        """
        with self._handle.hold_sync():
            self._handle.calm = calm
            for name, html in regions.items():
                setattr(self._handle, f"region_{name}", whole_text(str(html)))
            if focus:
                self._asked += 1
                self._handle.wanted = f"{focus} {self._asked}"

    def _told(self, _: object, content: object, buffers: object) -> None:
        if not isinstance(content, dict):
            return
        heard = self._controls.get(str(content.get("do")))
        if heard is not None:
            # A function of its own each time: the queue drops what waits already.
            self._board.queue(partial(heard, str(content.get("value", ""))))


def _model(regions: tuple[str, ...]) -> Any:
    """Return the widget class with a trait for each region, so that only what
    changed travels."""
    texts = ("frame", "label", "wanted", *(f"region_{name}" for name in regions))
    traits: dict[str, Any] = {
        name: traitlets.Unicode("").tag(sync=True) for name in texts
    }
    traits["calm"] = traitlets.Bool(False).tag(sync=True)
    traits["regions"] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    return type("LiveModel", (anywidget.AnyWidget,), {"_esm": _MODULE, **traits})
