"""Controls as HTML, and what cells of lists hold besides text.

Each control carries its name: `live.js` sends it, tests find it by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "ui/controls.html")


def dom_class(name: str) -> str:
    """Return the class that a control of this name carries in the page."""
    return f"cmsmig-{name}"


def ident(name: str, row: str = "") -> str:
    """Return the id of a control's element; `row` distinguishes it."""
    return f"{dom_class(name)}-{row or 'it'}"


def style() -> Markup:
    """Return the style that controls need; once in a panel."""
    return _made("style")


def button(name: str, label: str, **more: object) -> Markup:
    """Return a button.

    `row` distinguishes it, `value` is what it sends, else its row; `about` says
    more of it, `key` presses it. `source` is the id of a field whose value goes along,
    as `row=value`. One that is not `enabled` can still be reached, so that no focus is
    lost. `copies` is what it puts into the clipboard; `plain` ones look like links,
    a `main` one is the next step. `tabbed` False: Tab passes it by. `focus`: it gets
    the focus when what held it is gone. `turn` is 1 or -1 for what turns pages. `goes`:
    the page answers it, as `live.js` says. One that `begins` is what a button elsewhere
    presses that leads to this panel.
    """
    return _made("button", name=name, label=label, **more)


def select(
    name: str, label: str, options: object, value: str, **more: object
) -> Markup:
    """Return a drop-down; options are (label, value).

    `row`, `key`, `tabbed` as in `button`. `about` names it in full for those who do not
    see where it is; `sends` False: only its button sends; `css` replaces its class.
    """
    return _made("select", name=name, label=label, options=options, value=value, **more)


def search(name: str, label: str, value: str, **more: object) -> Markup:
    """Return a field that sends its text a moment after the last letter; `hint` is in
    it while it is empty."""
    return _made("input", name=name, kind="search", label=label, value=value, **more)


def text(name: str, label: str, value: str, **more: object) -> Markup:
    """Return a field for a text, sent when it is left or Enter is pressed; with a
    `row`, as `row=text`."""
    return _made("input", name=name, kind="text", label=label, value=value, **more)


def tick(name: str, label: str, ticked: bool, *, value: str) -> Markup:
    """Return a box to tick; it sends `value=1` or `value=0`."""
    return _made("tick", name=name, value=value, ticked=ticked, label=label)


def words(text: str) -> Markup:
    """Return a text next to controls."""
    return _made("words", text=text)


def bar(*parts: Markup) -> Markup:
    """Return controls side by side."""
    return _made("bar", parts=parts)


def form(*parts: Markup) -> Markup:
    """Return controls as a form: in columns, each below its label."""
    return _made("form", parts=parts)


@dataclass(frozen=True, slots=True)
class Copied:
    """A text that a button copies; without controls it is shown."""

    text: str
    about: str
    """What it is."""

    def button(self) -> Markup:
        """Return the button."""
        return _made("copied", text=self.text, about=self.about)


def thumbnail(source: str) -> Markup:
    """Return a small picture of a fixed size; its place where there is none."""
    return _made("thumbnail", source=source)


def day(text: str, moment: str) -> Markup:
    """Return a day; the moment itself shows when it is pointed at."""
    return _made("day", text=text, moment=moment)
