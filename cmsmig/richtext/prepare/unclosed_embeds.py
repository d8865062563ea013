"""Custom embeds in which something is never closed, so that they hold what follows.

The origin wraps typed HTML in an element of its own. When the HTML leaves an
element open, the wrapper's end tag ends that one instead, and a browser reads the
rest of the body as part of the embed. The body's own structure shows where it
continues: at the wrapper's last end tag before a paragraph, a heading, a list, a
quote, a figure or another embed. This reads the source alone, in linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from cmsmig.counting import counted
from cmsmig.richtext.build.loss_collector import LAYOUT, Collector
from cmsmig.richtext.html.dom import Element, Text, tag_set, walk
from cmsmig.richtext.html.parse import (
    ESCAPABLE_RAW,
    RAW,
    TOKEN_BEGUN,
    VOID,
    attributes_of,
    left_open,
    parse,
)
from cmsmig.richtext.policy import Unclosed
from cmsmig.richtext.prepare.embeds import is_custom_embed

_MARKS = re.compile("data-rt-embed-type|w-embed", re.IGNORECASE)
_OWN = tag_set("p h1 h2 h3 h4 h5 h6 ul ol blockquote figure pre wf-component")
"""Elements that a body consists of."""
_CODE = RAW | ESCAPABLE_RAW
_HEADINGS = tag_set("h1 h2 h3 h4 h5 h6")
_UNCLOSED = "Something in this embed is never closed, so it holds the rest:"
_ENDED = "Something in this embed was never closed. As decided, it ends with"
_OFFER = "`unclosed: end` in embeds.yaml ends it where the body continues."
_CONTINUES = re.compile(
    r"</[a-z]+[ \t\n\r\f]*+>\s*+<(?:p|h[1-6]|ul|ol|blockquote|figure)"
    r"[ \t\n\r\f][^>]*?\b(?:id|data-rt-type)=",
    re.IGNORECASE,
)
"""An end tag and a body's own element, as the read API writes it: in code it says
that the code was never closed."""


@dataclass(frozen=True, slots=True)
class Swallow:
    """An embed that holds what follows, and where it should end."""

    start: int
    """Of the wrapper's start tag."""
    place: int
    """Of the end tag that was meant to be the wrapper's."""
    end: int
    """Behind that end tag: here the body continues."""
    ends: str
    """The end tags that are missing before it."""


def swallows(html: str, root: Element) -> tuple[Swallow, ...]:
    """Return the embeds of a body that hold what follows, in its order.

    `root` is the body's tree. Of embeds that are held by one before them, as if that
    one ended where it should.
    """
    if not _MARKS.search(html):
        return ()
    found = tuple(_Reader(html).swallows())
    if not found:
        return ()
    ends = {each.start: each.inner_end for each in walk(root)}
    # An element around an embed may end it before.
    return tuple(each for each in found if ends.get(each.start, 0) >= each.end)


def ended(html: str, found: Sequence[Swallow]) -> str:
    """Return a body whose embeds end where the body continues: what they left open is
    closed before."""
    pieces, at = [], 0
    for each in found:
        pieces += [html[at : each.place], each.ends]
        at = each.place
    return "".join((*pieces, html[at:]))


@dataclass(frozen=True, slots=True)
class ReadBody:
    """A body as it is converted, and the embeds in it that held what follows."""

    html: str
    root: Element
    found: tuple[Swallow, ...] = ()
    ended: bool = False

    def report(self, losses: Collector) -> None:
        """Record each of these embeds: what it holds, or that it was ended."""
        starts, added = dict[int, Swallow](), 0
        for each in self.found:
            starts[each.start + added] = each
            added += len(each.ends) if self.ended else 0
        until = 0
        for element in walk(self.root) if starts else ():
            found = starts.get(element.start)
            if found is None or element.start < until or not is_custom_embed(element):
                continue
            what = self.html[element.start : element.inner_start]
            if self.ended:
                why = f"{_ENDED} {found.ends}."
                losses.lose("unclosed-embed", what, element, why=why, severity=LAYOUT)
                continue
            until = element.inner_end  # those that it holds are its own
            held = _held(self.html[found.end : until])
            why = f"{_UNCLOSED} {held} of the body. {_OFFER}"
            losses.lose("unclosed-embed", what, element, why=why)


def read_body(html: str, choice: Unclosed) -> ReadBody:
    """Return a body with its tree, its embeds ended if that is the choice."""
    root = parse(html)
    found = swallows(html, root)
    if not found or choice is Unclosed.KEEP:
        return ReadBody(html, root, found)
    whole = ended(html, found)
    return ReadBody(whole, parse(whole), found, ended=True)


def _held(rest: str) -> str:
    root = parse(rest)
    tags = [each.tag for each in walk(root)]
    counts = (
        (sum(tag in _HEADINGS for tag in tags), "heading"),
        (tags.count("img"), "picture"),
        (_words(root), "word"),
    )
    return ", ".join(counted(n, what) for n, what in counts)


