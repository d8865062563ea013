"""What a browser shows of any text at all: a tokenizer and nothing else.

An independent reading for the account of bodies that no one should write: which
characters are text, and which addresses start tags carry, by the rules that every
browser follows. No tree: places in it are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from html import unescape

from cmsmig.richtext.engine import Converted
from tests.support.richtext.conservation import (
    address,
    characters,
    decoded_value,
    each_time,
    mappings,
    of_document,
    strings,
)

_RAW = frozenset(("script", "style", "xmp", "iframe", "noembed", "noframes"))
_ESCAPABLE = frozenset(("textarea", "title"))
_CODE = frozenset(("script", "style"))
_TAG = re.compile(r"<(/?)([a-zA-Z][^\t\n\f\r />]*)")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(?:(=?[^\t\n\f\r />=]*+)(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    r"(?:\"([^\"]*)(\"|\Z)|'([^']*)('|\Z)|([^\t\n\f\r >]*+)))?+)"
)
_COMMENT_END = re.compile(r"--!?>|\A<!---?>")


@dataclass
class Reading:
    """What a text shows and points to."""

    texts: list[str] = field(default_factory=list)
    addresses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """How often start tags hold each (element, attribute, address)."""


def read(html: str) -> Reading:
    """Return the reading of any text."""
    reading, at = Reading(), 0
    while at < len(html):
        opening = html.find("<", at)
        if opening < 0:
            opening = len(html)
        if opening > at:
            reading.texts.append(unescape(html[at:opening]))
        at = _markup(html, opening, reading) if opening < len(html) else opening
    return reading


def _markup(html: str, at: int, reading: Reading) -> int:
    """Read what begins with `<`; return where it ends."""
    found = _TAG.match(html, at)
    if found is not None:
        return _tag(html, found, reading)
    after = html[at + 1 : at + 2]
    if html.startswith("<!--", at):
        for short in ("<!-->", "<!--->"):
            if html.startswith(short, at):
                return at + len(short)
        end = _COMMENT_END.search(html, at + 4)
        return end.end() if end is not None else len(html)
    if after in ("!", "?") or (after == "/" and at + 2 < len(html)):
        return (html.find(">", at) + 1) or len(html)
    reading.texts.append("<")
    return at + 1


def _tag(html: str, found: re.Match[str], reading: Reading) -> int:
    name, at = found[2].lower(), found.end()
    given: dict[str, str] = {}
    while at < len(html) and html[at] != ">":
        one = _ATTRIBUTE.match(html, at)
        if one is None or one.end() == at:
            at += 1
            continue
        at = one.end()
        if "" in (one[3], one[5]):
            return len(html)  # a quote that never ends: no tag at all
        value = one[2] if one[2] is not None else one[4]
        value = value if value is not None else one[6] or ""
        if one[1]:
            given.setdefault(one[1].lower(), decoded_value(value))
    if at >= len(html):
        return at
    at += 1
    if found[1]:
        return at
    for key in ("href", "src", "data-src"):
        if address(given.get(key, "")):
            reading.addresses[name, key, address(given[key])] += 1
    if name not in _RAW and name not in _ESCAPABLE:
        return at
    end = re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE).search(html, at)
    stop = end.start() if end is not None else len(html)
    if name not in _CODE:
        inside = html[at:stop]
        reading.texts.append(unescape(inside) if name in _ESCAPABLE else inside)
    return stop


_LINES = re.compile(
    r"address|article|aside|blockquote|br|center|dd|details|dialog|dir|div|dl|dt"
    r"|fieldset|figcaption|figure|footer|form|h[1-6]|header|hgroup|hr|legend|li|main"
    r"|menu|nav|ol|p|pre|search|section|summary|table|ul"
)
"""What begins and ends a line on a page. Source: the HTML standard, rendering."""
_IN_TABLES = re.compile("caption|tbody|tfoot|td|th|thead|tr")
_MADE_BY_ENDS = frozenset(("p", "br"))
"""What a browser makes of an end tag that ends nothing."""


_SCOPES = frozenset(("table", "caption", "td", "th"))
"""What an end tag inside of them does not end."""
_ITEMS = {"li": ("li",), "dt": ("dt", "dd"), "dd": ("dt", "dd")}
"""What the beginning of an item ends."""


def lines(html: str) -> list[str]:
    """Return the texts of markup as a page parts them, for bodies without raw text."""
    texts, at, open_ = [""], 0, list[str]()
    for found in re.finditer(r"<(/?)([a-zA-Z][^\t\n\f\r />]*)[^>]*>", html):
        texts[-1] += unescape(html[at : found.start()])
        at, name = found.end(), found[2].lower()
        known = not _IN_TABLES.fullmatch(name) or "table" in open_
        parts = known and bool(_LINES.fullmatch(name) or _IN_TABLES.fullmatch(name))
        if name == "q" and not found[1]:
            texts[-1] += "‘" if "q" in open_ else "“"
        if name == "q" and found[1] and _ends(name, open_):
            texts[-1] += "’" if "q" in open_ else "”"
        elif found[1]:
            parts = parts and (_ends(name, open_) or name in _MADE_BY_ENDS)
        elif known and name not in ("br", "hr", "img"):
            for item in _ITEMS.get(name, ()):
                _ends(item, open_, ("ul", "ol", "dl", "blockquote", "section"))
            open_.append(name)
        if parts:
            texts.append("")
    return [*texts[:-1], texts[-1] + unescape(html[at:])]


def _ends(name: str, open_: list[str], barriers: Iterable[str] = ()) -> bool:
    """Return whether an end tag ends something, and remove that from what is open."""
    for index in range(len(open_) - 1, -1, -1):
        if open_[index] == name:
            del open_[index:]
            return True
        if open_[index] in barriers or (
            open_[index] in _SCOPES
            and not _IN_TABLES.fullmatch(name)
            and name != "table"
        ):
            return False
    return False


def stuck(html: str, document: object) -> list[str]:
    """Return the words of a document that no line of a page holds."""
    shown = "\n".join(lines(html))
    pieces = [
        node["text"] if node.get("type") == "text" else "\n"
        for node in mappings(document)
    ]
    return [word for word in "".join(pieces).split() if word not in shown]


def unread(html: str, converted: Converted) -> list[str]:
    """Return what a browser shows of `html` and neither document nor losses hold."""
    source, missing = read(html), []
    held = "".join(_held(converted))
    if gone := characters("".join(source.texts)) - characters(held):
        missing.append(f"characters {dict(gone)}")
    lost = [loss.what for loss in converted.losses]
    everything = [*strings(converted.document), *lost]
    known = {address(each) for each in everything}
    for each in everything:
        if "<" in each:
            known.update(found for _, _, found in read(each).addresses)
    wanted = {("a", "href"), ("area", "href"), ("img", "src"), ("iframe", "src")}
    named = decoded_value("\n".join((*lost, *_markup_in(converted.document))))
    missing.extend(
        f"{name} {key} {found[:200]}"
        for name, key, found in source.addresses
        if (name, key) in wanted
        and found not in named
        and _digest(found) not in named
        and known.isdisjoint((found, unescape(found)))
        and _bare(found) not in {_bare(each) for each in known}
    )
    return missing


def _digest(found: str) -> str:
    """Return what a loss names a long `data:` address by, after its beginning."""
    return sha256(found.strip().encode("utf-8", "replace")).hexdigest()[:32]


def _bare(found: str) -> str:
    """Return an address without references: names that break off in longer ones are
    read as the official parser reads them."""
    return _REFERRED.sub("", found)


_REFERRED = re.compile(r"&#?\w*;?|[^!-~]|[<>\"]")


def _held(converted: Converted) -> Iterator[str]:
    yield from of_document(converted.document, markup=False).texts
    for entry in _markup_in(converted.document):
        yield entry  # unchanged; cut out of its surroundings it may read differently
        yield unescape(entry)
    for loss in each_time(converted.losses):
        yield loss.what
        yield unescape(loss.what) if "&" in loss.what else ""


def _markup_in(document: object) -> Iterator[str]:
    for block in mappings(document):
        if "component" in block and isinstance(block.get("html"), str):
            yield block["html"]
