"""Which elements show something to a reader."""

from __future__ import annotations

from cmsmig.richtext.html.dom import Element, Node, Text, tag_set
from cmsmig.richtext.html.drawn import is_widget

INVISIBLE = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""A paragraph of nothing else is a spacer."""


def spelled(text: str) -> str:
    """Return an invisible text so that a person can read it."""
    bare = text.strip(" \t\r\n\f").replace("\u00a0", "&nbsp;")
    return bare.encode("ascii", "xmlcharrefreplace").decode()


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


class Visibility:
    """Says which elements of one body show something, or with `texts` hold a text;
    linear over all questions."""

    def __init__(self, *, texts: bool = False) -> None:
        self._known: dict[Element, bool] = {}
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
            if known is None and self._texts and node.tag in _SILENT:
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

    def _is_shown(self, element: Element) -> bool:
        if self._texts:
            return False
        return is_widget(element) or _is_shown(element)


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
