"""Which element gives which node or mark: one literal table, in rule order.

The first rule that fits wins, unless it lets the search go on. A reader
returns the attributes, or None when the rule does not fit the element.
Source: the rules of the official converter, 5.3.1, amended where a deviation is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.attributes import link_keeps, window_of
from cmsmig.richtext.build.style_marks import UNDOING, undoes
from cmsmig.richtext.html.dom import Element, tag_set
from cmsmig.richtext.html.inline_style import declarations, looks
from cmsmig.richtext.html.numbers import integer, leading_number, span
from cmsmig.richtext.schema.attribute_types import LINK_TYPES

Reader: TypeAlias = "Callable[[Element], JsonObject | None]"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: what it makes, and how its attributes are read."""

    name: str
    read: Reader
    mark: bool = False
    consuming: bool = True


Rules: TypeAlias = Mapping[str, tuple[Rule, ...]]

LINE_ENDS = frozenset(("br", "hr"))
"""Elements behind which a new line begins on a page."""
IGNORED_TAGS = frozenset(("head", "noscript", "object", "script", "style", "title"))
"""Elements left out with everything in them."""

_ALLOWED_SCHEMES = tag_set("http https ftp ftps mailto tel callto sms cid xmpp")
_UNSEEN = re.compile(r"[\x00-\x20\xa0\u1680\u180e\u2000-\u2029\u205f\u3000]")
_COLOR = re.compile("color", re.IGNORECASE)
_WIDTH = re.compile(r"0|[-+]?(?:[0-9]*\.)?[0-9]+(?:%|[a-z]+)")
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


def mail_address(href: str) -> str:
    """Return what a `mailto:` link leads to, or empty for other links."""
    return href[7:].strip() if href[:7].lower() == "mailto:" else ""


def _bare(element: Element) -> JsonObject | None:
    return {}


def _declared(element: Element, name: str) -> Json:
    found = declarations(element.attributes.get("style", ""))
    return {said.lower(): value for said, value in found.items()}.get(name)


def _alignment(element: Element) -> JsonObject:
    style = element.attributes.get("style")
    return {"textAlign": looks(style).get("text-align") if style else None}


def _paragraph(element: Element) -> JsonObject | None:
    return _alignment(element)


def _heading(element: Element) -> JsonObject | None:
    level = element.attributes.get("level", "")
    level = level if level in tuple("123456") else element.tag[1]
    return {"level": int(level), **_alignment(element)}


def _ordered_list(element: Element) -> JsonObject | None:
    given = element.attributes
    number = integer(given.get("start") or given.get("data-order", ""))
    return {"order": 1 if number is None else number}


def _code_block(element: Element) -> JsonObject | None:
    holder = element.code or element
    language = holder.attributes.get("data-language")
    return {"class": language or holder.attributes.get("class")}


_IMAGE = ("src", "alt", "title", "source", "copyright")


def _image(element: Element) -> JsonObject | None:
    given = element.attributes
    if "src" not in given:
        return None
    said: JsonObject = {name: given.get(name) for name in _IMAGE}
    return {"id": None, **said, "meta_data": None, **(element.payload or {})}


def _emoji(element: Element) -> JsonObject | None:
    given = element.attributes
    if "data-emoji" not in given or (element.tag == "span" and "id" in given):
        return None
    return {
        "fallbackImage": given.get("src") or given.get("data-src") or None,
        "name": given.get("data-name") or None,
        "emoji": given.get("data-emoji") or None,
    }


def _widths(given: Mapping[str, str], columns: int) -> Json:
    """Return the widths of a cell's columns, no more than it has."""
    said = given.get("colwidth")
    if said:
        numbers = [leading_number(piece) for piece in said.split(",")]
    else:
        width = _WIDTH.fullmatch(looks(given.get("style", "")).get("width", ""))
        numbers = [leading_number(width[0]) if width else None]
    widths: list[Json] = [each for each in numbers if each is not None]
    return widths[:columns] or None


def _header(element: Element) -> JsonObject | None:
    given = element.attributes
    if not given:
        return {"colspan": 1, "rowspan": 1, "colwidth": None}
    columns = span(given, "colspan")
    return {
        "colspan": columns,
        "rowspan": span(given, "rowspan") or 1,
        "colwidth": _widths(given, columns),
    }


def _cell(element: Element) -> JsonObject | None:
    read = _header(element) or {}
    read["backgroundColor"] = _declared(element, "background-color")
    return read


_LINK = frozenset(("href", "target", "data-uuid", "data-anchor", "data-linktype"))


def _link(element: Element) -> JsonObject | None:
    given = element.attributes
    href = given.get("href", "")
    if not href or not link_allowed(href):
        return None
    kind, uuid = given.get("data-linktype") or "url", given.get("data-uuid") or None
    if kind not in LINK_TYPES or (kind == "story" and not uuid):
        kind = "url"
    mail = mail_address(href)
    return {
        "href": mail or href,
        "uuid": uuid,
        "anchor": given.get("data-anchor") or None,
        "target": window_of(given.get("target", "")) or None,
        "linktype": "email" if mail else kind,
        "custom": {
            name: value
            for name, value in given.items()
            if name not in _LINK
            and link_keeps(name)
            and (name != "id" or value.strip())
        },
    }


def _highlight(element: Element) -> JsonObject | None:
    return {"color": _declared(element, "color")}


def _text_style(element: Element) -> JsonObject | None:
    if not _COLOR.search(element.attributes.get("style", "")):
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


def _finished(element: Element) -> JsonObject | None:
    return element.payload


def _mark(name: str) -> tuple[Rule, ...]:
    """Return the rule of a mark, which the element's own style may take away."""

    def read(element: Element) -> JsonObject | None:
        style = element.attributes.get("style")
        return None if style and undoes(style, name) else {}

    return (Rule(name, read, mark=True),)


_EMOJI = Rule("emoji", _emoji)
_HEADING = (Rule("heading", _heading),)

RULES: Rules = {
    "a": (Rule("link", _link, mark=True),),
    **{tag: _mark(name) for tag, name in UNDOING.items()},
    "code": (Rule("code", _bare, mark=True),),
    "mark": (Rule("highlight", _highlight, mark=True),),
    "span": (
        Rule("textStyle", _text_style, mark=True, consuming=False),
        Rule("anchor", _anchor, mark=True, consuming=False),
        Rule("styled", _styled, mark=True, consuming=False),
        _EMOJI,
    ),
    "p": (Rule("paragraph", _paragraph),),
    "img": (_EMOJI, Rule("image", _image)),
    "blockquote": (Rule("blockquote", _bare),),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _HEADING),
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
    "cms:blok": (Rule("blok", _finished),),
}
"""The last one is made by the HTML stage; no source can spell it so that it carries a
payload."""
