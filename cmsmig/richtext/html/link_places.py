"""Where raw HTML leads: the values of its links, and addresses elsewhere in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.richtext.html.entities import shown_attribute
from cmsmig.richtext.html.parse import ATTRIBUTE, ESCAPABLE_RAW, RAW, TOKEN

_LINKS = frozenset(
    (
        *(("a", "href"), ("a", "xlink:href"), ("area", "href")),
        *(("form", "action"), ("button", "formaction"), ("input", "formaction")),
    )
)
"""Element and attribute that lead a reader to a page."""
_QUOTED = re.compile(r"([\"'])((?:https?:)?\\?/[^\"'\s<>]*+)\1")
"""An address in code, whose slashes may have backslashes before them."""


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """One address, and where its value is in the HTML, without its quotes."""

    address: str
    start: int
    end: int
    is_link: bool
    """Whether it is the whole value of a link's attribute: another value may take its
    place. All else may be code, or data that a script reads."""


def link_places(html: str) -> Iterator[LinkPlace]:
    """Yield the links of HTML, and what may be an address in its other attributes and
    its scripts, in their order. Linear in its size; raises nothing."""
    at, last = 0, html.rfind(">") + 1
    while (token := TOKEN.search(html, at, last)) is not None:
        at = token.end()
        if token["tag"] is None or token["end"]:
            continue
        tag = token["tag"].lower()
        yield from _in_attributes(html, tag, *token.span("attributes"))
        if tag in RAW or tag in ESCAPABLE_RAW:
            ending = re.compile(rf"</{tag}(?=[ \t\n\r\f/>])", re.IGNORECASE)
            found = ending.search(html, at)
            end = found.start() if found else len(html)
            if tag == "script":
                yield from _in_code(html[at:end], at)
            at = end


def _in_attributes(html: str, tag: str, start: int, end: int) -> Iterator[LinkPlace]:
    read: set[str] = set()
    for found in ATTRIBUTE.finditer(html, start, end):
        name, group = found["name"].lower(), found.lastgroup or "name"
        if name in read or group == "name":
            continue
        read.add(name)  # of doubles the first counts
        value = shown_attribute(found[group])
        if (tag, name) in _LINKS:
            yield LinkPlace(value, *found.span(group), is_link=True)
        elif value.lstrip().startswith(("/", "http")):
            yield LinkPlace(value.strip(), *found.span(group), is_link=False)
        else:
            yield from _in_code(value, found.start(group))


def _in_code(code: str, start: int) -> Iterator[LinkPlace]:
    for found in _QUOTED.finditer(code):
        address = found[2].replace("\\/", "/")
        yield LinkPlace(address, start, start, is_link=False)
