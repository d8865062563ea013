"""Strips the attributes that no node or mark takes, and says which they were."""

from __future__ import annotations

from cmsmig.richtext.collect import Collector
from cmsmig.richtext.dom import Element
from cmsmig.richtext.losses import Severity
from cmsmig.richtext.styles import declarations

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

KEPT: dict[str, frozenset[str]] = {
    "a": frozenset(("href", "target", "rel", "title", "download", "hreflang", "type")),
    "ol": frozenset(("start",)),
    "td": frozenset(("colspan", "rowspan", "colwidth")),
    "th": frozenset(("colspan", "rowspan", "colwidth")),
    "span": frozenset(("class", "data-emoji", "data-name", "data-src", "src")),
    "code": frozenset(("class", "data-language")),
    "pre": frozenset(("class", "data-language")),
}
"""By element, what conversion reads; `id` and `style` are looked at apart."""

_STYLED_EVERYWHERE = frozenset(
    ("font-weight", "font-style", "text-decoration", "vertical-align", "white-space")
)
_STYLED: dict[str, frozenset[str]] = {
    **dict.fromkeys(("p", *_HEADINGS), frozenset(("text-align",))),
    "span": frozenset(("color",)),
    "mark": frozenset(("color",)),
    "td": frozenset(("background-color",)),
}
_TELLING = frozenset(
    ("title", "alt", "cite", "aria-label", "aria-description", "datetime", "summary")
)
"""Attributes that say something to a reader or a machine."""
_TARGETS = frozenset(("_blank", "_self", "_parent", "_top"))
_ORIGIN_IDS = ("w-node-", "docs-internal-guid-")
"""Ids that builders and word processors write; nothing links to them."""
_MEANS_NOTHING = frozenset(("srcset", "sizes"))
_AUTO = frozenset(("", "auto"))


def strip_attributes(element: Element, losses: Collector) -> None:
    """Leave what conversion reads and record the rest as losses."""
    if not element.attributes:
        return
    kept = KEPT.get(element.tag, frozenset())
    left: dict[str, str] = {}
    for name, value in element.attributes.items():
        if name == "style":
            _strip_style(element, value, left, losses)
        elif name == "id" or (name == "name" and element.tag == "a"):
            _strip_id(element, name, value, left, losses)
        elif name in kept and _reads(element, name, value):
            left[name] = value
        elif value.strip() and name not in _MEANS_NOTHING:
            _lose(element, name, value, losses)
    element.attributes = left


def _reads(element: Element, name: str, value: str) -> bool:
    if name == "target":
        return value in _TARGETS
    if name == "class":
        return bool(value.strip())
    return bool(value) or name == "href"


def _strip_id(
    element: Element, name: str, value: str, left: dict[str, str], losses: Collector
) -> None:
    if not value.strip():
        return
    if value.startswith(_ORIGIN_IDS):
        losses.lose("attribute", f'{name}="{value}"', element)
    else:
        left.setdefault("id", value)


def _strip_style(
    element: Element, value: str, left: dict[str, str], losses: Collector
) -> None:
    taken = _STYLED.get(element.tag, frozenset()) | _STYLED_EVERYWHERE
    kept: list[str] = []
    for name, setting in declarations(value).items():
        if name.lower() in taken:
            kept.append(f"{name}: {setting}")
        else:
            losses.lose("style", f"{name}: {setting}", element)
    if kept:
        left["style"] = "; ".join(kept)


def _lose(element: Element, name: str, value: str, losses: Collector) -> None:
    if name in _TELLING:
        losses.lose("description", value, element)
    elif name.startswith("on"):
        losses.lose(
            "script",
            f'{name}="{value}"',
            element,
            severity=Severity.MEANING,
        )
    else:
        losses.lose("attribute", f'{name}="{value}"', element)


def image_layout(element: Element, losses: Collector) -> None:
    """Record a picture's size, source set and whatever else has no place."""
    given = element.attributes
    for name in ("width", "height"):
        if given.get(name, "").strip().lower() not in _AUTO:
            losses.lose("size", f"{name}: {given[name]}", element)
    if given.get("srcset", "").strip():
        losses.lose("source-set", "srcset", element)
    read = ("src", "alt", "title", "width", "height", "srcset", "sizes", "loading")
    for name, value in given.items():
        if name == "id" and value and not value.startswith(_ORIGIN_IDS):
            losses.lose("anchor", value, element)
        elif name == "style":
            _strip_style(element, value, {}, losses)
        elif name not in read and value.strip():
            _lose(element, name, value, losses)


def figure_layout(element: Element, losses: Collector) -> None:
    """Record a figure's alignment and width, which are layout and nothing else."""
    given = dict(element.attributes)
    alignment = given.pop("data-rt-align", "")
    width = given.pop("data-rt-max-width", "")
    others: list[str] = []
    for name in given.pop("class", "").split():
        if name.startswith("w-richtext-align-"):
            alignment = alignment or name.removeprefix("w-richtext-align-")
        elif not name.startswith("w-richtext-figure-type-"):
            others.append(name)
    style = declarations(given.pop("style", ""))
    width = width or style.pop("max-width", "")
    style.pop("padding-bottom", "")
    if alignment:
        losses.lose("alignment", alignment, element)
    if width and width != "auto":
        losses.lose("size", f"max-width: {width}", element)
    for name, value in given.items():
        if not name.startswith(("data-rt-", "data-page-url")) and name != "id":
            others.append(f'{name}="{value}"' if value else "")
    for name in (*others, *(f"{name}: {value}" for name, value in style.items())):
        if name:
            losses.lose("attribute", name, element)
    real = given.get("id", "")
    element.attributes = {"id": real} if real else {}
