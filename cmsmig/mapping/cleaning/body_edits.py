"""Changes of a body in its source: what is not changed stays byte for byte.

A body is read as the conversion reads it. Code and embeds are never looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

from cmsmig.richtext.html.dom import (
    MORE_BLOCK_TAGS,
    Element,
    Node,
    Text,
    dissolve,
    tag_set,
    text_of,
    walk,
)
from cmsmig.richtext.html.parse import ATTRIBUTE, ESCAPABLE_RAW, RAW, VOID, parse
from cmsmig.richtext.html.picture_source import PictureSources
from cmsmig.richtext.prepare.embeds import is_custom_embed

OBJECT = "\ufffc"
"""In a line of text: a picture, code or an embed."""
_HEADINGS = tag_set("h1 h2 h3 h4 h5 h6")
_CLOSED = tag_set(
    "pre code kbd samp wf-component template select noscript svg math canvas object "
    "embed applet map video audio cms:comment"
)
_PROTECTED = RAW | ESCAPABLE_RAW | _CLOSED
"""Elements whose insides are no text of an editor."""
_BREAKS = MORE_BLOCK_TAGS | {"br"}
_END, _OBJECT = Text(""), Text(OBJECT)
_NEAR = 99
"""Characters of source next to an element that are looked at."""
_TAG_BEFORE = re.compile(r"(?:\A|</?([a-z][a-z0-9]*)[^<>]*>)\s*\Z", re.I)
_TAG_AFTER = re.compile(r"\s*(?:\Z|</?([a-z][a-z0-9]*))", re.I)
_UNSEEN = " \n\t\xa0\u200b\u200d"


class TextEdit(NamedTuple):
    """What takes the place of a part of a text."""

    start: int
    end: int
    new: str


FindEdits: TypeAlias = Callable[[str], Sequence[TextEdit]]
"""Finds the changes of a text, in their order; none of them overlap."""


def edited_text(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with its changes."""
    pieces, done = [], 0
    for each in edits:
        pieces += [text[done : each.start], each.new]
        done = each.end
    return "".join(pieces) + text[done:]


class Body:
    """What an editor wrote in a body. Call `close` when it is no longer needed."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.root = parse(html)
        self.lines: list[list[Text]] = [[]]
        """What is between two block tags, across inline marks."""
        self.headings: list[Element] = []
        self.links: list[Element] = []
        self.pictures: list[Element] = []
        self.first_lines: dict[Element, int] = {}
        """The number of the line that each heading begins."""
        kinds = dict.fromkeys(_HEADINGS, self.headings)
        kinds |= {"a": self.links, "img": self.pictures}
        stack: list[Node] = [*reversed(self.root.children)]
        while stack:
            node = stack.pop()
            if node is _END:
                self.lines.append([])
            elif isinstance(node, Text):
                self.lines[-1].append(node)
            else:
                is_kept = node.tag in _PROTECTED or is_custom_embed(node)
                has_place = node.tag != "a" or "href" in node.attributes
                if node.tag in kinds and has_place and not is_kept:
                    kinds[node.tag].append(node)
                    self.first_lines[node] = len(self.lines)
                ends = [_END] if node.tag in _BREAKS else []
                is_object = is_kept or (node.tag in VOID and not ends)
                inside = [_OBJECT] if is_object else reversed(node.children)
                stack += [*ends, *inside, *ends]

    def close(self) -> None:
        """Free the memory of the tree at once."""
        dissolve(self.root)

    @property
    def texts(self) -> list[str]:
        """Return what each line says."""
        return ["".join(each.value for each in line) for line in self.lines]

    @property
    def hrefs(self) -> list[str]:
        """Return the addresses of the links."""
        return [each.attributes["href"] for each in self.links]

    @property
    def alts(self) -> list[str]:
        """Return the alternative texts of the pictures."""
        return [each.attributes.get("alt", "") for each in self.pictures]

    def addresses(self) -> list[str]:
        """Return the address that each picture shows."""
        sources = PictureSources(self.root) if self.pictures else None
        return [sources.shown(each) for each in self.pictures] if sources else []


def is_empty(heading: Element) -> bool:
    """Return whether a heading shows nothing, and no link can jump to it."""
    # Up to a heading in it: each part of many nested ones is looked at once.
    shows = any(
        each.attributes.get("id")
        or each.tag in _PROTECTED | _HEADINGS
        or (each.tag in VOID and each.tag != "br")
        or is_custom_embed(each)
        for each in walk(heading)
    )
    named = shows or heading.attributes.get("id")
    return not named and not text_of(heading).strip(_UNSEEN)


def edit_texts(html: str, find: FindEdits) -> tuple[str, int]:
    """Return a body with changes of its visible text, and how many there are."""
    body = Body(html)
    found: list[TextEdit] = []
    places = 0
    for line, text in zip(body.lines, body.texts, strict=True):
        edits = [e for e in find(text) if OBJECT not in text[e.start : e.end]]
        places += len(edits)
        found += _in_source(line, text, edits) if edits else ()
    return _changed(body, found, places)


def _in_source(
    line: Sequence[Text], text: str, edits: Sequence[TextEdit]
) -> Iterator[TextEdit]:
    """Yield the changes of the source: each text that is changed whole. A new text
    is where the first letter of the old one was."""
    owners = [number for number, each in enumerate(line) for _ in each.value]
    values: list[list[str]] = [[] for _ in line]
    done = 0
    for start, end, new in (*edits, TextEdit(len(text), len(text), "")):
        for at in range(done, start):
            values[owners[at]].append(text[at])
        if new:
            values[owners[start]].append(new)
        done = end
    for each, letters in zip(line, values, strict=True):
        if (value := "".join(letters)) != each.value:
            yield TextEdit(each.start, each.end, escape(value, quote=False))


def edit_links(html: str, find: FindEdits) -> tuple[str, int]:
    """Return a body with changes of the addresses of links, and how many."""
    body = Body(html)
    new = [edited_text(each, find(each)) for each in body.hrefs]
    found = [
        _attribute(html, each, "href", address)
        for each, address in zip(body.links, new, strict=True)
        if address != each.attributes["href"]
    ]
    return _changed(body, found, len(found))


def edit_alts(html: str, alts: Mapping[int, str]) -> tuple[str, int]:
    """Return a body with alternative texts of pictures, by the picture's number."""
    body = Body(html)
    found = [
        _attribute(html, each, "alt", alts[number])
        for number, each in enumerate(body.pictures)
        if alts.get(number, alt := each.attributes.get("alt", "")) != alt
    ]
    return _changed(body, found, len(found))


