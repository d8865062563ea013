"""Accounts for the attributes that no node or mark takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.build.style_marks import UNDOING, undoes
from cmsmig.richtext.html.dom import Element, is_numbered, tag_set, walk
from cmsmig.richtext.html.inline_style import declarations
from cmsmig.richtext.html.numbers import dimension
from cmsmig.richtext.html.visibility import has_picture, is_carrier
from cmsmig.richtext.losses import Severity

AUTO = frozenset(("", "auto", "none"))
_SIZE = re.compile(
    r"\+?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:%|px|r?em|r?ex|r?ch|r?ic|r?lh|r?cap|in|cm|mm"
    r"|q|pt|pc|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max))?"
    r"|(?:calc|min|max|clamp|var|env|fit-content)\(.*\)"
    r"|(?:min|max|fit)-content|stretch|inherit|initial|unset|revert",
    re.IGNORECASE | re.DOTALL,
)
UNFIT = "This is no size that a browser knows, and it is left out."


def width_of(element: Element) -> str:
    """Return a picture's own width as a size; empty without one, or for no size."""
    return dimension(element.attributes.get("width", ""))


def is_size(value: str) -> bool:
    """Return whether a browser knows a size; numbers without a unit count as such."""
    bare = value.strip().lower().removesuffix("!important").strip()
    return _SIZE.fullmatch(bare) is not None


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
_LINE = "text-decoration-line"
"""Adds no mark, as in the official converter, but undoes one."""
_HEAVY_TAGS = frozenset((*_HEADINGS, "th"))
"""Nodes that are bold by themselves: no mark says that one is not."""
_REDUNDANT = frozenset(
    (
        *((tag, "role", "list") for tag in ("ul", "ol")),
        ("li", "role", "listitem"),
        ("ol", "type", "1"),
        ("table", "role", "table"),
    )
)
"""Element, attribute and value that say what the node says by itself."""
_TELLING = frozenset(
    ("title", "alt", "cite", "aria-label", "aria-description", "datetime", "summary")
)
"""Attributes that say something to a reader or a machine."""
_ORIGIN_IDS = ("w-node-", "docs-internal-guid-")
"""Ids that builders and word processors write; nothing links to them."""
_MEANS_NOTHING = frozenset(("srcset", "sizes"))
_FLAGS = tag_set(
    "allowfullscreen async autofocus autoplay checked compact contenteditable "
    "controls declare default defer disabled formnovalidate hidden inert ismap "
    "itemscope loop multiple muted nohref nomodule noresize noshade novalidate nowrap "
    "open playsinline popover readonly required reversed selected"
)
"""Attributes that say something without a value. Source: the HTML standard, its
index of attributes and its obsolete features."""
_HIDING = (("display", "none"), ("visibility", "hidden"))
_UNSAFE = frozenset(("class", "style", "ping", "srcdoc", "formaction", "xlink:href"))
_ORIGIN_DATA = ("data-w-", "data-wf-", "data-rt-")
WINDOWS = ("_blank", "_self", "_parent", "_top")
_CODES = frozenset(("code", "pre"))
_MOST_BELOW = 20
"""Elements that are looked at in one."""
_FIELD = tag_set("href target data-linktype data-uuid data-anchor name")
"""What a link field holds, or is accounted for elsewhere."""
_IMAGE = tag_set(
    "src data-src alt title source copyright meta_data id width height srcset sizes "
    "loading style"
)


def is_anchor(name: str) -> bool:
    """Return whether an id may be linked to, and is not one that a builder writes."""
    return bool(name.strip()) and not name.startswith(_ORIGIN_IDS)


def link_keeps(name: str) -> bool:
    """Return whether a link's attribute may stay: none that runs code, and none of
    the origin's looks."""
    return not (
        name in _UNSAFE or name.startswith("on") or name.startswith(_ORIGIN_DATA)
    )


def window_of(target: str) -> str:
    """Return where a link opens: a new window for any name but the four that browsers
    know, and empty when nothing is said."""
    if target.lower() in WINDOWS:
        return target.lower()
    return "_blank" if target.strip() else ""


def account(element: Element, losses: Collector) -> None:
    """Record the attributes that conversion does not read. Changes nothing."""
    kept = _kept_of(element)
    for name, value in element.attributes.items():
        if name == "style":
            _account_style(element, value, losses)
        elif (element.tag, name, value) in _REDUNDANT:
            continue
        elif name in _FLAGS:
            lose_flag(element, name, losses)
        elif name == "id" or (name == "name" and element.tag == "a"):
            if value.strip() and not is_anchor(value):
                _lose(element, name, value, losses)
        elif name not in kept and value.strip() and name not in _MEANS_NOTHING:
            _lose(element, name, value, losses)


