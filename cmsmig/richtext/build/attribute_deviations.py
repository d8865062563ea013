"""The deviations from the official converter that an element's attributes cause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cmsmig.richtext.build.attributes import link_keeps, window_of
from cmsmig.richtext.build.element_rules import link_allowed, mail_address
from cmsmig.richtext.build.style_marks import UNDOING, undoes
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.html.inline_style import style_may_differ
from cmsmig.richtext.schema.attribute_types import LINK_TYPES

_VALUE = re.compile(r"[+-]?(?:[0-9]*\.)?[0-9]+|true|false")
"""A text that the official converter reads as a number or a truth value."""
_COUNT = re.compile(r"-?[1-9][0-9]{0,2}")
_TEXTS = ("src", "alt", "title", "source", "copyright")


def deviations_of(element: Element) -> Iterator[Deviation]:
    """Yield what is read otherwise of an element's attributes."""
    given = element.attributes
    if not given:
        return
    if style := given.get("style"):
        yield from _of_style(element, style)
    if element.tag == "a":
        yield from _of_link(given)
    elif element.tag == "span":
        if "id" in given and given.get("class"):
            yield Deviation.SPAN
    elif element.tag == "div":
        if "data-blok" in given:
            yield Deviation.BLOK
    elif _has_value(element.tag, given):
        yield Deviation.VALUES


def _of_style(element: Element, style: str) -> Iterator[Deviation]:
    mark = UNDOING.get(element.tag, "")
    # The official converter knows one value, of `b` and `i` alone.
    known = element.tag in ("b", "i") and "normal" in style
    if mark and undoes(style, mark) and not known:
        yield Deviation.UNDONE_MARKS
    if style_may_differ(style):
        yield Deviation.STYLE


def _of_link(given: dict[str, str]) -> Iterator[Deviation]:
    href, target = given.get("href", ""), given.get("target", "")
    if not href or not link_allowed(href):
        return
    if mail_address(href):
        yield Deviation.MAIL_LINK
    if not all(map(link_keeps, given)):
        yield Deviation.LINK_ATTRIBUTES
    if "id" in given and not given["id"].strip():
        yield Deviation.EMPTY_ID
    if target and window_of(target) != target:
        yield Deviation.LINK_TARGET
    kind = given.get("data-linktype", "url")
    if kind not in LINK_TYPES or (kind == "story" and not given.get("data-uuid")):
        yield Deviation.VALUES


def _has_value(tag: str, given: dict[str, str]) -> bool:
    """Return whether the official converter reads another value, by its type."""
    if tag == "img":
        texts = (given.get(name, "") for name in _TEXTS)
        return "meta_data" in given or any(map(_VALUE.fullmatch, texts))
    if tag in ("td", "th"):
        counts = (given.get(name, "1") for name in ("colspan", "rowspan"))
        return "colwidth" in given or not all(map(_COUNT.fullmatch, counts))
    if tag == "ol":
        number = given.get("start") or given.get("data-order") or "1"
        return _COUNT.fullmatch(number) is None
    return "level" in given and given["level"] not in tuple("123456")
