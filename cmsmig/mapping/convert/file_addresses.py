"""Finding file addresses in text and in HTML, and what takes the place of one.

A file is named by its address as it is written. One that holds its own bytes
(`data:`) may have megabytes, and is named by its beginning and its hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.character_references import shown_text
from cmsmig.data_address import data_fragment, file_key, holds_picture, is_data
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.html.dom import Element, Node, Text
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.html.picture_source import (
    SOURCE_SETS,
    PictureSources,
    candidates,
)
from cmsmig.richtext.html.visibility import Visibility, is_widget
from cmsmig.richtext.prepare.embeds import PLAYERS, is_custom_embed
from cmsmig.richtext.prepare.stage import RAW_EMBEDS

_HOST = re.compile(r"\s*(?:https?:)?//(?:[^/?#@\\\s]*@)?([^/?#\\\s]+)", re.IGNORECASE)
_STOPS = r"\s\"'<>`\\{}|^\u200b-\u200f\u2018-\u201f\u00ab\u00bb\u2039\u203a"
_IN_TEXT = re.compile(rf"(?:https?:)?//(?:(?!,https?://)[^{_STOPS}])+", re.IGNORECASE)
_HOLDS = re.compile("//|data:", re.IGNORECASE)
_HEAD = r"data:[\w.+/;=-]*+,"
_IN_SOURCE = re.compile(
    rf"(?<=\"){_HEAD}(?:[^\"\\]|\\(?!\"))*+(?=\\?\")"
    rf"|(?<='){_HEAD}(?:[^'\\]|\\(?!'))*+(?=\\?')"
    rf"|(?:\A|(?<=[(=<,;])|(?<=[,:] )){_HEAD}[^\s\"'<>()&\\]*+",
    re.IGNORECASE,
)
"""Where the source of a page holds a file in an address: to the end of its quotes, or
where an address without any ends."""
_TRAILING = ".,;:!?*_~…"
_BRACKETS = {")": "(", "]": "["}
_STYLE_URL = re.compile(
    r"url\(\s*+(?:\"([^\"]*+)\"\s*+\)|'([^']*+)'\s*+\)"
    r"|((?:(?!url\((?:[\"']|\s++[^)]))[^)\"'\s])*+)\s*+(\)?+))",
    re.IGNORECASE,
)
"""It also matches an address without an end, so that the text is read once: group 4
is the closing bracket."""
_ADDRESS_ATTRIBUTES = frozenset(
    ("src", "href", "poster", "data", "data-src", "data-page-url")
)
_KEPT_AS_HTML = RAW_EMBEDS | PLAYERS | {"wf-component"}
_TAIL = re.compile(r"[^?#]*(\?[^#]*)?(#.*)?", re.DOTALL)
_DEEPEST = 3
"""Levels of `srcdoc` in `srcdoc` that are looked into."""


@dataclass(frozen=True, slots=True)
class Found:
    """One address, as it is once attribute values are decoded."""

    address: str
    alt: str = ""
    """The `alt` next to it, if it is a picture's."""
    picture: bool = False
    """Whether it is shown as a picture."""


def asset_of(assets: Mapping[str, UploadedAsset], address: str) -> UploadedAsset | None:
    """Return what takes the place of a file's address, None where nothing does.

    The query and the fragment of the address stay, in every place: `#page=2` of
    a document, `#icon` of a sprite, `#t=5` of a film.
    """
    key = file_key(address)
    asset = assets.get(key) or assets.get(key.strip())
    return None if asset is None else shown_as(asset, address)


def shown_as(asset: UploadedAsset, address: str) -> UploadedAsset:
    """Return a file with the query and the fragment of the address that it replaces."""
    new = asset.filename
    query, fragment = _tail(address.strip())
    new += "" if "?" in new else query
    new += "" if "#" in new else fragment
    return asset if new == asset.filename else replace(asset, filename=new)


def _tail(address: str) -> tuple[str, str]:
    found = None if is_data(address) else _TAIL.fullmatch(address)
    return (found[1] or "", found[2] or "") if found else ("", data_fragment(address))


def host_of(address: str) -> str:
    """Return the host, with its port if it names one, in lower case; or empty.

    Read as a browser reads it: whatever comes before an `@` or behind a
    backslash is not the host.
    """
    match = _HOST.match(address)
    return match[1].lower() if match else ""


def is_file(address: str, hosts: Set[str]) -> bool:
    """Return whether the address is on one of the file hosts, or holds a picture."""
    return host_of(address) in hosts or (is_data(address) and holds_picture(address))


def may_hold(text: str) -> bool:
    """Return whether there may be the address of a file in a text."""
    return _HOLDS.search(text) is not None