def _words(root: Element) -> int:
    held = (each for each in walk(root) if each.tag not in ("script", "style"))
    return sum(
        len(child.value.split())
        for each in (root, *held)
        for child in each.children
        if isinstance(child, Text)
    )


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    name: str
    closing: bool
    wraps: bool
    """Whether it begins a custom embed."""
    own: int
    """2: begins an element of a body, as the read API marks it; 1: unmarked."""


@dataclass(slots=True)
class _Named:
    """The tags of one name: their places, and how many are open behind each."""

    at: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    least: list[int] = field(default_factory=list)
    """The least depth behind each, itself included."""
    places: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    """Tags behind which a body may continue, and those where it is marked."""


class _Reader:
    def __init__(self, html: str) -> None:
        self._html = html
        self._tags = list(_tags(html))
        self._named: dict[str, _Named] = {}

    def swallows(self) -> Iterator[Swallow]:
        index = 0
        while index < len(self._tags):
            tag = self._tags[index]
            index += 1
            if not tag.wraps:
                continue
            found = self._end_of(index - 1)
            if found is None:
                return  # nothing tells where it should end
            end, whole = found
            if not whole or self._own_behind(end):
                yield from self._held(tag, self._tags[end])
            index = end + 1

    def _end_of(self, index: int) -> tuple[int, bool] | None:
        """Return the end tag of an embed, and whether the count of tags proves it."""
        named = self._of(self._tags[index].name)
        here = bisect_right(named.at, index) - 1
        outside = named.depths[here] - 1
        if here + 1 < len(named.at) and named.least[here + 1] <= outside:
            depths = named.depths
            while depths[here] != outside:
                here += 1
            return named.at[here], True
        for places in reversed(named.places):
            place = bisect_right(places, index)
            if place < len(places):
                return places[place], False
        return None

    def _of(self, name: str) -> _Named:
        if name not in self._named:
            at = [i for i, each in enumerate(self._tags) if each.name == name]
            steps = (-1 if self._tags[i].closing else 1 for i in at)
            depths = list(accumulate(steps))
            least = list(accumulate(reversed(depths), min))[::-1]
            self._named[name] = named = _Named(at, depths, least)
            self._note_places(named)
        return self._named[name]

    def _note_places(self, named: _Named) -> None:
        """Note the end tags behind which a body may go on, but ends of embeds."""
        opened: list[_Tag] = []
        for index, depth, least in zip(
            named.at, named.depths, named.least, strict=True
        ):
            tag = self._tags[index]
            if not tag.closing:
                opened.append(tag)
                continue
            whole = bool(opened) and opened.pop().wraps
            own = 0 if whole or depth > least else self._own_behind(index)
            for places in named.places[:own]:
                places.append(index)

    def _own_behind(self, index: int) -> int:
        """Return whether an element of the body follows a tag at once."""
        if index + 1 >= len(self._tags):
            return 0
        tag, following = self._tags[index], self._tags[index + 1]
        if self._html[tag.end : following.start].strip():
            return 0
        return following.own

    def _held(self, wrapper: _Tag, closing: _Tag) -> Iterator[Swallow]:
        """Yield the embed if the end tag does not end it."""
        if left_open(self._html[wrapper.start : closing.end]):
            ends = "".join(left_open(self._html[wrapper.end : closing.start]))
            yield Swallow(wrapper.start, closing.start, closing.end, ends)


def _tags(html: str) -> Iterator[_Tag]:
    """Yield the tags of a body; what is in code that never ends counts, too."""
    at, last = 0, html.rfind(">") + 1
    ends: dict[str, int] = {}
    continues = -1
    while (token := TOKEN_BEGUN.search(html, at, last)) is not None:
        at = token.end()
        name = (token["tag"] or "").lower()
        if name:
            yield _tag(token, name)
        if token["end"] or (name not in _CODE and token[0] != "<!--"):
            continue
        end = _next(ends, html, name, at)
        if continues < at:
            begun = _CONTINUES.search(html, at)
            continues = begun.start() if begun else len(html)
        if at <= end <= continues:
            at = end


def _next(ends: dict[str, int], html: str, name: str, at: int) -> int:
    """Return where code or a comment ends next, or -1."""
    if name not in ends or -1 < ends[name] < at:
        pattern = f"</{name}(?=[ \t\n\r\f/>])" if name else "--!?>"
        found = re.compile(pattern, re.IGNORECASE).search(html, at if name else at - 2)
        ends[name] = (found.start() if name else found.end()) if found else -1
    return ends[name]


def _tag(token: re.Match[str], name: str) -> _Tag:
    raw, closing = token["attributes"], bool(token["end"])
    wraps, own = False, 0
    if not closing:
        if _MARKS.search(raw) and name not in VOID | _CODE:
            wraps = is_custom_embed(Element(name, attributes_of(raw)))
        if wraps or name in _OWN:
            given = attributes_of(raw) if raw else {}
            marked = wraps or "id" in given or "data-rt-type" in given
            own = 2 if marked else 1
    return _Tag(token.start(), token.end(), name, closing, wraps, own)
