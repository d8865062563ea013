"""HTML text to the tree that the official converter works on.

Its parser (happy-dom's) is not a browser's: tags close others by a small table,
what a table may not hold is moved before it and left empty, quotes may hide
brackets, and a comment that does not end hides the rest. This is no copy of its
code; any depth works, in linear time.
"""

from __future__ import annotations

import re

from cmsmig.richtext.html.dom import COMMENT, Element, Text, note_code
from cmsmig.richtext.html.entities import decoded
from cmsmig.richtext.html.start_tags import (
    CHARACTERS,
    CLOSES_SAME_PARENT,
    EMPTY,
    FORBIDDEN,
    MARK,
    PARENTS,
    PERMITTED,
    SPACE,
    SPECIAL_CHILDREN,
    SPECIAL_PARENTS,
    STAYS,
    SVG_NAMES,
    finish,
    lowered,
)

_AROUND = "</body></html>"
_DRAWN = " "
"""Before the key of an element of a drawing; no name of an element begins so."""
_APART = frozenset(("br", "pre", "html", "body"))
"""Elements that are not themselves in a drawing."""
_STRUCTURE = frozenset(("html", "head", "body"))
"""They are there from the start; texts and elements in them go to the body."""
_AS_EVER = frozenset((_DRAWN + "BR", _DRAWN + "PRE"))
"""In a drawing the case of a name stays, and so these are known again."""
_DOCTYPE = re.compile(rf"doctype[{SPACE}]", re.IGNORECASE)


def parse_as_official(source: str) -> Element:
    """Return a `body` element holding the tree of `source`. Never raises."""
    return _Tree(source).build()


