"""What the official's rules need to know of a tree, and change in it."""

from __future__ import annotations

from cmsmig.richtext.html.dom import Element, Node

COMMENT = "#comment"
"""A comment that stands behind a line break, where it counts as a neighbour."""


def note_code(root: Element) -> None:
    """Note in each `pre` which `code` is the first in it."""
    waiting: list[Element] = []
    stack: list[tuple[Element, bool]] = [(root, False)]
    while stack:
        element, leaving = stack.pop()
        if leaving:
            if waiting and waiting[-1] is element:
                waiting.pop()
            continue
        if element.tag == "code":
            note_first_code(element, waiting)
        elif element.tag in ("pre", "svg:pre"):
            waiting.append(element)
            stack.append((element, True))
        stack.extend(
            (child, False)
            for child in reversed(element.children)
            if isinstance(child, Element)
        )


def note_first_code(code: Element, waiting: list[Element]) -> None:
    """Note in each `pre` of `waiting` that this is its first; empties `waiting`."""
    for outside in waiting:
        outside.code = code.code = code
    waiting.clear()


def nest_lists(element: Element) -> None:
    """Move a list that stands between items into the item before it."""
    kept: list[Node] = []
    item: Element | None = None
    for child in element.children:
        if isinstance(child, Element):
            if child.tag in ("ul", "ol") and item is not None:
                item.children.append(child)
                continue
            if child.tag != COMMENT:
                item = child if child.tag == "li" else None
        kept.append(child)
    element.children = kept
