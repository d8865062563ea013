"""HTML text to a tree. Drops nothing, moves nothing, at any depth.

Parsers made for browsers cut deep nesting off, move text out of tables and
differ between their own versions, so the same body would give different
documents on two machines. This one keeps every character in its place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from cmsmig.character_references import shown_text
from cmsmig.richtext.html.dom import (
    MORE_BLOCK_TAGS,
    Element,
    Node,
    Text,
    note_first_code,
    tag_set,
)
from cmsmig.richtext.html.entities import shown_attribute

VOID = tag_set("area base br col embed hr img input link meta param source track wbr")
RAW = frozenset(("script", "style", "xmp", "iframe", "noembed", "noframes"))
"""Elements whose content is characters, not markup."""
ESCAPABLE_RAW = frozenset(("textarea", "title"))
FORMATTING = tag_set(
    "a b big code em font i mark s del small span strike strong sub sup tt u"
)
"""Reopened when an element around them is closed first, as browsers do."""
CLOSES_PARAGRAPH = tag_set(
    "address article aside blockquote center details dialog dir div dl fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav "
    "ol p pre section summary table ul li dt dd"
)
_LINK_BARRIERS = tag_set("caption object applet marquee template svg math")
"""A link in one of these does not end a link around it, nor does one in a cell."""
_LISTS = frozenset(("ul", "ol", "menu", "dir", "table", "blockquote"))
_TABLES = frozenset(("table",))
_CELLS = frozenset(("td", "th"))
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_CAPTION = frozenset(("caption",))
_RUBY = frozenset(("ruby",))
_READINGS = frozenset(("rb", "rp", "rt"))
CLOSED_BY_SIBLING: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), _LISTS),
    "dt": (frozenset(("dt", "dd")), frozenset(("dl", "table"))),
    "dd": (frozenset(("dt", "dd")), frozenset(("dl", "table"))),
    "option": (frozenset(("option",)), frozenset(("select", "datalist"))),
    "rb": (_READINGS | {"rtc"}, _RUBY),
    "rp": (_READINGS, _RUBY | {"rtc"}),
    "rt": (_READINGS, _RUBY | {"rtc"}),
    "rtc": (_READINGS | {"rtc"}, _RUBY),
    "td": (_CELLS | _CAPTION, frozenset(("table", "tr"))),
    "th": (_CELLS | _CAPTION, frozenset(("table", "tr"))),
    "tr": (_CAPTION | {"tr"}, _TABLES),
    "thead": (_SECTIONS | _CAPTION, _TABLES),
    "tbody": (_SECTIONS | _CAPTION, _TABLES),
    "tfoot": (_SECTIONS | _CAPTION, _TABLES),
}
"""A start tag closes the open element of the first set, up to the second."""

_VALUE = r"\"[^\"]*+\"|'[^']*+'|[^ \t\n\r\f>]++"
_NAME = r"=[^ \t\n\r\f/>=]*+|[^ \t\n\r\f/>=]++"
"""An equals sign begins a name where none was begun."""
_MARKUP = (
    r"<(?P<end>/?)(?P<tag>[a-zA-Z][^ \t\n\r\f/>\x00]*)"
    r"(?P<attributes>(?:[ \t\n\r\f/\x00]++"
    rf"|(?:{_NAME})(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:{_VALUE})?+)?+)*+)>"
    r"|<(?:[!?]|/(?![a-zA-Z]))[^>]*>"
)
TOKEN = re.compile(rf"<!--(?:-?>|.*?(?:--!?>|\Z))|{_MARKUP}", re.DOTALL)
COMMENT_ENDS = ("-->", "--!>", "<!-->", "<!--->")
ATTRIBUTE = re.compile(
    rf"(?P<name>{_NAME})(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"(?P<double>[^\"]*+)\""
    r"|'(?P<single>[^']*+)'|(?P<bare>[^ \t\n\r\f>]++))?+)?+"
)


def parse(source: str) -> Element:
    """Return a `body` element holding the tree of `source`. Never raises."""
    return _TreeBuilder(source).build()


class _TreeBuilder:
    def __init__(self, source: str) -> None:
        self._source = source
        self._root = Element("body")
        self._open = [self._root]
        self._places: dict[str, list[int]] = defaultdict(list)
        """Where in `_open` the elements of each tag are."""
        self._cells = [0]
        """Where in it the cells of tables are: outside of one, nothing is ended."""
        self._without_code: list[Element] = []
        self._owed: dict[str, int] = defaultdict(int)
        """Blocks that an end tag of something around them has ended."""

    def build(self) -> Element:
        """Return the tree. Call once."""
        self._read()
        self._root.odd |= len(self._open) > 1
        self._close_down_to(0, len(self._source))
        return self._root

    def _read(self) -> None:
        source, position = self._source, 0
        last = source.rfind(">") + 1  # without it each "<a" would scan to the end
        while (token := TOKEN.search(source, position, last)) is not None:
            start, end = token.span()
            if start > position:
                self._text(position, start)
            closing, name, attributes = token.groups()
            position = end
            if name is None:
                self._hidden(token)
            elif closing:
                self._end(name.lower(), start, end)
            else:
                position = self._start(name.lower(), attributes, start, end)
        if position < len(source):
            self._text(position, len(source))

    def _hidden(self, token: re.Match[str]) -> None:
        """Keep a comment that never ends as an element: it hides a body's rest."""
        held = token[0]
        before = self._open[-1].children[-1:]
        behind_break = bool(before) and getattr(before[0], "tag", "") == "br"
        self._root.odd |= behind_break or _PLAIN_COMMENT.fullmatch(held) is None
        if held.startswith("<!--") and not held.endswith(COMMENT_ENDS):
            comment = Element("cms:comment", {}, token.start())
            comment.end = token.end()
            self._open[-1].append(comment)

    def _text(self, start: int, end: int) -> None:
        raw = self._source[start:end]
        value = shown_text(raw)
        self._root.odd |= _ODD_TEXT.search(raw) is not None
        if "\0" in value:
            value = value.replace("\0", "")  # browsers show nothing for it
        self._open[-1].children.append(Text(value, start, end))

    def _start(self, tag: str, attributes: str, start: int, end: int) -> int:
        """Open an element; return where reading continues."""
        if tag in _ODD_TAGS or _PLAIN_TAG.fullmatch(self._source, start, end) is None:
            self._root.odd = True
        if tag == "a":
            self._end_link(start)
        again = self._close_implied(tag, start)
        element = Element(tag, attributes_of(attributes), start)
        self._open[-1].append(element)
        element.end = element.inner_start = element.inner_end = end
        if tag in VOID:
            return end
        if tag in RAW or tag in ESCAPABLE_RAW:
            return self._raw(element, end)
        self._push(element)
        if again:
            self._reopen(again)
        if tag == "pre":
            self._without_code.append(element)
        elif tag == "code":
            note_first_code(element, self._without_code)
        return end

    def _raw(self, element: Element, position: int) -> int:
        closing = re.compile(rf"</{element.tag}(?=[ \t\n\r\f/>])", re.IGNORECASE)
        begun = closing.search(self._source, position)
        found = begun and TOKEN.match(self._source, begun.start())
        stop = len(self._source) if not found else found.start()
        content = self._source[position:stop]
        if element.tag in ESCAPABLE_RAW:
            content = shown_text(content)
        if content:
            element.children.append(Text(content.replace("\0", "\ufffd")))
        element.inner_end = stop
        element.end = len(self._source) if not found else found.end()
        return element.end

    def _close_implied(self, tag: str, position: int) -> list[Element]:
        """Close what ends where `tag` begins; return what continues inside of it."""
        children = _TABLE_CHILDREN.get(self._open[-1].tag, _NOT_IN_TABLES)
        self._root.odd |= (tag in children) is (children is _NOT_IN_TABLES)
        if tag in CLOSES_PARAGRAPH and self._open[-1].tag == "p":
            self._root.odd = True
            self._close_down_to(len(self._open) - 1, position)
        rule = CLOSED_BY_SIBLING.get(tag)
        if rule is None or (tag in _TABLE_TAGS and not self._places["table"]):
            return []  # browsers know no part of a table outside of one
        index, barrier = map(self._innermost, rule)
        if index <= barrier:
            return []
        self._root.odd = True
        inside = self._open[:index:-1] if tag in _CONTINUING else []
        for element in self._open[index + 1 :]:
            self._owe(element)
        self._close_down_to(index, position)
        return [element for element in inside if element.tag in FORMATTING]

    def _end_link(self, position: int) -> None:
        """End the link that is open, as another one does, but nothing that is open in
        it. Source: the HTML standard, the adoption agency algorithm."""
        places = self._places["a"]
        barrier = max(self._cells[-1], self._innermost(_LINK_BARRIERS))
        if not places:
            return
        self._root.odd = True
        if places[-1] <= barrier:
            return
        at = places.pop()
        link, inside = self._open.pop(at), self._open[at:]
        for element in reversed(inside):
            self._places[element.tag].pop()
        for place, element in enumerate(inside, at):
            self._places[element.tag].append(place)
        link.inner_end = link.end = position
        if inside:
            link.children.pop()
            self._open[at - 1].append(inside[0])
        for element in inside:
            kept = [] if element is inside[-1] else [element.children.pop()]
            linked = [_continued(link, element)] if element.children else []
            element.children = [*linked, *kept]

    def _innermost(self, tags: Iterable[str]) -> int:
        """Return where the innermost open element of these tags is; 0 for none."""
        return max(
            (self._places[tag][-1] for tag in tags if self._places[tag]), default=0
        )

    def _end(self, tag: str, start: int, end: int) -> None:
        places = self._places[tag]
        cell = 0 if tag in _TABLE_TAGS else self._cells[-1]
        self._root.odd |= self._open[-1].tag != tag
        if not places or places[-1] <= cell:
            self._stray_end(tag, start, end)
            return
        if self._open[-1].tag == tag:  # as in all that is well-formed
            self._close(start, end)
            return
        reopened: list[Element] = []
        for index in range(len(self._open) - 1, 0, -1):
            element = self._open[index]
            if element.tag == tag:
                self._close_down_to(index + 1, start)
                self._close_down_to(index, start, end)
                break
            if element.tag in FORMATTING:
                reopened.append(element)
            self._owe(element)
        if tag in _CONTINUING:  # what began before this one continues after it
            reopened = [each for each in reopened if each.start < element.start]
        if tag in FORMATTING or tag in _CONTINUING or tag == "p":
            self._reopen(reopened)

    def _stray_end(self, tag: str, start: int, end: int) -> None:
        """Part the texts around an end tag that ends nothing.

        Browsers read `</br>` as `<br>`, make an empty paragraph of `</p>`, and end a
        block by its own end tag alone.
        """
        if tag == "br":
            self._start(tag, "", start, end)
            return
        if tag != "p" and not self._owed[tag]:
            return
        self._owed[tag] -= self._owed[tag] > 0
        if _may_join(self._open):
            current = self._open[-1]
            parting = Element("div", {}, start)
            parting.end = parting.inner_start = parting.inner_end = end
            parting.parent = current
            current.children.append(parting)  # no place of its own in a path

    def _owe(self, element: Element) -> None:
        if element.tag in MORE_BLOCK_TAGS:
            self._owed[element.tag] += 1

    def _reopen(self, elements: list[Element]) -> None:
        """Open formatting elements again; one of a kind, or it could explode."""
        innermost = {element.tag: element for element in reversed(elements)}
        for element in innermost.values():
            again = _again(element)
            self._open[-1].append(again)
            self._push(again)

    def _push(self, element: Element) -> None:
        place = len(self._open)
        self._open.append(element)
        self._places[element.tag].append(place)
        if element.tag in _CELLS and self._places["table"]:
            self._cells.append(place)

    def _close_down_to(self, index: int, inner: int, outer: int | None = None) -> None:
        while len(self._open) > max(index, 1):
            self._close(inner, inner if outer is None else outer)

    def _close(self, inner: int, outer: int) -> None:
        """Close the innermost element; its end tag is between the two places."""
        element = self._open.pop()
        element.inner_end = inner
        element.end = outer
        if self._places[element.tag].pop() == self._cells[-1]:
            self._cells.pop()
        if self._without_code and self._without_code[-1] is element:
            self._without_code.pop()


