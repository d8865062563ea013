"""Compares two trees of one body."""

from __future__ import annotations

from collections.abc import Callable

from cmsmig.richtext.html.dom import Element, Node, Text, walk


def same_tree(one: Element, other: Element, cut_out: Callable[[Element], bool]) -> bool:
    """Say whether two trees hold the same elements, attributes and texts.

    Comments count as nothing, neighbouring texts as one, but where a name waits for
    a text of its own. What is `cut_out` of the source has to end at the same place.
    """
    joined = not any({"id", "name"} & each.attributes.keys() for each in walk(one))
    stack: list[tuple[Element, Element]] = [(one, other)]
    while stack:
        first, second = stack.pop()
        if first.tag != second.tag or first.attributes != second.attributes:
            return False
        if list(first.attributes) != list(second.attributes):
            return False
        if cut_out(first) and _range(first) != _range(second):
            return False
        left = _contents(first.children, joined=joined)
        right = _contents(second.children, joined=joined)
        if len(left) != len(right):
            return False
        for here, there in zip(left, right, strict=True):
            if isinstance(here, Element) and isinstance(there, Element):
                stack.append((here, there))
            elif here is not there and here != there:
                return False
    return True


def _range(element: Element) -> tuple[int, int, int, int]:
    return element.start, element.inner_start, element.inner_end, element.end


def _contents(children: list[Node], *, joined: bool) -> list[Element | str]:
    if joined:
        return _joined(children)
    return [each.value if isinstance(each, Text) else each for each in children]


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
