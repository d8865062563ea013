"""Controls as HTML, for panels made with `live`; each one is in the registry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from markupsafe import Markup

from cmsmig.notebook.kit.control_registry import dom_class, purpose
from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "notebook/kit/live_controls.html")


def style() -> Markup:
    """Return the style that controls need; once in a panel."""
    return _made("style")


def button(
    name: str,
    label: str,
    *,
    value: str = "",
    row: str = "",
    source: str = "",
    key: str = "",
    about: str = "",
    main: bool = False,
    enabled: bool = True,
    still: bool = False,
    tabbed: bool = True,
    focus: bool = False,
    copies: str = "",
    plain: bool = False,
) -> Markup:
    """Return a button; `row` tells it from its likes, `about` says more of it.

    `key` is the one key that presses it; `still`: that key leaves the focus alone.
    `source` is the id of a field whose value goes along, as `row=value`.
    One that is not `enabled` can still be reached, so that no focus is lost.
    `copies` is what it puts into the clipboard; `plain` ones look like links.
    """
    looks = " main" if main else " plain" if plain else ""
    return _made(
        "button",
        id=ident(name, row),
        css=f"{dom_class(name)}{looks}",
        copies=copies,
        name=name,
        value=value or row,
        about=about or purpose(name),
        key=key,
        source=source,
        still=still,
        enabled=enabled,
        tabbed=tabbed,
        focus=focus,
        label=label,
    )


def select(
    name: str,
    label: str,
    options: Sequence[tuple[str, str]],
    value: str,
    *,
    row: str = "",
    key: str = "",
    about: str = "",
    tabbed: bool = True,
    told: bool = True,
) -> Markup:
    """Return a drop-down; options are (label, value). `about` names it in full for
    those who do not see where it stands; `told` False: only its button tells."""
    return _made(
        "select",
        id=ident(name, row),
        css=dom_class(name),
        name=name,
        row=row,
        about=about,
        key=key,
        tabbed=tabbed,
        told=told,
        label=label,
        options=options,
        value=value,
    )


def search(
    name: str, label: str, value: str, *, hint: str = "", key: str = ""
) -> Markup:
    """Return a field that tells what is typed a moment after the last letter."""
    return _input(name, "search", label, value, hint=hint, key=key)


def text(
    name: str,
    label: str,
    value: str,
    *,
    hint: str = "",
    row: str = "",
    about: str = "",
    key: str = "",
) -> Markup:
    """Return a field for a text, told when it is left or Enter is pressed; with a
    `row`, as `row=text`. `about` names it in full for those who do not see where it
    stands."""
    return _input(name, "text", label, value, hint=hint, row=row, about=about, key=key)


def tick(name: str, label: str, ticked: bool, *, value: str) -> Markup:
    """Return a box to tick; it tells `value=1` or `value=0`."""
    return _made(
        "tick",
        id=ident(name, value),
        css=dom_class(name),
        name=name,
        value=value,
        ticked=ticked,
        label=label,
    )


def ident(name: str, row: str = "") -> str:
    """Return the id of a control's element."""
    return f"{dom_class(name)}-{row}" if row else f"{dom_class(name)}-it"


def words(text: str) -> Markup:
    """Return a text that stands beside controls."""
    return _made("words", text=text)


def bar(*parts: Markup) -> Markup:
    """Return controls side by side."""
    return _made("bar", parts=parts)


def region(name: str, *, role: Literal["", "status", "alert"] = "") -> Markup:
    """Return the place of a region; one with a role is read out when it changes."""
    return _made("region", name=name, role=role)


def _input(
    name: str,
    kind: str,
    label: str,
    value: str,
    *,
    hint: str = "",
    key: str = "",
    row: str = "",
    about: str = "",
) -> Markup:
    return _made(
        "input",
        id=ident(name, row),
        css=dom_class(name),
        name=name,
        kind=kind,
        value=value,
        hint=hint,
        key=key,
        row=row,
        about=about,
        label=label,
    )
