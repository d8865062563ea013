"""Finding file addresses in text and in HTML, and replacing those in text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from cmsmig.richtext.dom import Element, Node, Text
from cmsmig.richtext.parse import parse

_HOST = re.compile(r"\s*(?:https?:)?//(?:[^/?#@\\\s]*@)?([^/?#\\\s]+)", re.IGNORECASE)
_STOPS = r"\s\"'<>`\\{}|^\u200b-\u200f\u2018-\u201f\u00ab\u00bb\u2039\u203a"
_IN_TEXT = re.compile(rf"(?:https?:)?//(?:(?!,https?://)[^{_STOPS}])+", re.IGNORECASE)
_TRAILING = ".,;:!?*_~…"
_BRACKETS = {")": "(", "]": "["}
_STYLE_URL = re.compile(r"url\(\s*(?:\"([^\"]*)\"|'([^']*)'|([^)\"'\s]*))\s*\)", re.I)
_ADDRESS_ATTRIBUTES = frozenset(("src", "href", "poster", "data"))
_SRCSETS = frozenset(("srcset", "imagesrcset", "data-srcset"))
_DEEPEST = 3
"""Levels of `srcdoc` in `srcdoc` that are looked into."""


@dataclass(frozen=True, slots=True)
class Found:
    """One address, as it stands once attribute values are decoded."""

    address: str
    alt: str = ""
    """The `alt` beside it, if it is a picture's."""


def host_of(address: str) -> str:
    """Return the host, with its port if it names one, in lower case; or empty.

    Read as a browser reads it: whatever stands before an `@` or behind a
    backslash is not the host.
    """
    match = _HOST.match(address)
    return match[1].lower() if match else ""


def is_file(address: str, hosts: Set[str]) -> bool:
    """Return whether the address is on one of the file hosts."""
    return host_of(address) in hosts


def in_text(text: str, hosts: Set[str]) -> Iterator[tuple[int, int]]:
    """Yield where in plain text (also Markdown, CSS, script) file addresses stand.

    An address ends before a blank, a quote, an angle bracket, a closing
    bracket that it does not open itself, and punctuation at its end. One that
    is a part of a longer address of another host is no file.
    """
    for match in _IN_TEXT.finditer(text):
        end = match.start() + _length(match[0])
        if _starts_word(text, match.start()) and is_file(
            text[match.start() : end], hosts
        ):
            yield match.start(), end


def replace_in_text(
    text: str, hosts: Set[str], new: Callable[[str], str | None]
) -> str:
    """Return `text` with each file address replaced where `new` knows better."""
    pieces = []
    last = 0
    for start, end in in_text(text, hosts):
        pieces += [text[last:start], new(text[start:end]) or text[start:end]]
        last = end
    return "".join(pieces) + text[last:]


def in_html(body: str, hosts: Set[str], depth: int = 0) -> Iterator[Found]:
    """Yield the file addresses in an HTML body, in its order.

    Attribute values are decoded as the conversion decodes them. The candidates
    of a `srcset` count where the picture has no `src`, and inside embeds, which
    are kept as they are. Comments are no content. Never raises.
    """
    stack: list[tuple[Node, bool]] = [(parse(body), False)]
    while stack:
        node, embed = stack.pop()
        if isinstance(node, Text):
            yield from (Found(node.value[a:b]) for a, b in in_text(node.value, hosts))
            continue
        embed = embed or _opens_embed(node)
        yield from _of_tag(node.attributes, hosts, embed, depth)
        stack.extend((child, embed) for child in reversed(node.children))


def srcset(value: str) -> Iterator[str]:
    """Yield the addresses of a `srcset`, which may hold commas themselves."""
    position = 0
    while match := re.compile(r"[\s,]*(\S+)").match(value, position):
        address = match[1]
        position = match.end()
        if address.endswith(","):
            address = address.rstrip(",")
        else:
            comma = value.find(",", position)
            position = comma + 1 if comma >= 0 else len(value)
        if address:
            yield address


def _length(found: str) -> int:
    end = len(found)
    opened = {"(": 0, "[": 0}
    for place, sign in enumerate(found):
        if sign in opened:
            opened[sign] += 1
        elif sign in _BRACKETS:
            if not opened[_BRACKETS[sign]]:
                end = place
                break
            opened[_BRACKETS[sign]] -= 1
    while end and found[end - 1] in _TRAILING:
        end -= 1
    return end


def _starts_word(text: str, start: int) -> bool:
    # "xhttps://..." is no address, nor are the slashes of "ftp://...".
    return start == 0 or not (text[start - 1].isalnum() or text[start - 1] in ":/")


def _opens_embed(element: Element) -> bool:
    return "data-rt-embed-type" in element.attributes or "w-embed" in element.classes


def _of_tag(
    attributes: dict[str, str], hosts: Set[str], embed: bool, depth: int
) -> Iterator[Found]:
    for name, value in attributes.items():
        if "//" not in value:
            continue
        if name in _SRCSETS:
            if embed or not attributes.get("src", "").strip():
                alt = attributes.get("alt", "")
                yield from (
                    Found(each, alt) for each in srcset(value) if is_file(each, hosts)
                )
        elif name == "srcdoc" and depth < _DEEPEST:
            yield from in_html(value, hosts, depth + 1)
        elif name in _ADDRESS_ATTRIBUTES:
            if is_file(value, hosts):
                alt = attributes.get("alt", "") if name == "src" else ""
                yield Found(value.strip(), alt)
        elif name == "style":
            yield from _of_style(value, hosts)
        elif embed:
            yield from (Found(value[a:b]) for a, b in in_text(value, hosts))


def _of_style(value: str, hosts: Set[str]) -> Iterator[Found]:
    for match in _STYLE_URL.finditer(value):
        address = next((each for each in match.groups() if each), "").strip()
        if is_file(address, hosts):
            yield Found(address)
