"""Finding file addresses in text and in HTML, and replacing those in text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from html import escape

from cmsmig.richtext.html.dom import Element, Node, Text
from cmsmig.richtext.html.parse import parse

_HOST = re.compile(r"\s*(?:https?:)?//(?:[^/?#@\\\s]*@)?([^/?#\\\s]+)", re.IGNORECASE)
_STOPS = r"\s\"'<>`\\{}|^\u200b-\u200f\u2018-\u201f\u00ab\u00bb\u2039\u203a"
_IN_TEXT = re.compile(rf"(?:https?:)?//(?:(?!,https?://)[^{_STOPS}])+", re.IGNORECASE)
_TRAILING = ".,;:!?*_~…"
_BRACKETS = {")": "(", "]": "["}
_STYLE_URL = re.compile(
    r"url\(\s*+(?:\"([^\"]*+)\"\s*+\)|'([^']*+)'\s*+\)"
    r"|((?:(?!url\((?:[\"']|\s++[^)]))[^)\"'\s])*+)\s*+(\)?+))",
    re.IGNORECASE,
)
"""It also matches an address without an end, so that the text is read once: group 4
is the closing bracket."""
_CANDIDATE = re.compile(r"[\s,]*(\S+)")
_DESCRIPTOR = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)[wx]")
_ADDRESS_ATTRIBUTES = frozenset(("src", "href", "poster", "data", "data-src"))
_SRCSETS = frozenset(("srcset", "imagesrcset", "data-srcset"))
_ENCODING = re.compile(r"&(?!(?:amp|nbsp|lt|gt|quot|apos|#39|#x27);)|\0|srcdoc", re.I)
"""Encodings that hide the letters of a host name in a body."""
_DEEPEST = 3
"""Levels of `srcdoc` in `srcdoc` that are looked into."""


@dataclass(frozen=True, slots=True)
class Found:
    """One address, as it is once attribute values are decoded."""

    address: str
    alt: str = ""
    """The `alt` next to it, if it is a picture's."""


def host_of(address: str) -> str:
    """Return the host, with its port if it names one, in lower case; or empty.

    Read as a browser reads it: whatever comes before an `@` or behind a
    backslash is not the host.
    """
    match = _HOST.match(address)
    return match[1].lower() if match else ""


def is_file(address: str, hosts: Set[str]) -> bool:
    """Return whether the address is on one of the file hosts."""
    return host_of(address) in hosts


def in_text(text: str, hosts: Set[str]) -> Iterator[tuple[int, int]]:
    """Yield where in plain text (also Markdown, CSS, script) file addresses are.

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

    Attribute values are decoded as the conversion decodes them. The largest
    candidate of a `srcset` counts where the picture has no `src`, and all of them
    inside embeds, which are kept as they are. Comments are no content. Never raises.
    """
    # Most bodies have no file, and reading one takes a millisecond. Other kinds of
    # sets may hold more than they list: a private origin's own host with any port.
    if isinstance(hosts, frozenset) and not _may_hold(body, hosts):
        return
    for node, embed in _nodes(body):
        if isinstance(node, Text):
            yield from (Found(node.value[a:b]) for a, b in in_text(node.value, hosts))
        else:
            yield from _of_tag(node, hosts, embed, depth)


def _may_hold(body: str, hosts: Set[str]) -> bool:
    lowered = body.lower()
    return any(host in lowered for host in hosts) or bool(_ENCODING.search(body))


def candidates(srcset: str) -> Iterator[tuple[str, float]]:
    """Yield the addresses of a `srcset` with their widths or densities.

    An address may hold commas itself. Source: HTML, parsing a srcset attribute.
    """
    position = 0
    while match := _CANDIDATE.match(srcset, position):
        address, descriptor = match[1], ""
        position = match.end()
        if not address.endswith(","):
            comma = srcset.find(",", position)
            end = comma if comma >= 0 else len(srcset)
            descriptor, position = srcset[position:end], end + 1
        if address := address.rstrip(","):
            size = _DESCRIPTOR.search(descriptor)
            yield address, float(size[1]) if size else 1.0


def source_of(image: Element) -> str:
    """Return the address a picture shows: its `src`, else its largest candidate."""
    given = image.attributes
    for name in ("src", "data-src"):
        if given.get(name, "").strip():
            return given[name]
    listed = list(candidates(given.get("srcset", "") or given.get("data-srcset", "")))
    return max(listed, key=lambda found: found[1])[0] if listed else ""


def with_sources(body: str) -> str:
    """Return an HTML body whose srcset-only pictures have a `src` as well.

    Everything else, and what is in embeds, is left byte for byte.
    """
    if "srcset" not in body.lower():
        return body
    pieces, last = [], 0
    for element, embed in _elements(body):
        sourceless = element.tag == "img" and not element.attributes.get("src")
        if sourceless and not embed and (address := source_of(element)):
            end = element.start + len("<img")
            pieces += [body[last:end], f' src="{escape(address)}"']
            last = end
    return "".join(pieces) + body[last:]


def _elements(body: str) -> Iterator[tuple[Element, bool]]:
    for node, embed in _nodes(body):
        if isinstance(node, Element):
            yield node, embed


def _nodes(body: str) -> Iterator[tuple[Node, bool]]:
    """Yield elements and texts in their order, and whether they are in an embed."""
    stack: list[tuple[Node, bool]] = [(parse(body), False)]
    while stack:
        node, embed = stack.pop()
        if isinstance(node, Element):
            embed = embed or _opens_embed(node)
            stack.extend((child, embed) for child in reversed(node.children))
        yield node, embed


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
    element: Element, hosts: Set[str], embed: bool, depth: int
) -> Iterator[Found]:
    for name, value in element.attributes.items():
        if "//" not in value:
            continue
        if name in _SRCSETS:
            yield from _of_srcset(element, value, hosts, embed)
        elif name == "srcdoc" and depth < _DEEPEST:
            yield from in_html(value, hosts, depth + 1)
        elif name in _ADDRESS_ATTRIBUTES:
            if is_file(value, hosts):
                alt = element.attributes.get("alt", "") if "src" in name else ""
                yield Found(value.strip(), alt)
        elif name == "style":
            yield from _of_style(value, hosts)
        elif embed:
            yield from (Found(value[a:b]) for a, b in in_text(value, hosts))


def _of_srcset(
    element: Element, value: str, hosts: Set[str], embed: bool
) -> Iterator[Found]:
    alt = element.attributes.get("alt", "")
    shown = source_of(element)
    for address, _ in candidates(value):
        if is_file(address, hosts) and (embed or address == shown):
            yield Found(address, alt)


def _of_style(value: str, hosts: Set[str]) -> Iterator[Found]:
    for match in _STYLE_URL.finditer(value):
        double, single, bare, end = match.groups()
        address = (double or single or (bare if end else "") or "").strip()
        if is_file(address, hosts):
            yield Found(address)
