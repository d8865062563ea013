"""Which element gives which node or mark: one literal table, in rule order.

The first rule that fits wins, unless it lets the search go on. A reader
returns the attributes, or None when the rule does not fit the element.
Source: the rules of the official converter, 5.3.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.html.dom import Element, tag_set
from cmsmig.richtext.html.inline_style import computed, declared
from cmsmig.richtext.html.javascript import (
    as_json,
    is_index,
    leading_number,
    number_of,
    read_value,
)

Reader: TypeAlias = "Callable[[Element], JsonObject | None]"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: what it makes, and how its attributes are read."""

    name: str
    read: Reader
    mark: bool = False
    consuming: bool = True


Rules: TypeAlias = Mapping[str, tuple[Rule, ...]]

SPACER = "cms:spacer"
"""A paragraph that ends where it begins, and is left out."""
LINE_ENDS = frozenset(("br", "hr", "svg:br", SPACER))
"""Elements behind which a new line begins on a page."""
IGNORED_TAGS = frozenset(("head", "noscript", "object", "script", "style", "title"))
"""Elements left out with everything in them."""

_ALLOWED_SCHEMES = tag_set("http https ftp ftps mailto tel callto sms cid xmpp")
_UNSEEN = re.compile(r"[\x00-\x20\xa0\u1680\u180e\u2000-\u2029\u205f\u3000]")
_COLOR = re.compile("color", re.IGNORECASE)
_ALLOWED = re.compile(
    rf"(?:{'|'.join(sorted(_ALLOWED_SCHEMES))}):|[^a-z]"
    r"|[a-z0-9+.\-]+(?:[^a-z+.\-:]|\Z)",
    re.IGNORECASE | re.ASCII,
)


def link_allowed(href: str) -> bool:
    """Return whether an address may be a link: no scheme, or a known harmless one.

    That is what it looks for; as it looks for it, a digit before the colon is
    enough as well.
    """
    bare = _UNSEEN.sub("", href)
    return not href or _ALLOWED.match(bare) is not None


def _bare(element: Element) -> JsonObject | None:
    return {}


def _declared(element: Element, name: str) -> Json:
    style = element.attributes.get("style")
    return declared(style, name) if style else None


def _paragraph(element: Element) -> JsonObject | None:
    if not element.attributes:
        return {"textAlign": None}
    return {"textAlign": _declared(element, "text-align")}


def _heading(element: Element) -> JsonObject | None:
    level: Json = read_value(element.attributes.get("level"))
    if level is None and "level" not in element.attributes:
        level = int(element.tag[1])
    return {"level": level, "textAlign": _declared(element, "text-align")}


def _ordered_list(element: Element) -> JsonObject | None:
    given = element.attributes.get("start") or element.attributes.get("data-order")
    if not given:
        return {"order": 1}
    number = number_of(given)
    return {"order": 1 if isnan(number) else as_json(number)}


def _code_block(element: Element) -> JsonObject | None:
    holder = element.code or element
    language = holder.attributes.get("data-language")
    return {"class": language or holder.attributes.get("class")}


_IMAGE = ("id", "src", "alt", "title", "source", "copyright", "meta_data")


def _image(element: Element) -> JsonObject | None:
    given = element.attributes
    if "src" not in given or given["src"].startswith("data:"):
        return None
    return {name: read_value(given.get(name)) for name in _IMAGE}


def _emoji(element: Element) -> JsonObject | None:
    given = element.attributes
    if "data-emoji" not in given:
        return None
    return {
        "fallbackImage": given.get("src") or given.get("data-src") or None,
        "name": given.get("data-name") or None,
        "emoji": given.get("data-emoji") or None,
    }


def _span_count(element: Element, name: str) -> Json:
    if name not in element.attributes:
        return 1
    return read_value(element.attributes[name])


def _widths(element: Element) -> Json:
    if given := element.attributes.get("colwidth"):
        read = [number_of(piece) for piece in given.split(",")]
        found = [as_json(number) for number in read if not isnan(number)]
        return found or None
    style = element.attributes.get("style")
    if not style or "width" not in computed(style):
        return None
    width = leading_number(computed(style)["width"])
    return None if isnan(width) else [as_json(width)]


def _header(element: Element) -> JsonObject | None:
    if not element.attributes:
        return {"colspan": 1, "rowspan": 1, "colwidth": None}
    return {
        "colspan": _span_count(element, "colspan"),
        "rowspan": _span_count(element, "rowspan"),
        "colwidth": _widths(element),
    }


def _cell(element: Element) -> JsonObject | None:
    read = _header(element) or {}
    read["backgroundColor"] = _declared(element, "background-color")
    return read


_LINK = frozenset(("href", "target", "data-uuid", "data-anchor", "data-linktype"))