def may_name_file(text: str, hosts: Set[str]) -> bool:
    """Return whether the letters of one of these hosts, or of bytes that an address
    holds, are in a text."""
    lowered = text.lower()
    return "data:" in lowered or any(host in lowered for host in hosts)


def in_text(text: str, hosts: Set[str]) -> Iterator[tuple[int, int]]:
    """Yield where in what readers see file addresses are.

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


def in_source(text: str, hosts: Set[str]) -> Iterator[tuple[int, int]]:
    """Yield where in HTML, Markdown, CSS or script file addresses are, also those that
    hold a picture."""
    held = (
        found.span()
        for found in _IN_SOURCE.finditer(text)
        if "\\" not in found[0] and holds_picture(found[0])
    )
    last = 0
    for start, end in (*held, (len(text), len(text))):
        yield from ((last + a, last + b) for a, b in in_text(text[last:start], hosts))
        if start < end:
            yield start, end
        last = end


def replaced(
    text: str, places: Iterable[tuple[int, int]], new: Callable[[str], str | None]
) -> str:
    """Return `text` with each address at a place replaced where `new` knows better."""
    pieces = []
    last = 0
    for start, end in places:
        pieces += [text[last:start], new(text[start:end]) or text[start:end]]
        last = end
    return "".join(pieces) + text[last:]


def in_html(body: str, hosts: Set[str], depth: int = 0) -> Iterator[Found]:
    """Yield the file addresses in an HTML body, in its order.

    Attribute values are decoded as the conversion decodes them. A picture counts with
    the address that readers saw, and inside embeds, which are kept as they are, with
    all that it names. Comments are no content. Never raises.
    """
    # Most bodies have no file, and reading one takes a millisecond.
    if not _may_hold(body, hosts):
        return
    root = parse(body)
    sources = PictureSources(root)
    for node, embed in _nodes(root):
        if isinstance(node, Text):
            places = (in_source if embed else in_text)(node.value, hosts)
            yield from (Found(node.value[a:b]) for a, b in places)
            continue
        alt = node.attributes.get("alt", "")
        shown = sources.shown(node).strip() if node.tag == "img" else ""
        if not embed and (is_data(shown) or is_file(shown, hosts)):
            yield Found(shown, alt, picture=True)
        if embed or node.tag != "img":
            yield from _of_tag(node, hosts, embed, depth)
        else:
            yield from _of_style(node.attributes.get("style", ""), hosts)


def _may_hold(body: str, hosts: Set[str]) -> bool:
    """Return whether the letters of a file's address may be in a body, as references
    too. U+0000 hides them, and so does a page in an attribute."""
    shown = f"{body} {shown_text(body)}" if "&" in body else body
    return may_name_file(shown, hosts | {"srcdoc", "\0"})


def _nodes(root: Element) -> Iterator[tuple[Node, bool]]:
    """Yield elements and texts in their order, and whether they are kept as HTML.

    What no reader sees is left out: sources that a picture chooses from, and what is
    for readers without scripts.
    """
    showing = Visibility()
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, embed = stack.pop()
        if isinstance(node, Element):
            embed = embed or node.tag in _KEPT_AS_HTML or is_custom_embed(node)
            embed = embed or (is_widget(node) and not showing.shows(node))
            passed = ("noscript",) if node.tag != "picture" else ("noscript", "source")
            stack.extend(
                (child, embed)
                for child in reversed(node.children)
                if embed or isinstance(child, Text) or child.tag not in passed
            )
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


def _of_tag(
    element: Element, hosts: Set[str], embed: bool, depth: int
) -> Iterator[Found]:
    for name, value in element.attributes.items():
        if not may_hold(value):
            continue
        if name in SOURCE_SETS:
            listed = (address for address, _ in candidates(value))
            yield from (
                Found(e, element.attributes.get("alt", ""), picture=True)
                for e in listed
                if is_file(e, hosts)
            )
        elif name == "srcdoc" and depth < _DEEPEST:
            yield from in_html(value, hosts, depth + 1)
        elif name in _ADDRESS_ATTRIBUTES:
            if is_file(value, hosts):
                alt = element.attributes.get("alt", "") if "src" in name else ""
                yield Found(
                    value.strip(), alt, element.tag == "img" or name == "poster"
                )
        elif name == "style":
            yield from _of_style(value, hosts)
        elif embed:
            yield from (Found(value[a:b]) for a, b in in_source(value, hosts))


def _of_style(value: str, hosts: Set[str]) -> Iterator[Found]:
    for match in _STYLE_URL.finditer(value):
        double, single, bare, end = match.groups()
        address = (double or single or (bare if end else "") or "").strip()
        if is_file(address, hosts):
            yield Found(address, picture=True)
