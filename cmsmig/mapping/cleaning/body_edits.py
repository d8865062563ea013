"""Changes of a body in its source: what is not changed stays byte for byte.

A body is read as the conversion reads it. Code and embeds are never looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
)
from cmsmig.richtext.html.parse import ATTRIBUTE, ESCAPABLE_RAW, RAW, VOID, parse
from cmsmig.richtext.html.picture_source import PictureSources
from cmsmig.richtext.prepare.embeds import is_custom_embed

OBJECT = "\ufffc"
"""In a run of text: a picture, code or an embed."""
HEADINGS = tag_set("h1 h2 h3 h4 h5 h6")
_CLOSED = tag_set(
    "pre code kbd samp wf-component template select noscript svg math canvas object "
    "embed applet map video audio cms:comment"
)
_PROTECTED = RAW | ESCAPABLE_RAW | _CLOSED
"""Elements whose insides are no text of an editor."""
_BREAKS = MORE_BLOCK_TAGS | {"br"}
_END, _OBJECT = Text(""), Text(OBJECT)
_Splices: TypeAlias = dict[int, tuple[int, str]]
"""What takes the place of a part of the source: by its start, its end and the text."""


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


@dataclass(frozen=True, slots=True)
class Run:
    """A line of text: what is between two block tags, across inline marks."""

    texts: tuple[Text, ...]

    @property
    def text(self) -> str:
        """Return what it says."""
        return "".join(each.value for each in self.texts)

    def splices(self, edits: Sequence[TextEdit]) -> Iterator[tuple[int, int, str]]:
        """Yield the changes of the source: each text that is changed whole. A new text
        is where the first letter of the old one was."""
        waiting, low = [*reversed(edits)], 0
        for text in self.texts:
            high, done, pieces = low + len(text.value), low, list[str]()
            while waiting and waiting[-1].start < high:
                start, end, new = waiting[-1]
                pieces += [text.value[done - low : max(start - low, 0)]]
                pieces += [new] if start >= low else []
                done = min(end, high)
                if end > high:
                    break
                waiting.pop()
            value = "".join(pieces) + text.value[done - low :]
            if value != text.value:
                yield text.start, text.end, escape(value, quote=False)
            low = high


class Body:
    """What an editor wrote in a body. Call `close` when it is no longer needed."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.root = parse(html)
        self.runs: list[Run] = []
        self.headings: list[Element] = []
        self.links: list[Element] = []
        self.pictures: list[Element] = []
        self._read()

    def close(self) -> None:
        """Free the memory of the tree at once."""
        dissolve(self.root)

    def addresses(self) -> dict[Element, str]:
        """Return the address that each picture shows."""
        if not self.pictures:
            return {}
        sources = PictureSources(self.root)
        return {each: sources.shown(each) for each in self.pictures}

    @property
    def facts(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return what it says: texts, headings, links and alternative texts."""
        return (
            [text for each in self.runs if (text := each.text).strip()],
            [each.tag for each in self.headings if not is_empty(each)],
            [each.attributes["href"] for each in self.links],
            [each.attributes.get("alt", "") for each in self.pictures],
        )

    def _read(self) -> None:
        run: list[Text] = []
        stack: list[Node] = [*reversed(self.root.children)]
        while stack:
            node = stack.pop()
            if isinstance(node, Text):
                if node is not _END:
                    run.append(node)
                    continue
            elif node.tag in _PROTECTED or is_custom_embed(node):
                run.append(_OBJECT)
                continue
            else:
                self._note(node)
                if node.tag in VOID and node.tag not in _BREAKS:
                    run.append(_OBJECT)
                if node.tag not in _BREAKS:
                    stack.extend(reversed(node.children))
                    continue
                stack.append(_END)
                stack.extend(reversed(node.children))
            if run:
                self.runs.append(Run(tuple(run)))
                run = []
        if run:
            self.runs.append(Run(tuple(run)))

    def _note(self, element: Element) -> None:
        if element.tag in HEADINGS:
            self.headings.append(element)
        elif element.tag == "a" and "href" in element.attributes:
            self.links.append(element)
        elif element.tag == "img":
            self.pictures.append(element)


def is_empty(heading: Element) -> bool:
    """Return whether a heading shows nothing, and no link can jump to it."""
    if heading.attributes.get("id") or text_of(heading).strip("\u200b\u200d \n\t\xa0"):
        return False
    stack: list[Node] = [*heading.children]
    while stack:
        node = stack.pop()
        if isinstance(node, Element):
            if node.tag in _PROTECTED or (node.tag in VOID and node.tag != "br"):
                return False
            if node.attributes.get("id") or is_custom_embed(node):
                return False
            stack.extend(node.children)
    return True


def edit_texts(html: str, find: FindEdits) -> tuple[str, int]:
    """Return a body with changes of its visible text, and how many there are."""
    body = Body(html)
    found: _Splices = {}
    _, *others = body.facts
    expected, places = list[str](), 0
    for run in body.runs:
        text = run.text
        edits = [e for e in find(text) if OBJECT not in text[e.start : e.end]]
        places += len(edits)
        for start, end, new in run.splices(edits):
            found[start] = end, new
        if (new := edited_text(text, edits)).strip():
            expected.append(new)
    return _changed(body, found, places, (expected, *others))


def edit_links(html: str, find: FindEdits) -> tuple[str, int]:
    """Return a body with changes of the addresses of links, and how many."""
    body = Body(html)
    texts, headings, links, alts = body.facts
    new = [edited_text(each, find(each)) for each in links]
    found, places = _attributes(body, "href", body.links, links, new)
    return _changed(body, found, places, (texts, headings, new, alts))


def edit_alts(html: str, alts: Mapping[int, str]) -> tuple[str, int]:
    """Return a body with alternative texts of pictures, by the picture's number."""
    body = Body(html)
    texts, headings, links, before = body.facts
    new = [alts.get(number, alt) for number, alt in enumerate(before)]
    found, places = _attributes(body, "alt", body.pictures, before, new)
    return _changed(body, found, places, (texts, headings, links, new))


def edit_headings(
    html: str, levels: Callable[[Sequence[int]], Sequence[int]], *, drop_empty: bool
) -> tuple[str, int]:
    """Return a body with other levels of its headings, with or without empty ones."""
    body = Body(html)
    texts, _, *others = body.facts
    empty = [each for each in body.headings if drop_empty and _can_go(body, each)]
    kept = [each for each in body.headings if each not in empty]
    found: _Splices = {each.start: (each.end, "") for each in empty}
    new = levels([int(each.tag[1]) for each in kept])
    places = len(empty)
    for heading, level in zip(kept, new, strict=True):
        if str(level) != heading.tag[1]:
            places += 1
            for start in _level_places(html, heading):
                found[start] = start + 1, str(level)
    tags = [
        f"h{level}" for each, level in zip(kept, new, strict=True) if not is_empty(each)
    ]
    return _changed(body, found, places, (texts, tags, *others))


def _level_places(html: str, heading: Element) -> Iterator[int]:
    """Yield where the source says the level: in the start tag, and in the end tag."""
    yield heading.start + 2
    ending = html[heading.inner_end : heading.end].lower()
    if ending.startswith(f"</{heading.tag}"):
        yield heading.inner_end + 3


def _can_go(body: Body, heading: Element) -> bool:
    """Return whether an empty heading parts no texts, which would join without it."""
    before, after = body.html[: heading.start], body.html[heading.end :]
    parts = before.rstrip().endswith(">") or after.lstrip().startswith("<")
    return is_empty(heading) and (parts or not before.strip() or not after.strip())


def _attributes(
    body: Body,
    name: str,
    elements: Sequence[Element],
    old: Sequence[str],
    new: Sequence[str],
) -> tuple[_Splices, int]:
    changed = [
        (each, value)
        for each, before, value in zip(elements, old, new, strict=True)
        if value != before
    ]
    return dict(_attribute(body.html, e, name, v) for e, v in changed), len(changed)


def _attribute(
    html: str, element: Element, name: str, value: str
) -> tuple[int, tuple[int, str]]:
    """Return the change of the source that gives an element's attribute a value."""
    said = f'{name}="{escape(value)}"'
    named = element.start + 1 + len(element.name)
    for match in ATTRIBUTE.finditer(html, named, element.inner_start - 1):
        if match["name"].lower() == name:
            return match.start(), (match.end(), said)
    return named, (named, f" {said}")


def _changed(
    body: Body, found: _Splices, places: int, expected: tuple[list[str], ...]
) -> tuple[str, int]:
    """Return the body with its changes. It stays as it is where it would then say
    anything else than it should: in markup that is not well-formed."""
    html = body.html
    body.close()
    if not found:
        return html, 0
    edits = [TextEdit(start, *found[start]) for start in sorted(found)]
    new = edited_text(html, edits)
    after = Body(new)
    says = after.facts == expected
    after.close()
    return (new, places) if says else (html, 0)
