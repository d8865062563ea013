"""Accounts for the attributes that no node or mark takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.richtext.collect import Collector
from cmsmig.richtext.dom import Element, tag_set
from cmsmig.richtext.losses import Severity
from cmsmig.richtext.styles import declarations

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

KEPT: dict[str, frozenset[str]] = {
    **dict.fromkeys(_HEADINGS, frozenset(("level",))),
    "a": frozenset(("href", "target", "rel", "download", "hreflang", "type")),
    "ol": frozenset(("start", "data-order")),
    "td": frozenset(("colspan", "rowspan", "colwidth")),
    "th": frozenset(("colspan", "rowspan", "colwidth")),
    "span": frozenset(
        ("class", "data-id", "data-emoji", "data-name", "data-src", "src")
    ),
    "code": frozenset(("class", "data-language")),
    "pre": frozenset(("class", "data-language")),
}
"""By element, what conversion reads; `id` and `style` are looked at apart, and
a link keeps all but what `link_keeps` refuses."""

_STYLED_EVERYWHERE = frozenset(
    ("font-weight", "font-style", "text-decoration", "vertical-align", "white-space")
)
_STYLED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("p", *_HEADINGS), frozenset(("text-align",))),
    "span": frozenset(("color",)),
    "mark": frozenset(("color",)),
    "td": frozenset(("background-color", "width")),
    "th": frozenset(("width",)),
}
_TELLING = frozenset(
    ("title", "alt", "cite", "aria-label", "aria-description", "datetime", "summary")
)
"""Attributes that say something to a reader or a machine."""
_ORIGIN_IDS = ("w-node-", "docs-internal-guid-")
"""Ids that builders and word processors write; nothing links to them."""
_MEANS_NOTHING = frozenset(("srcset", "sizes"))
_AUTO = frozenset(("", "auto"))
_UNSAFE = frozenset(("class", "style", "ping", "srcdoc", "formaction", "xlink:href"))
_ORIGIN_DATA = ("data-w-", "data-wf-", "data-rt-")
_IMAGE = tag_set(
    "src data-src alt title source copyright meta_data id width height srcset sizes "
    "loading style"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a figure stands on the page."""

    alignment: str
    size: str


def means_a_place(name: str) -> bool:
    """Say whether an id may be linked to, and is not one that a builder writes."""
    return bool(name.strip()) and not name.startswith(_ORIGIN_IDS)


def link_keeps(name: str) -> bool:
    """Say whether a link's attribute may stay: none that runs code, and none of
    the origin's looks."""
    return not (
        name in _UNSAFE or name.startswith("on") or name.startswith(_ORIGIN_DATA)
    )


def account(element: Element, losses: Collector) -> None:
    """Record the attributes that conversion does not read. Changes nothing."""
    kept = KEPT.get(element.tag, frozenset())
    for name, value in element.attributes.items():
        if name == "style":
            _account_style(element, value, losses)
        elif name == "id" or (name == "name" and element.tag == "a"):
            if value.strip() and not means_a_place(value):
                _lose(element, name, value, losses)
        elif name not in kept and value.strip() and name not in _MEANS_NOTHING:
            _lose(element, name, value, losses)


def account_link(element: Element, losses: Collector) -> None:
    """Record what a link that stands does not keep."""
    for name, value in element.attributes.items():
        if name == "style":
            _account_style(element, value, losses)
        elif value.strip() and not link_keeps(name):
            _lose(element, name, value, losses)


def account_image(element: Element, losses: Collector, *, sized: bool = False) -> None:
    """Record a picture's size, source set and whatever else has no place.

    `sized`: its width has found one.
    """
    given = element.attributes
    for name in ("height",) if sized else ("width", "height"):
        if given.get(name, "").strip().lower() not in _AUTO:
            losses.lose("size", f"{name}: {given[name]}", element)
    if given.get("srcset", "").strip():
        losses.lose("source-set", "srcset", element)
    if given.get("style"):
        _account_style(element, given["style"], losses)
    for name, value in given.items():
        if name not in _IMAGE and value.strip():
            _lose(element, name, value, losses)


def width_of(element: Element) -> str:
    """Return a picture's own width as a size, or empty."""
    given = element.attributes.get("width", "").strip().lower()
    if given in _AUTO:
        return ""
    return f"{given}px" if given.isdecimal() else given


def layout_of(figure: Element, losses: Collector) -> Layout:
    """Return a figure's layout, and record its attributes that are none."""
    given = dict(figure.attributes)
    alignment = given.pop("data-rt-align", "").strip()
    size = given.pop("data-rt-max-width", "").strip()
    others: list[str] = []
    for name in given.pop("class", "").split():
        if name.startswith("w-richtext-align-"):
            alignment = alignment or name.removeprefix("w-richtext-align-")
        elif not name.startswith("w-richtext-figure-type-"):
            others.append(name)
    style = declarations(given.pop("style", ""))
    size = size or style.pop("max-width", "") or style.pop("width", "")
    style.pop("padding-bottom", "")
    for what in (*others, *_written(given), *(f"{n}: {v}" for n, v in style.items())):
        losses.lose("attribute", what, figure)
    return Layout(alignment, "" if size.lower() in _AUTO else size)


def lose_layout(layout: Layout, figure: Element, losses: Collector) -> None:
    """Record a layout that found no place."""
    if layout.alignment:
        losses.lose("alignment", layout.alignment, figure)
    if layout.size:
        losses.lose("size", f"max-width: {layout.size}", figure)


def _written(attributes: Mapping[str, str]) -> list[str]:
    return [
        f'{name}="{value}"'
        for name, value in attributes.items()
        if value.strip()
        and not name.startswith(("data-rt-", "data-page-url"))
        and (name != "id" or not means_a_place(value))
    ]


def _account_style(element: Element, value: str, losses: Collector) -> None:
    taken = _STYLED.get(element.tag, frozenset()) | _STYLED_EVERYWHERE
    for name, setting in declarations(value).items():
        if name.lower() not in taken:
            losses.lose("style", f"{name}: {setting}", element)


def _lose(element: Element, name: str, value: str, losses: Collector) -> None:
    if name in _TELLING:
        losses.lose("description", value, element)
    elif name.startswith("on"):
        losses.lose("script", f'{name}="{value}"', element, severity=Severity.MEANING)
    else:
        losses.lose("attribute", f'{name}="{value}"', element)
