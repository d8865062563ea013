"""The marks that a page draws around a quotation in a sentence."""

from __future__ import annotations

from cmsmig.richtext.html.dom import Element, Node, Text

QUOTATION = "cms:quotation"
"""What a quotation is called once its marks are in the text."""
_MARKS = (("\u201c", "\u201d"), ("\u2018", "\u2019"))
"""Of a quotation, and of one in another."""


def write_marks(root: Element) -> None:
    """Put the marks around each `q` into the text. Source: the HTML standard,
    rendering, quotes."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, inside = stack.pop()
        if isinstance(node, Text):
            continue
        if node.tag == "q":
            opening, closing = _MARKS[inside]
            node.children = [Text(opening), *node.children, Text(closing)]
            node.tag, inside = QUOTATION, True
        stack.extend((child, inside) for child in node.children)