def _link(element: Element) -> JsonObject | None:
    href = element.attributes.get("href", "")
    if not href or not link_allowed(href):
        return None
    given = element.attributes
    if len(given) == 1:
        return {
            "href": href,
            "uuid": None,
            "anchor": None,
            "target": None,
            "linktype": "url",
            "custom": {},
        }
    return {
        "href": href,
        "uuid": given.get("data-uuid") or None,
        "anchor": given.get("data-anchor") or None,
        "target": given.get("target") or None,
        "linktype": given.get("data-linktype") or "url",
        "custom": _custom(given),
    }


def _custom(given: Mapping[str, str]) -> JsonObject:
    """Return the other attributes in the order that a JavaScript object has."""
    custom: JsonObject = {
        name: value
        for name, value in given.items()
        if name not in _LINK and name != "__proto__"
    }
    if any(map(is_index, custom)):
        indexes = sorted(filter(is_index, custom), key=int)
        custom = {**{name: custom[name] for name in indexes}, **custom}
    return custom


def _highlight(element: Element) -> JsonObject | None:
    return {"color": _declared(element, "color")}


def _text_style(element: Element) -> JsonObject | None:
    style = element.attributes.get("style", "")
    if "color" not in style and not _COLOR.search(style):
        return None
    return {"color": _declared(element, "color")}


def _anchor(element: Element) -> JsonObject | None:
    given = element.attributes
    if "id" not in given:
        return None
    return {"id": given["id"] or given.get("data-id") or None}


def _styled(element: Element) -> JsonObject | None:
    if not element.attributes.get("class"):
        return None
    return {"class": element.attributes["class"]}


def _unless(property_name: str, value: str) -> Reader:
    def read(element: Element) -> JsonObject | None:
        style = element.attributes.get("style")
        if style and computed(style).get(property_name) == value:
            return None
        return {}

    return read


def _blok(element: Element) -> JsonObject | None:
    given = element.attributes
    if "data-blok" not in given:
        return None
    body: Json = read_value(given["body"]) if "body" in given else []
    return {"id": read_value(given.get("id")), "body": body}


def _finished(element: Element) -> JsonObject | None:
    return element.payload


_BOLD = (Rule("bold", _bare, mark=True),)
_ITALIC = (Rule("italic", _bare, mark=True),)
_STRIKE = (Rule("strike", _bare, mark=True),)
_EMOJI = Rule("emoji", _emoji)
_HEADING = (Rule("heading", _heading),)
_CODE_BLOCK = (Rule("code_block", _code_block),)
_BREAK = (Rule("hard_break", _bare),)

RULES: Rules = {
    "a": (Rule("link", _link, mark=True),),
    "strong": _BOLD,
    "b": (Rule("bold", _unless("font-weight", "normal"), mark=True),),
    "em": _ITALIC,
    "i": (Rule("italic", _unless("font-style", "normal"), mark=True),),
    "s": _STRIKE,
    "del": _STRIKE,
    "strike": _STRIKE,
    "u": (Rule("underline", _bare, mark=True),),
    "code": (Rule("code", _bare, mark=True),),
    "sup": (Rule("superscript", _bare, mark=True),),
    "sub": (Rule("subscript", _bare, mark=True),),
    "mark": (Rule("highlight", _highlight, mark=True),),
    "span": (
        Rule("textStyle", _text_style, mark=True, consuming=False),
        Rule("anchor", _anchor, mark=True),
        Rule("styled", _styled, mark=True, consuming=False),
        _EMOJI,
    ),
    "p": (Rule("paragraph", _paragraph),),
    "img": (_EMOJI, Rule("image", _image)),
    "blockquote": (Rule("blockquote", _bare),),
    "h1": _HEADING,
    "h2": _HEADING,
    "h3": _HEADING,
    "h4": _HEADING,
    "h5": _HEADING,
    "h6": _HEADING,
    "ul": (Rule("bullet_list", _bare),),
    "ol": (Rule("ordered_list", _ordered_list),),
    "li": (Rule("list_item", _bare),),
    "pre": _CODE_BLOCK,
    "svg:pre": _CODE_BLOCK,
    "br": _BREAK,
    "svg:br": _BREAK,
    "hr": (Rule("horizontal_rule", _bare),),
    "table": (Rule("table", _bare),),
    "tr": (Rule("tableRow", _bare),),
    "td": (Rule("tableCell", _cell),),
    "th": (Rule("tableHeader", _header),),
    "div": (Rule("blok", _blok),),
    SPACER: (Rule("paragraph", _finished),),
    "cms:image": (Rule("image", _finished),),
    "cms:blok": (Rule("blok", _finished),),
}
"""The last three are made by the HTML stage; no source can spell them so that
they carry a payload."""
