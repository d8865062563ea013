"""Names that links within a page lead to, and the texts that get them.

A document has them as marks of texts. A name stays in its element where that has a
text; that of an element without one goes to the next text. Of several names each has
a word of the text, or a character of it where there are fewer words. Where there are
fewer characters the innermost names come first; others may have a later text of their
element.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, islice
from unicodedata import category, combining

from cmsmig.richtext.html.dom import MORE_BLOCK_TAGS, Element
from cmsmig.richtext.html.visibility import INVISIBLE
from cmsmig.richtext.schema.nodes import Mark, MarkSet, added

_WORD = re.compile(rf"[\s{INVISIBLE}]*+\S+")
_JOINED = frozenset(("Mn", "Mc", "Me", "Cf", "Sk"))
"""Categories of characters that are one with what is before them."""
_VIRAMA = 9
_JAMO = range(0x1160, 0x1200)
_FLAGS = range(0x1F1E6, 0x1F200)


@dataclass(order=True, slots=True)
class _Name:
    """A name that waits for a text. The innermost comes first, and of two that are
    apart the later one."""

    place: int
    name: str
    element: Element
    texts: int
    """Texts before its element; of a loose one those that it could be on."""


class Anchors:
    """The names of one body that wait for a text. `lose` gets those that find none."""

    def __init__(self, lose: Callable[[str, Element], None]) -> None:
        self._lose = lose
        self._places = count(0, -1)
        self._inside: list[_Name] = []
        """Those of elements that are open, the innermost last."""
        self._loose: list[_Name] = []
        """A heap of those of elements that have ended without a text."""
        self._texts = self._marked = 0
        """How many there were, and how many of them can have names."""
        self._missed = False
        """Whether a text had no part for some that are loose."""

    def wait(self, name: str, element: Element) -> None:
        """Note a name of an element that begins."""
        self._inside.append(_Name(next(self._places), name, element, self._texts))

    @property
    def waiting(self) -> bool:
        """Whether a name waits."""
        return bool(self._inside or self._loose)

    def part(self, element: Element) -> None:
        """Give up, where a block begins or ends, names that the text before it had no
        part for: the next text is another place."""
        if self._missed and element.tag in MORE_BLOCK_TAGS:
            self._missed = False
            found, self._loose = self._loose, []
            for each in found:
                if each.texts == self._marked:
                    heappush(self._loose, each)
                else:
                    self._lose(each.name, each.element)

    def left(self, element: Element) -> None:
        """Note the end of an element: a name stays in it if it has a text."""
        while self._inside and self._inside[-1].element is element:
            each = self._inside.pop()
            if self._texts > each.texts:
                self._lose(each.name, each.element)
            else:
                each.texts = self._marked
                heappush(self._loose, each)

    def pass_by(self) -> None:
        """Note a text that can have no name."""
        self._texts += 1

    def marked(self, text: str, marks: MarkSet) -> list[tuple[str, MarkSet]]:
        """Return the parts of a text with the names that it gets."""
        self._texts += 1
        self._marked += 1
        own = [mark for mark in marks if mark.name == "anchor"]
        starts = _parted(text, len(self._inside) + len(self._loose) + len(own))
        if not starts:
            return [(text, marks)]
        names = [self._next() for _ in range(len(starts) - len(own)) if self.waiting]
        self._missed = bool(self._loose)
        held = [added(Mark("anchor", {"id": name}), marks) for name in reversed(names)]
        held += [marks] * len(own)
        ends = [*starts[1 : len(held)], len(text)]
        return [
            (text[start:end], each)
            for start, end, each in zip(starts, ends, held, strict=False)
        ]

    def _next(self) -> str:
        inside, loose = self._inside, self._loose
        if not loose or (inside and inside[-1].place < loose[0].place):
            return inside.pop().name
        return heappop(loose).name

    def rest(self) -> Iterator[tuple[str, Element]]:
        """Yield the names for which no text came."""
        return ((each.name, each.element) for each in (*self._inside, *self._loose))


def _parted(text: str, most: int) -> list[int]:
    """Return where parts of a text begin: words, or characters where words are too
    few; no more than so many."""
    words = [found.start() for found in islice(_WORD.finditer(text), most)]
    more = islice(_characters(text), most - len(words))
    return sorted((*words, *more))


def _characters(text: str) -> Iterator[int]:
    """Yield where the characters of words begin, but the first of each."""
    for at in range(1, len(text)):
        before, here = text[at - 1], text[at]
        if before.isspace() or here.isspace() or category(before) == "Cf":
            continue
        pair = ord(before) in _FLAGS and ord(here) in _FLAGS
        joined = category(here) in _JOINED or ord(here) in _JAMO
        if not (joined or pair or combining(before) == _VIRAMA):
            yield at