def _kept_of(element: Element) -> frozenset[str]:
    """Return what conversion reads of an element.

    A code block's language is read from the first `code` in it, and from the block
    itself when it has none.
    """
    if element.tag == "li" and is_numbered(element):
        return frozenset(("value",))
    names_language = (element.code is None) == (element.tag == "pre")
    if element.tag not in _CODES or not names_language:
        return KEPT.get(element.tag, frozenset())
    given = element.attributes
    return frozenset(("data-language" if given.get("data-language") else "class",))


def account_wrapper(element: Element, losses: Collector) -> None:
    """Record what the wrapper of a custom embed says besides being one."""
    for name, value in element.attributes.items():
        if name == "style":
            _account_style(element, value, losses, everywhere=frozenset())
        elif name == "class":
            for each in element.classes:
                if not each.startswith("w-"):
                    losses.lose("attribute", each, element)
        elif name in _FLAGS:
            lose_flag(element, name, losses)
        elif name != "id" and value.strip() and not name.startswith(_ORIGIN_DATA):
            _lose(element, name, value, losses)


def account_field(link: Element, losses: Collector) -> None:
    """Record what a mark could hold of a link, and a picture's link field can't."""
    for name, value in link.attributes.items():
        if name in _FIELD or not link_keeps(name):
            continue
        if name in _FLAGS:
            lose_flag(link, name, losses)
        elif name != "id" and value.strip():
            _lose(link, name, value, losses)


def account_link(element: Element, losses: Collector) -> None:
    """Record which attributes a kept link loses."""
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
    for name in set_flags(given):
        lose_flag(element, name, losses)
    for name in ("height",) if sized else ("width", "height"):
        if (said := given.get(name, "").strip().lower()) not in AUTO:
            why = "" if dimension(said) else UNFIT
            losses.lose("size", f"{name}: {given[name]}", element, why=why)
    if given.get("srcset", "").strip():
        losses.lose("source-set", "srcset", element)
    if given.get("style"):
        _account_style(element, given["style"], losses)
    for name, value in given.items():
        shown = value.strip() in ("", given.get("src", "").strip())
        if name not in _IMAGE and name not in _FLAGS and not shown:
            _lose(element, name, value, losses)


def set_flags(names: Iterable[str]) -> Iterator[str]:
    """Yield the boolean attributes among some."""
    return (name for name in names if name in _FLAGS)


def lose_flag(element: Element, name: str, losses: Collector) -> None:
    """Record a boolean attribute, which says something without a value, too."""
    value = element.attributes[name]
    what = f'{name}="{value}"' if value.strip() else name
    if name == "hidden" and _is_seen(element, losses):
        losses.lose("hidden", what, element)
    elif name == "reversed" and element.tag == "ol":
        losses.lose("reversed", what, element)
    else:
        losses.lose("attribute", what, element)


def _is_seen(element: Element, losses: Collector) -> bool:
    return element.tag == "img" or losses.showing.shows(element)


def _account_style(
    element: Element,
    value: str,
    losses: Collector,
    *,
    everywhere: frozenset[str] = _STYLED_EVERYWHERE,
) -> None:
    taken = _STYLED.get(element.tag, frozenset()) | everywhere
    for name, setting in declarations(value).items():
        if name.lower() in taken and not (
            element.tag in _HEAVY_TAGS and undoes(f"{name}: {setting}", "bold")
        ):
            continue
        mark = UNDOING.get(element.tag)
        if name.lower() == _LINE and mark and undoes(f"{name}: {setting}", mark):
            continue
        hides = (name.lower(), setting.split("!")[0].strip().lower()) in _HIDING
        kind = "hidden" if hides and _is_seen(element, losses) else "style"
        what = f"{name}: {setting}"
        losses.lose("background" if has_picture(what) else kind, what, element)


def _lose(element: Element, name: str, value: str, losses: Collector) -> None:
    if name in _TELLING:
        losses.lose("description", value, element)
    elif name.startswith("on"):
        losses.lose("script", f'{name}="{value}"', element, severity=Severity.MEANING)
    else:
        lose_said(element, f'{name}="{value}"', losses)


def lose_said(element: Element, what: str, losses: Collector) -> None:
    """Record an attribute, a declaration or a class that has no place: a loss of
    content if a page shows something by it."""
    name, _, value = what.partition('="')
    if has_picture(what) or name == "background":
        losses.lose("background", what, element)
    elif "data-emoji" not in element.attributes and is_carrier(
        element.tag, name, value.removesuffix('"')
    ):
        below = _addresses_below(element)
        repeats = set(value.removesuffix('"').split(",")) <= below
        losses.lose("attribute" if repeats else "widget", what, element)
    else:
        losses.lose("attribute", what, element)


def _addresses_below(element: Element) -> set[str]:
    """Return the addresses in the first elements in one: a player in it may show what
    it names itself."""
    return {
        each.attributes[name]
        for each in islice(walk(element), _MOST_BELOW)
        for name in ("src", "poster")
        if name in each.attributes
    }
