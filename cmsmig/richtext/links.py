"""Phase two: links in documents become links to stories. Spec: import rule 4."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from operator import is_
from typing import TypeAlias, TypeGuard
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
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


_LEFT_ALONE = ("email", "asset", "story")


@dataclass(frozen=True, slots=True)
class StoryLink:
    """The story that an address leads to, or another path that takes its place."""

    uuid: str
    """Empty where no link to the story leads there: its path is the address."""
    full_slug: str


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """How many links there were, by what became of them."""

    rewritten: int = 0
    kept: int = 0


Resolve: TypeAlias = "Callable[[str], StoryLink | None]"
Mention: TypeAlias = "Callable[[str], object]"
_Change: TypeAlias = "Callable[[JsonObject], JsonObject]"


def _ignore(address: str) -> None:
    """Do nothing about an address."""


def rewrite_links(
    document: JsonObject, resolve: Resolve, mention: Mention = _ignore
) -> tuple[JsonObject, LinkCounts]:
    """Return the document with links to stories wherever `resolve` knows one.

    Link marks, multilink values in block bodies, and links in the raw HTML of blocks:
    only the address is replaced there. The input stays as it is; what holds no such
    link is shared with it. `resolve` gets the whole address, with its query and
    fragment, and both are kept. `mention` gets the addresses that raw HTML holds
    elsewhere, in code say; they stay.
    """
    rewriting = _Rewriting(resolve, mention)
    linked = _with_changes(document, rewriting.rewritten)
    return linked, LinkCounts(rewriting.done, rewriting.kept)


def addresses_in(document: JsonObject) -> frozenset[str]:
    """Return where the link marks and link fields of a document lead."""
    found: set[str] = set()
    stack: list[Json] = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            stack += value.values()
            given = (value.get(name) for name in ("href", "url", "email"))
            found.update(each for each in given if isinstance(each, str))
    return frozenset(found)


class _Rewriting:
    def __init__(self, resolve: Resolve, mention: Mention) -> None:
        self._resolve = resolve
        self._mention = mention
        self.done = 0
        self.kept = 0

    def rewritten(self, value: JsonObject) -> JsonObject:
        """Return an object with its own link rewritten, if it is one."""
        if value.get("type") == "link" and isinstance(value.get("attrs"), dict):
            return self._mark(value)
        if value.get("fieldtype") == "multilink":
            return self._multilink(value)
        if "component" in value:
            fields = {key: self._field(field) for key, field in value.items()}
            same = all(fields[key] is value[key] for key in fields)
            return value if same else fields
        return value

    def _story(self, address: Json) -> StoryLink | None:
        if not isinstance(address, str) or not address:
            return None
        found = self._resolve(address)
        self.done += found is not None
        self.kept += found is None
        return found

    def _mark(self, mark: JsonObject) -> JsonObject:
        given = mark["attrs"]
        if not isinstance(given, dict) or given.get("linktype") in _LEFT_ALONE:
            return mark
        href = given.get("href")
        story = self._story(href)
        if story is None:
            return mark
        if not story.uuid:
            address = {"href": address_at(story, str(href))}
            return {**mark, "attrs": {**given, **address}}
        query, anchor = _tail(str(href))
        new: JsonObject = {
            "href": f"/{story.full_slug}{query}",
            "uuid": story.uuid,
            "anchor": anchor or None,
            "target": given.get("target"),
            "linktype": "story",
        }
        return {**mark, "attrs": {**given, **new}}

    def _multilink(self, value: JsonObject) -> JsonObject:
        if value.get("linktype") in _LEFT_ALONE:
            return value
        address = value.get("url") or value.get("cached_url")
        story = self._story(address)
        if story is None:
            return value
        query, anchor = _tail(str(address))
        if query or not story.uuid:
            # A link to a story has no place for a query, and losing it would
            # change what the link does.
            path = address_at(story, str(address))
            return {**value, "url": path, "cached_url": path}
        new: JsonObject = {
            **value,
            "id": story.uuid,
            "url": "",
            "linktype": "story",
            "cached_url": story.full_slug,
        }
        return {**new, "anchor": anchor} if anchor else new

    def _field(self, value: Json) -> Json:
        """Return raw HTML with the values of its links replaced, other bytes as they
        are; anything else unchanged."""
        if not isinstance(value, str) or "<" not in value:
            return value
        pieces, last = [], 0
        for place in link_places(value):
            if not place.is_link:
                self._mention(place.address)
                continue
            address = place.address
            if address.lower().startswith(("mailto:", "tel:", "#")):
                continue
            if (story := self._story(address)) is not None:
                pieces += [
                    value[last : place.start],
                    escape(address_at(story, address)),
                ]
                last = place.end
        return "".join(pieces) + value[last:]


def address_at(story: StoryLink, address: str) -> str:
    """Return the path of a story with the query and the fragment of an address."""
    query, anchor = _tail(address)
    return f"/{story.full_slug}{query}" + (f"#{anchor}" if anchor else "")


def _tail(address: str) -> tuple[str, str]:
    """Return the query with its question mark, and the fragment without `#`."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", ""
    return (f"?{parts.query}" if parts.query else ""), parts.fragment


def _with_changes(value: JsonObject, change: _Change) -> JsonObject:
    """Return an object with `change` applied to every object in it, itself first.

    What holds no change comes back as it is, the same object.
    """
    held = change(value)
    found: JsonObject = {}
    for key, each in held.items():
        if type(each) is dict or type(each) is list:
            new = _changed(each, change)
            if new is not each:
                found[key] = new
    return {**held, **found} if found else held


def _changed(value: Json, change: _Change) -> Json:
    if isinstance(value, dict):
        # Most objects are texts without marks: no link can be in them.
        if len(value) == 2 and value.get("type") == "text" and "text" in value:
            return value
        return _with_changes(value, change)
    if isinstance(value, list):
        listed = [_changed(each, change) for each in value]
        same = all(map(is_, listed, value))
        return value if same else _joined(listed)
    return value


def _joined(nodes: list[Json]) -> list[Json]:
    """Return nodes with texts in one that carry the same marks: two links that were
    spelled differently may lead to one story."""
    found: list[Json] = []
    for node in nodes:
        before = found[-1] if found else None
        if _is_text(before) and _is_text(node) and before["marks"] == node["marks"]:
            text = str(before["text"]) + str(node["text"])
            found[-1] = {**before, "text": text}
        else:
            found.append(node)
    return found


def _is_text(node: Json) -> TypeGuard[JsonObject]:
    """Return whether a node is a text with marks."""
    return isinstance(node, dict) and node.get("type") == "text" and "marks" in node
