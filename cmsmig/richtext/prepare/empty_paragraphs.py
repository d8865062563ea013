"""Which paragraphs and headings leave nothing in a document, whatever is in them."""

from __future__ import annotations

from cmsmig.richtext.html.dom import Element, Node, Text, tag_set
from cmsmig.richtext.html.visibility import INVISIBLE, LEFT_OUT, Visibility

LISTS = frozenset(("ul", "ol"))
LINED = tag_set("h1 h2 h3 h4 h5 h6 pre")
_OUTDOING = tag_set("ul ol li table tr td th blockquote")
_STRUCTURED = tag_set("blockquote table tr td th pre")
"""Elements that are nodes even when they show nothing, and no paragraphs."""


class EmptyParagraphs:
    """Says it of the elements of one body; linear over all questions.

    `lists`: a list is a node even when it shows nothing.
    """

    def __init__(self, *, lists: bool) -> None:
        self._kept = Visibility(kept=True)
        self._structured = _STRUCTURED | LISTS | {"li"} if lists else _STRUCTURED
        self._holding: set[Element] = set()

    def nothing(self, element: Element) -> bool:
        """Say whether nothing of an element is left but losses."""
        if self._kept.shows(element) or element in self._holding:
            return False
        stack = elements_in(element)
        while stack:
            below = stack.pop()
            if below.tag in self._structured:
                self._hold(below)
                return False
            if below.tag not in LEFT_OUT:
                stack.extend(elements_in(below))
        return True

    def _hold(self, structure: Element) -> None:
        """Remember that something is left of all that is around a structure."""
        around = structure.parent
        while around is not None and around not in self._holding:
            self._holding.add(around)
            around = around.parent


def elements_in(element: Element) -> list[Element]:
    """Return the elements right in an element, the last one first."""
    return [each for each in reversed(element.children) if isinstance(each, Element)]


def is_outdone(heading: Element) -> bool:
    """Return whether all that a heading shows stands in lists, tables or quotes, which
    a heading can't hold."""
    stack: list[Node] = [heading]
    blocks = False
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            if node.value.strip(INVISIBLE):
                return False
        elif node.tag in _OUTDOING:
            blocks = True
        elif node is heading or node.tag not in LINED:
            stack.extend(node.children)
    return blocks
