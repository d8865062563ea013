"""The one place that knows BeautifulSoup: trees to look around in.

Conversion itself never comes here; a project's own rule and the census do.
"""

from __future__ import annotations

from bs4 import BeautifulSoup
from bs4.builder import HTMLTreeBuilder
from bs4.element import Tag as Tag

from cmsmig.richtext.html.dom import Element, Node, Text


def parse_html(html: str | bytes, encoding: str | None = None) -> BeautifulSoup:
    """Return the tree of an HTML text, `class` and `rel` as they are written.

    Bytes are decoded by `encoding`, where it is one and fits, else as they say in a
    `meta`, else as UTF-8.
    """
    return BeautifulSoup(
        html, "lxml", from_encoding=encoding, multi_valued_attributes=None
    )


class Tree:
    """A copy of a conversion's own tree for a rule to look at.

    The same elements in the same places: a rule sees exactly what is converted,
    and may do to it what it likes.
    """

    def __init__(self, root: Element) -> None:
        builder = _Copying(root)
        self.soup = BeautifulSoup("", builder=builder)
        self.pairs = builder.elements
        """Each element with its copy, in document order."""


class _Copying(HTMLTreeBuilder):
    """Builds from a tree instead of from a text."""

    features = ()

    def __init__(self, root: Element) -> None:
        super().__init__()
        self._root = root
        self.elements: list[tuple[Element, Tag]] = []

    def feed(self, markup: object) -> None:
        soup = self.soup
        stack: list[Node | str] = [self._root]
        while stack and soup is not None:
            node = stack.pop()
            if isinstance(node, str):
                soup.handle_endtag(node)
            elif isinstance(node, Text):
                soup.handle_data(node.value)
            elif tag := soup.handle_starttag(
                node.tag, None, None, dict(node.attributes)
            ):
                self.elements.append((node, tag))
                stack.append(node.tag)
                stack.extend(reversed(node.children))
