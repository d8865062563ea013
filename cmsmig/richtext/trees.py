"""Compares two trees of one body."""

from __future__ import annotations

from cmsmig.richtext.dom import Element, Node, Text


def same_tree(one: Element, other: Element) -> bool:
    """Say whether two trees hold the same elements, attributes and texts.

    Neighbouring texts count as one, comments as nothing.
    """
    stack: list[tuple[Element, Element]] = [(one, other)]
    while stack:
        first, second = stack.pop()
        if first.tag != second.tag or first.attributes != second.attributes:
            return False
        if list(first.attributes) != list(second.attributes):
            return False
        left, right = _joined(first.children), _joined(second.children)
        if len(left) != len(right):
            return False
        for here, there in zip(left, right, strict=True):
            if isinstance(here, Element) and isinstance(there, Element):
                stack.append((here, there))
            elif here is not there and here != there:
                return False
    return True


def _joined(children: list[Node]) -> list[Element | str]:
    joined: list[Element | str] = []
    pieces: list[str] = []
    for child in [*children, None]:
        if isinstance(child, Text):
            pieces.append(child.value)
            continue
        if text := "".join(pieces):
            joined.append(text)
        pieces.clear()
        if child is not None:
            joined.append(child)
    return joined