def _again(element: Element) -> Element:
    """Return what continues an element that was closed too early."""
    again = Element(element.tag, dict(element.attributes), element.start)
    again.reopened = True
    return again


def _continued(link: Element, holder: Element) -> Element:
    """Return a link again, with all that its holder has."""
    again = _again(link)
    again.parent, again.children = holder, holder.children
    for child in again.children:
        if isinstance(child, Element):
            child.parent = again
    return again


def _may_join(opened: list[Element]) -> bool:
    """Return whether a text that is added now would join what is before it."""
    for depth, element in enumerate(reversed(opened[-_LOOKED_BACK:])):
        before = element.children[-2:-1] if depth else element.children[-1:]
        if before:
            return _is_joined(before[0])
        if element.tag in MORE_BLOCK_TAGS:
            return False
    return len(opened) > _LOOKED_BACK


def _is_joined(last: Node) -> bool:
    if isinstance(last, Text):
        return bool(last.value.strip())
    return last.tag not in MORE_BLOCK_TAGS and last.tag not in VOID


_PLAIN_COMMENT = re.compile(r"<!--(?!-?>)(?:(?!--|<!).)*-->", re.DOTALL)
_ODD_TEXT = re.compile(r"[<\0]|-->|--!>|&(?:#|[a-zA-Z])[^;\s]*+(?!;)")
_PLAIN_TAG = re.compile(
    r"<[a-zA-Z][a-zA-Z0-9-]*(?:\s+(?:[a-zA-Z@][-\w.:]*)(?:=(?:\"[^\"\0]*\"|'[^'\0]*'"
    r"|[^\s\"'=<>`\0/]+(?=[\s>])))?)*\s*/?>",
    re.ASCII,
)
_ODD_TAGS = tag_set(
    "html head body svg math xmp noembed noframes textarea title template select"
)
_TABLE_CHILDREN: dict[str, frozenset[str]] = {
    "table": tag_set("caption colgroup thead tbody tfoot tr"),
    **dict.fromkeys(_SECTIONS, frozenset(("tr",))),
    "tr": _CELLS,
    "colgroup": frozenset(("col",)),
}
"""What is in the parts of a table in markup that every parser reads alike."""
_NOT_IN_TABLES = frozenset().union(*_TABLE_CHILDREN.values())
"""What is nowhere else."""
_LOOKED_BACK = 20
"""How many elements around a place are searched for what is before it."""
_CONTINUING = frozenset(("li", "dt", "dd", "thead", "tbody", "tfoot"))
"""Formatting that is open in the one before continues in these."""
_TABLE_TAGS = tag_set("table thead tbody tfoot tr td th caption")


def attributes_of(raw: str) -> dict[str, str]:
    """Return the attributes by lower case name; of doubles the first counts."""
    found: dict[str, str] = {}
    if not raw:
        return found
    for name, double, single, bare in ATTRIBUTE.findall(raw):
        found.setdefault(name.lower(), shown_attribute(double or single or bare))
    return found