class _Tree:
    def __init__(self, source: str) -> None:
        self._source = source + _AROUND
        self._length = len(source)
        self._body = Element("body")
        self._outer = [Element("#document"), Element("html")]
        self._head = Element("head")
        self._open: list[Element] = [*self._outer, self._body]
        self._keys = ["#document", "html", "body"]
        self._counts = {"html": 1, "body": 1}
        self._place = self._body
        """What takes texts and elements now: the innermost, or the body."""
        self._within = True
        self._drawing = False
        """Whether what takes elements is part of a drawing."""
        self._tail: list[str] = []
        self._coded = [False, False]

    def build(self) -> Element:
        """Return the tree. Call once."""
        source, at = self._source, 0
        while (token := MARK.search(source, at)) is not None:
            start, kind = token.start(), token.lastgroup
            if kind == "bracket" or kind == "slash":
                self._text(source[at : token.end()])
                at = token.end()
                continue
            if start > at:
                self._text(source[at:start])
            if kind == "end":
                at = token.end()
                self._end(token["end"], start, at)
            elif kind == "tag":
                at = self._start(token)
            elif kind == "over" or kind == "done":
                self._text(source[at : token.end()])
                at = token.end()
            else:
                at = self._hidden(kind, token.end())
            if at < 0:
                break
        self._flush()
        while len(self._open) > 1:
            self._pop(self._length)
        if all(self._coded):
            note_code(self._body)
        return self._body

    def _text(self, raw: str) -> None:
        children = self._place.children
        if self._within:
            if self._tail:
                self._flush()
            children.append(Text(decoded(raw)))
        elif children and isinstance(children[-1], Text):
            self._tail.append(raw)  # unchanged: references are not decoded
        else:
            self._flush()
            children.append(Text(decoded(raw)))

    def _flush(self) -> None:
        """Join what was written behind the body to the body's last text."""
        if self._tail:
            last = next(
                child
                for child in reversed(self._body.children)
                if isinstance(child, Text)
            )
            last.value += "".join(self._tail)
            self._tail.clear()

    def _hidden(self, kind: str | None, at: int) -> int:
        """Skip a comment or declaration; return where it ends, -1 for nowhere."""
        start = at
        while (token := MARK.search(self._source, at)) is not None:
            at, found = token.end(), token.lastgroup
            if kind == "comment":
                if found == "over" or found == "done":
                    break
                if found == "comment":
                    at -= 2  # its dashes may be those of the end
            elif found == "bracket" or found == "slash":
                break
        else:
            return -1
        if kind == "declaration":
            text = decoded(self._source[start : token.start()])
            if _DOCTYPE.match(text):
                return at
        children = self._place.children
        if self._within and children:
            last = children[-1]
            if isinstance(last, Element) and last.tag == "br":
                self._place.append(Element(COMMENT, {}, start))
        return at

    def _start(self, token: re.Match[str]) -> int:
        """Open an element; return where reading continues, -1 for nowhere."""
        attributes: dict[str, str] = {}
        lower = not self._drawing
        unread = lower and lowered(token["tag"]) == "head"
        ended = finish(
            self._source,
            token.end("tag"),
            None if unread else attributes,
            lower=lower,
        )
        if ended is None:
            return -1
        at, closed = ended
        return self._element(token["tag"], attributes, closed, token.start(), at)

    def _element(
        self,
        name: str,
        attributes: dict[str, str],
        closed: bool,
        start: int,
        at: int,
    ) -> int:
        tag = key = lowered(name)
        drawn = self._drawing or tag == "svg"
        if drawn:
            key = _DRAWN + (SVG_NAMES.get(tag, name) if self._drawing else tag)
            tag = name.lower()
        parent = self._open[-1].tag
        fits = parent not in SPECIAL_PARENTS and tag not in SPECIAL_CHILDREN
        if not fits and not self._close_for(tag, key, attributes, start, at):
            return at
        if tag in _STRUCTURE and not drawn:
            if tag != "body":
                self._push(self._outer[1] if tag == "html" else self._head, key)
            return at
        apart = drawn and tag in _APART and key not in _AS_EVER
        element = Element(f"svg:{tag}" if apart else tag, attributes, start)
        element.end = element.inner_start = element.inner_end = at
        if tag in CHARACTERS:
            return at if closed and drawn else self._characters(element, key, at)
        self._append(element)
        if tag in EMPTY or (closed and drawn):
            return at
        if tag == "pre":
            self._coded[0] = True
        elif tag == "code":
            self._coded[1] = True
        self._push(element, key)
        return at

    def _characters(self, element: Element, key: str, at: int) -> int:
        """Take a script or style up to its end tag; without one it is left out."""
        start = at
        while (token := MARK.search(self._source, at)) is not None:
            at = token.end()
            if token.lastgroup == "end" and lowered(token["end"]) == key:
                content = self._source[start : token.start()]
                if content:
                    element.children.append(Text(content))
                element.inner_end, element.end = token.start(), at
                if self._open[-1] is not self._head:
                    self._append(element)
                return at
        return -1

    def _append(self, element: Element) -> None:
        if self._tail:
            self._flush()
        self._place.append(element)

    def _close_for(
        self, tag: str, key: str, attributes: dict[str, str], start: int, at: int
    ) -> bool:
        """Close what the element closes; return whether it may be there then."""
        while True:
            parent = self._open[-1].tag
            if (
                (tag in CLOSES_SAME_PARENT and self._keys[-1] == key)
                or tag in FORBIDDEN.get(parent, ())
                or self._not_permitted(tag, parent)
            ):
                if parent in STAYS and tag not in STAYS[parent]:
                    if tag not in _STRUCTURE:
                        self._move_out(Element(tag, attributes, start), tag, at)
                    return False
                self._pop(start)
            elif tag == "a" and self._counts.get(key):
                while self._keys[-1] != key:
                    self._pop(start)
                self._pop(start)
            elif tag in PARENTS and parent not in PARENTS[tag]:
                if tag != "tr" or parent != "table":
                    return False
                body = Element("tbody", {}, start)
                body.end = body.inner_start = body.inner_end = start
                self._append(body)
                self._push(body, "tbody")
            else:
                return True

    def _not_permitted(self, tag: str, parent: str) -> bool:
        permitted = PERMITTED.get(parent)
        if permitted is None or tag in permitted:
            return False
        return tag != "tr" or parent != "table"

    def _move_out(self, element: Element, tag: str, at: int) -> None:
        """Put an empty element before the innermost open one that leaves room."""
        element.end = element.inner_start = element.inner_end = at
        index = len(self._open) - 1
        while index > 1:
            around = self._open[index].parent
            outer = None if around is None else PERMITTED.get(around.tag)
            if outer is None or tag in outer:
                break
            index -= 1
        before = self._open[index]
        parent = before.parent or self._body
        parent.append(element)
        children = parent.children
        children.pop()
        place = len(children) - 1
        while children[place] is not before:
            place -= 1
        children.insert(place, element)

    def _push(self, element: Element, key: str) -> None:
        self._open.append(element)
        self._keys.append(key)
        self._counts[key] = self._counts.get(key, 0) + 1
        self._settle(element)

    def _pop(self, inner: int, outer: int | None = None) -> None:
        element = self._open.pop()
        self._counts[self._keys.pop()] -= 1
        if element.inner_start:
            length = self._length
            outer = inner if outer is None else outer
            element.inner_end = inner if inner < length else length
            element.end = outer if outer < length else length
        self._settle(self._open[-1])

    def _settle(self, current: Element) -> None:
        self._drawing = self._keys[-1][0] == _DRAWN
        self._within = current.parent is not None or current is self._body
        self._place = current if self._within else self._body

    def _end(self, name: str, start: int, end: int) -> None:
        key = lowered(name)
        if self._drawing:
            drawn = _DRAWN + SVG_NAMES.get(key, name)
            if self._counts.get(drawn):
                key = drawn
            elif any("a" <= letter <= "z" for letter in drawn):
                return
        if not self._counts.get(key):
            return
        while self._keys[-1] != key:
            self._pop(start)
        self._pop(start, end)
