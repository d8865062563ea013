"""The one place that knows BeautifulSoup: trees to look around in, and selectors.

Conversion itself never comes here; a project's own rules and the census do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import soupsieve
from bs4 import BeautifulSoup
from bs4.builder import HTMLTreeBuilder
from bs4.element import Tag as Tag
from soupsieve.css_types import Selector as Parsed

from cmsmig.richtext.html.dom import Element, Node, Text

_ENCODED = re.compile(
    r"(?:class|id)\s*=\s*(?:\"[^\"&]*&|'[^'&]*&|[^\s\"'&>]*&)", re.IGNORECASE
)
"""A class or an id with a character reference in it."""
_ALWAYS_THERE = ("*", "", "body")


def parse_html(html: str | bytes, encoding: str | None = None) -> BeautifulSoup:
    """Return the tree of an HTML text, `class` and `rel` as they are written.

    Bytes are decoded by `encoding`, where it is one and fits, else as they say in a
    `meta`, else as UTF-8.
    """
    return BeautifulSoup(
        html, "lxml", from_encoding=encoding, multi_valued_attributes=None
    )


class Tree:
    """A copy of a conversion's own tree for selectors and rules to look at.

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


class Selector:
    """A CSS selector, with a quick test for what it can't match."""

    def __init__(self, css: str) -> None:
        """Compile a selector. Raises `ValueError` saying what is wrong with it."""
        try:
            self._compiled = soupsieve.compile(css)
        except soupsieve.SelectorSyntaxError as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise ValueError(f"`{css}` is no CSS selector: {reason}") from None
        self.css = css
        self._needs = tuple(_Needs(one) for one in _parsed(self._compiled.selectors))

    def may_match(self, html: str) -> bool:
        """Return whether anything in a lower-case HTML text may match; cheap.

        True is no promise, False is certain.
        """
        return any(needs.met_by(html) for needs in self._needs)

    def matching(self, tree: Tree) -> frozenset[int]:
        """Return the identities of the elements that match."""
        return frozenset(id(tag) for tag in self._compiled.select(tree.soup))


def _parsed(selectors: Iterable[object]) -> Iterator[Parsed]:
    return (each for each in selectors if isinstance(each, Parsed))


class _Needs:
    """What a text must hold for one alternative of a selector to match."""

    def __init__(self, parsed: Parsed) -> None:
        self._names: list[str] = []
        self._values: list[str] = []
        waiting = [parsed]
        while waiting:
            one = waiting.pop()
            if one.tag is not None and one.tag.name not in _ALWAYS_THERE:
                self._names.append(f"<{one.tag.name.lower()}")
            self._names += [each.attribute.lower() for each in one.attributes]
            values = (*one.classes, *one.ids)
            # Lower case of other letters may depend on what is around them.
            self._values += [each.lower() for each in values if each.isascii()]
            waiting += _parsed(one.relation)

    def met_by(self, html: str) -> bool:
        if any(name not in html for name in self._names):
            return False
        return all(value in html for value in self._values) or bool(
            "&" in html and _ENCODED.search(html)
        )
