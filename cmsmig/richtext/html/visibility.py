"""Which elements show something to a reader."""

from __future__ import annotations

from cmsmig.richtext.html.dom import Element, Node, Text, tag_set
from cmsmig.richtext.html.drawn import is_widget

INVISIBLE = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""A paragraph of nothing else is a spacer."""
SHOWN = tag_set(
    "img iframe video audio hr input select textarea svg canvas object embed math map "
    "wf-component script style picture form button table cms:blok"
)
"""Elements that show something, or are a loss of their own, without a text."""
HIDDEN = tag_set("head title noscript object")
"""Elements that the official leaves out with everything in them."""
_SILENT = HIDDEN | {"script", "style"}
_EMBED_MARKS = ("data-rt-embed-type", "data-emoji")


LEFT_OUT = tag_set("script style head title noscript input")
"""Elements that are listed, with everything in them, and leave nothing."""
_LEAVES_ITS_TEXT = tag_set("select textarea picture form button")
"""Elements that leave only their content."""


class Visibility:
    """Says which elements of one body show something; linear over all questions.

    `kept`: that leaves something in the document, more than a loss. `texts`: that
    holds a text.
    """

    def __init__(self, *, kept: bool = False, texts: bool = False) -> None:
        self._known: dict[Element, bool] = {}
        self._kept = kept
        self._texts = texts

    def shows(self, root: Element) -> bool:
        """Return whether anything below `root` is seen."""
        for child in root.children:
            if isinstance(child, Text) and child.value.strip(INVISIBLE):
                return True
        if (known := self._known.get(root)) is not None:
            return known
        entered: dict[Element, Element | None] = {root: None}
        stack: list[tuple[Node, Element]] = [
            (child, root) for child in reversed(root.children)
        ]
        shown_in: Element | None = None
        while stack and shown_in is None:
            node, parent = stack.pop()
            if isinstance(node, Text):
                if node.value.strip(INVISIBLE):
                    shown_in = parent
                continue
            known = self._known.get(node)
            if known is None and self._is_passed_over(node):
                continue
            if known or (known is None and self._is_shown(node)):
                shown_in = parent
            elif known is None:
                entered[node] = parent
                stack.extend((child, node) for child in reversed(node.children))
        self._known.update(dict.fromkeys(entered, False))
        while shown_in is not None:
            self._known[shown_in] = True
            shown_in = entered[shown_in]
        return self._known[root]

    def _is_passed_over(self, element: Element) -> bool:
        if self._texts:
            return element.tag in _SILENT
        return self._kept and _leaves_nothing(element)

    def _is_shown(self, element: Element) -> bool:
        if self._texts:
            return False
        if is_widget(element):
            return True
        if self._kept and (element.tag in _LEAVES_ITS_TEXT or _is_bare(element)):
            return False
        return _is_shown(element)


def _is_bare(element: Element) -> bool:
    """Return whether an element has the mark of an emoji or embed and is none."""
    given = element.attributes
    if "data-emoji" in given:
        return element.tag not in ("span", "img")
    return element.tag not in SHOWN and not any(
        isinstance(child, Element) or child.value.strip() for child in element.children
    )


def _leaves_nothing(element: Element) -> bool:
    if element.tag == "img":
        return not {"src", "data-src", "data-emoji"} & element.attributes.keys()
    return element.tag in LEFT_OUT


def _is_shown(element: Element) -> bool:
    if element.tag in SHOWN:
        return True
    given = element.attributes
    return bool(given) and (
        any(name in given for name in _EMBED_MARKS)
        or "w-embed" in given.get("class", "")
    )


LISTS = frozenset(("ul", "ol"))
LINED = tag_set("h1 h2 h3 h4 h5 h6 pre")
_OUTDOING = tag_set("ul ol li table tr td th blockquote")
_STRUCTURED = tag_set("blockquote table tr td th pre")
"""Elements that are nodes even when they show nothing, and no paragraphs."""


class EmptyParagraphs:
    """Says it of the elements of one body; linear over all questions."""

    def __init__(self) -> None:
        self._kept = Visibility(kept=True)
        self._holding: set[Element] = set()

    def nothing(self, element: Element) -> bool:
        """Return whether nothing of an element is left but losses."""
        if self._kept.shows(element) or element in self._holding:
            return False
        stack = elements_in(element)
        while stack:
            below = stack.pop()
            if below.tag in _STRUCTURED:
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
    """Return whether all that a heading shows is in lists, tables or quotes, which a
    heading can't hold."""
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


def is_unshown(element: Element) -> bool:
    """Return whether browsers show nothing of what is in an element."""
    unshown = element.tag == "template" or (
        element.tag == "dialog" and "open" not in element.attributes
    )
    return unshown and bool(element.children)
