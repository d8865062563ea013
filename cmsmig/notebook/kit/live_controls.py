"""Controls as HTML, for panels made with `live`; each one is in the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from markupsafe import Markup

from cmsmig.notebook.kit.control_registry import dom_class, purpose

STYLE = Markup(
    "<style>"
    ".cmsmig-live{font:13px/1.45 system-ui,sans-serif;outline:none;padding:2px;"
    "color:var(--jp-content-font-color0,#111)}"
    ".cmsmig-live:focus-visible{outline:2px solid #1565c0;outline-offset:2px}"
    ".cmsmig-live .bar{display:flex;flex-wrap:wrap;gap:6px 10px;"
    "align-items:center;margin:.4em 0}"
    ".cmsmig-live .bar>[data-region]{display:contents}"
    ".cmsmig-live button,.cmsmig-live select,.cmsmig-live input{font:inherit;"
    "color:#16202c;background:#fff;border:1px solid #76808c;border-radius:4px;"
    "padding:3px 8px;max-width:26em;min-height:27px;box-sizing:border-box}"
    ".cmsmig-live button{background:#eef1f5;cursor:pointer;white-space:nowrap}"
    ".cmsmig-live button:hover{background:#dfe5ec}"
    ".cmsmig-live button.main{background:#1b6e3c;border-color:#1b6e3c;color:#fff;"
    "font-weight:600}"
    ".cmsmig-live button.main:hover{background:#14552e}"
    ".cmsmig-live button[aria-disabled=true] kbd{background:#f4f5f6;color:#5d6670;"
    "border-color:#c3c8ce}"
    ".cmsmig-live button[aria-disabled=true]{background:#f4f5f6;color:#5d6670;"
    "border-color:#c3c8ce;cursor:default;font-weight:400}"
    ".cmsmig-live input[type=checkbox]{min-height:0;margin:0 4px 0 0;"
    "vertical-align:-2px}"
    ".cmsmig-live input[type=number]{width:4.2em}"
    ".cmsmig-live label{display:inline-flex;align-items:center;gap:5px;"
    "white-space:nowrap}"
    ".cmsmig-live :is(button,select,input,summary,[tabindex]):focus-visible{"
    "outline:3px solid #1565c0;outline-offset:1px}"
    ".cmsmig-live kbd{font:11px/1.2 ui-monospace,monospace;border:1px solid #8d96a0;"
    "border-radius:3px;padding:0 3px;margin-left:5px;background:#fff;color:#3b4653}"
    ".cmsmig-live button.main:not([aria-disabled]) kbd{background:#14552e;color:#fff;"
    "border-color:#8fc3a5}"
    ".cmsmig-live .unseen{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%);white-space:nowrap}"
    ".cmsmig-live summary{cursor:pointer;width:max-content;padding:2px 4px}"
    "</style>"
)


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
) -> Markup:
    """Return a button; `row` tells it from its likes, `about` says more of it.

    `key` is the one key that presses it; `still`: that key leaves the focus alone.
    `source` is the id of a field whose value goes along, as `row=value`.
    One that is not `enabled` can still be reached, so that no focus is lost.
    """
    return Markup(
        '<button type="button" id="{}" class="{}{}" data-do="{}" data-value="{}" '
        'title="{}"{}{}{}{}{}{}>{}{}</button>'
    ).format(
        ident(name, row),
        dom_class(name),
        " main" if main else "",
        name,
        value or row,
        about or purpose(name),
        _keys(key),
        _attribute("data-from", source),
        _flag("data-still", still),
        _attribute("aria-disabled", "" if enabled else "true"),
        _attribute("tabindex", "" if tabbed else "-1"),
        _flag("data-focus", focus),
        label,
        Markup('<kbd aria-hidden="true">{}</kbd>').format(key) if key else "",
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
    listed = Markup("").join(
        Markup('<option value="{}"{}>{}</option>').format(
            each, _flag("selected", each == value), text
        )
        for text, each in options
    )
    return Markup(
        '<label class="{}">{}<select id="{}"{}{}{}{}{}>{}</select></label>'
    ).format(
        dom_class(name),
        label,
        ident(name, row),
        _attribute("data-do", name if told else ""),
        _attribute("data-row", row),
        _attribute("aria-label", about),
        _keys(key),
        _attribute("tabindex", "" if tabbed else "-1"),
        listed,
    )


def search(
    name: str, label: str, value: str, *, hint: str = "", key: str = ""
) -> Markup:
    """Return a field that tells what is typed a moment after the last letter."""
    return _input(name, "search", label, value, hint=hint, key=key)


def text(name: str, label: str, value: str, *, hint: str = "") -> Markup:
    """Return a field for a text, told when it is left or Enter is pressed."""
    return _input(name, "text", label, value, hint=hint)


def tick(name: str, label: str, ticked: bool, *, value: str) -> Markup:
    """Return a box to tick; it tells `value=1` or `value=0`."""
    return Markup(
        '<label class="{}"><input type="checkbox" id="{}" data-do="{}" '
        'data-value="{}"{}>{}</label>'
    ).format(
        dom_class(name),
        ident(name, value),
        name,
        value,
        _flag("checked", ticked),
        label,
    )


def ident(name: str, row: str = "") -> str:
    """Return the id of a control's element."""
    return f"{dom_class(name)}-{row}" if row else f"{dom_class(name)}-it"


def bar(*parts: Markup) -> Markup:
    """Return controls side by side."""
    return Markup('<div class="bar">{}</div>').format(Markup("").join(parts))


def region(name: str, *, role: Literal["", "status", "alert"] = "") -> Markup:
    """Return the place of a region; one with a role is read out when it changes."""
    return Markup('<div data-region="{}"{}></div>').format(
        name, _attribute("role", role)
    )


def _input(
    name: str, kind: str, label: str, value: str, *, hint: str = "", key: str = ""
) -> Markup:
    return Markup(
        '<label class="{}">{}<input type="{}" id="{}" data-do="{}" value="{}" '
        'placeholder="{}"{}></label>'
    ).format(dom_class(name), label, kind, ident(name), name, value, hint, _keys(key))


def _keys(key: str) -> Markup:
    return _attribute("data-key", key) + _attribute("aria-keyshortcuts", key)


def _attribute(name: str, value: str) -> Markup:
    return Markup(' {}="{}"').format(name, value) if value else Markup("")


def _flag(name: str, on: bool) -> Markup:
    return Markup(f" {name}") if on else Markup("")
