"""The marks that a page draws around a quotation in a sentence, and the brackets in
which a reading is where nothing can be above the letters."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, Node, Text
from cmsmig.richtext.html.visibility import Visibility

DRAWN = "cms:drawn"
"""What an element is called once its marks are in the text."""
MARKED = ("q", "ruby")
"""The elements that pages draw marks in."""
_QUOTES = (("\u201c", "\u201d"), ("\u2018", "\u2019"))
"""Of a quotation, and of one in another."""
_BRACKETS = ("(", ")")
_RUBY_PARTS = ("rb", "rp", "rt", "rtc")


def write_marks(root: Element, losses: Collector) -> None:
    """Put the marks around each `q` into the text, and each reading of a `ruby` in
    brackets: those of its `rp`, or our own. Source: the HTML standard, rendering,
    quotes, and the `rp` element."""
    showing = Visibility(texts=True)
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, inside = stack.pop()
        if isinstance(node, Text):
            continue
        if node.tag == "q":
            losses.deviates(Deviation.QUOTATION)
            _surround(node, _QUOTES[inside])
            inside = True
        elif node.tag == "ruby":
            _bracket(node, losses, showing)
        stack.extend((child, inside) for child in node.children)


def _bracket(ruby: Element, losses: Collector, showing: Visibility) -> None:
    parts = [each for each in _parts(ruby) if showing.shows(each)]
    bracketed = any(each.tag == "rp" for each in parts)
    readings = () if bracketed else [*filter(_is_reading, parts)]
    for each in _parts(ruby):
        each.tag = DRAWN
    for each in readings:
        losses.deviates(Deviation.READING)
        _surround(each, _BRACKETS)


def _parts(ruby: Element) -> Iterator[Element]:
    """Yield the parts of a `ruby`, also in other elements, but not those of a `ruby`
    in it."""
    stack: list[Node] = [ruby]
    while stack:
        node = stack.pop()
        if isinstance(node, Text) or (node.tag == "ruby" and node is not ruby):
            continue
        if node.tag in _RUBY_PARTS:
            yield node
        stack.extend(node.children)


def _is_reading(part: Element) -> bool:
    held = (each.tag for each in part.children if isinstance(each, Element))
    return part.tag == "rt" or (part.tag == "rtc" and "rt" not in held)


def _surround(element: Element, marks: tuple[str, str]) -> None:
    element.children = [Text(marks[0]), *element.children, Text(marks[1])]
    element.tag = DRAWN