def _attribute(html: str, element: Element, name: str, value: str) -> TextEdit:
    """Return the change of the source that gives an element's attribute a value."""
    said = f'{name}="{escape(value)}"'
    named = element.start + 1 + len(element.name)
    for match in ATTRIBUTE.finditer(html, named, element.inner_start - 1):
        if match["name"].lower() == name:
            return TextEdit(match.start(), match.end(), said)
    return TextEdit(named, named, f" {said}")


def edit_headings(
    html: str, levels: Callable[[Sequence[int]], Sequence[int]], *, drop_empty: bool
) -> tuple[str, int]:
    """Return a body with other levels of its headings, with or without empty ones."""
    body = Body(html)
    empty = {each for each in body.headings if drop_empty and _can_go(body, each)}
    kept = [each for each in body.headings if each not in empty]
    found = [TextEdit(each.start, each.end, "") for each in empty]
    places = len(empty)
    new = levels([int(each.tag[1]) for each in kept])
    for heading, level in zip(kept, map(str, new), strict=True):
        if level != heading.tag[1]:
            places += 1
            found.append(TextEdit(heading.start + 2, heading.start + 3, level))
            end = heading.inner_end + 3
            if html[end - 3 : end].lower() == "</h":
                found.append(TextEdit(end, end + 1, level))
    return _changed(body, found, places)


def _can_go(body: Body, heading: Element) -> bool:
    """Return whether an empty heading parts no lines, which would join without it: a
    block ends before it or begins after it, or the body does."""
    before = _TAG_BEFORE.search(
        body.html[max(heading.start - _NEAR, 0) : heading.start]
    )
    after = _TAG_AFTER.match(body.html[heading.end : heading.end + _NEAR])
    parts = any(
        each and (each[1] or "p").lower() in _BREAKS for each in (before, after)
    )
    return parts and is_empty(heading)


def _changed(body: Body, found: Iterable[TextEdit], places: int) -> tuple[str, int]:
    """Return the body with its changes, the very same string without any."""
    html = body.html
    body.close()
    # An element that was opened again has one place in the source.
    edits = sorted({each.start: each for each in found}.values())
    return (edited_text(html, edits), places) if edits else (html, 0)
