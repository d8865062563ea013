"""Which element gives which node or mark: one literal table, in rule order.

The first rule that fits wins, unless it lets the search go on. A reader
returns the attributes, or None when the rule does not fit the element.
Source: the rules of the official converter, 5.3.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.dom import Element, tag_set
from cmsmig.richtext.styles import declarations

Reader: TypeAlias = "Callable[[Element], JsonObject | None]"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: what it makes, and how its attributes are read."""

    name: str
    read: Reader
    mark: bool = False
    consuming: bool = True


Rules: TypeAlias = Mapping[str, tuple[Rule, ...]]

BLOCK_TAGS = tag_set(
    "address article aside blockquote canvas dd div dl fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr li noscript ol output p pre "
    "section table tfoot ul"
)
"""Elements that end the paragraph before and after them."""
MORE_BLOCK_TAGS = BLOCK_TAGS | tag_set(
    "body caption center details dialog dir dt legend main menu nav search summary "
    "tbody thead td th tr optgroup option"
)
"""The same for faithful conversion: what a browser shows as a block."""
IGNORED_TAGS = frozenset(("head", "noscript", "object", "script", "style", "title"))
"""Elements left out with everything in them."""

_NUMBER = re.compile(r"[+-]?(?:\d*\.)?\d+\Z", re.ASCII)
_ALLOWED_SCHEMES = tag_set("http https ftp ftps mailto tel callto sms cid xmpp")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u1680\u180e\u2000-\u2029\u205f\u3000]")
_SCHEME = re.compile(r"([a-z0-9+.-]+):", re.IGNORECASE)


def link_allowed(href: str) -> bool:
    """Say whether an address may be a link: no scheme, or a known harmless one."""
    bare = _UNSEEN.sub("", href)
    found = _SCHEME.match(bare)
    return found is None or found[1].lower() in _ALLOWED_SCHEMES


def _bare(element: Element) -> JsonObject | None:
    return {}


def _align(element: Element) -> Json:
    style = element.attributes.get("style")
    return declarations(style).get("text-align") if style else None


def _paragraph(element: Element) -> JsonObject | None:
    return {"textAlign": _align(element)}


def _heading(element: Element) -> JsonObject | None:
    return {"level": int(element.tag[1]), "textAlign": _align(element)}


def _ordered_list(element: Element) -> JsonObject | None:
    given = element.attributes.get("start") or element.attributes.get("data-order", "")
    try:
        return {"order": int(given)}
    except ValueError:
        return {"order": 1}


def _code_block(element: Element) -> JsonObject | None:
    holder = element.code or element
    language = holder.attributes.get("data-language")
    return {"class": language or holder.attributes.get("class")}


def _image(element: Element) -> JsonObject | None:
    given = element.attributes
    if "src" not in given or given["src"].startswith("data:"):
        return None
    return {
        name: given.get(name)
        for name in ("id", "src", "alt", "title", "source", "copyright", "meta_data")
    }


def _emoji(element: Element) -> JsonObject | None:
    given = element.attributes
    if "data-emoji" not in given:
        return None
    return {
        "fallbackImage": given.get("src") or given.get("data-src"),
        "name": given.get("data-name"),
        "emoji": given.get("data-emoji"),
    }


def _span_count(element: Element, name: str) -> int:
    given = element.attributes.get(name, "").strip()
    return max(int(given), 1) if given.isascii() and given.isdigit() else 1


def _widths(element: Element) -> Json:
    given = element.attributes.get("colwidth", "")
    found: list[Json] = [int(width) for width in re.findall(r"\d{1,6}", given)]
    return found or None


def _header(element: Element) -> JsonObject | None:
    return {
        "colspan": _span_count(element, "colspan"),
        "rowspan": _span_count(element, "rowspan"),
        "colwidth": _widths(element),
    }


def _cell(element: Element) -> JsonObject | None:
    style = declarations(element.attributes.get("style", ""))
    read = _header(element) or {}
    return {**read, "backgroundColor": style.get("background-color")}


def _link(element: Element) -> JsonObject | None:
    href = element.attributes.get("href", "")
    if not href or not link_allowed(href):
        return None
    taken = ("href", "target", "data-uuid", "data-anchor", "data-linktype")
    custom: JsonObject = {
        name: value for name, value in element.attributes.items() if name not in taken
    }
    return {
        "href": href,
        "uuid": element.attributes.get("data-uuid"),
        "anchor": element.attributes.get("data-anchor"),
        "target": element.attributes.get("target"),
        "linktype": element.attributes.get("data-linktype", "url"),
        "custom": custom,
    }


def _color(element: Element) -> Json:
    return declarations(element.attributes.get("style", "")).get("color")


def _highlight(element: Element) -> JsonObject | None:
    return {"color": _color(element)}


def _text_style(element: Element) -> JsonObject | None:
    if "color" not in element.attributes.get("style", ""):
        return None
    return {"color": _color(element)}


def _anchor(element: Element) -> JsonObject | None:
    if "id" not in element.attributes:
        return None
    return {"id": element.attributes["id"] or element.attributes.get("data-id")}


def _styled(element: Element) -> JsonObject | None:
    if "class" not in element.attributes:
        return None
    return {"class": element.attributes["class"]}


def _unless(property_name: str, value: str) -> Reader:
    def read(element: Element) -> JsonObject | None:
        style = element.attributes.get("style", "")
        if style and declarations(style).get(property_name) == value:
            return None
        return {}

    return read


def _blok(element: Element) -> JsonObject | None:
    if "data-blok" not in element.attributes:
        return None
    return {"id": element.attributes.get("id"), "body": []}


def _finished(element: Element) -> JsonObject | None:
    return element.payload


_BOLD = (Rule("bold", _bare, mark=True),)
_ITALIC = (Rule("italic", _bare, mark=True),)
_STRIKE = (Rule("strike", _bare, mark=True),)
_EMOJI = Rule("emoji", _emoji)
_HEADING = (Rule("heading", _heading),)

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
    "pre": (Rule("code_block", _code_block),),
    "br": (Rule("hard_break", _bare),),
    "hr": (Rule("horizontal_rule", _bare),),
    "table": (Rule("table", _bare),),
    "tr": (Rule("tableRow", _bare),),
    "td": (Rule("tableCell", _cell),),
    "th": (Rule("tableHeader", _header),),
    "div": (Rule("blok", _blok),),
    "cms:image": (Rule("image", _finished),),
    "cms:blok": (Rule("blok", _finished),),
}
"""The last two are made by the HTML stage; no source can spell them so that
they carry a payload."""
