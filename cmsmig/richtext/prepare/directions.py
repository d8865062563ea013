"""The direction of texts: what a block can hold of it, and what is around blocks."""

from __future__ import annotations

from cmsmig.richtext.html.dom import MORE_BLOCK_TAGS, Element, Node, Text, tag_set

_HOLDERS = tag_set("p h1 h2 h3 h4 h5 h6 blockquote li pre")
"""Elements whose nodes have a direction. Source: the service's types of rich text."""
_AROUND = MORE_BLOCK_TAGS - _HOLDERS
_DIRECTIONS = ("ltr", "rtl", "auto")


def place_directions(root: Element) -> None:
    """Note the direction of each block that can hold one: its own, or that of what is
    around it. Where that is all that an element's `dir` says, nothing is left of it."""
    stack: list[tuple[Node, str]] = [(root, "")]
    while stack:
        node, around = stack.pop()
        if isinstance(node, Text):
            continue
        said = node.attributes.get("dir", "").strip().lower()
        said = said if said in _DIRECTIONS else ""
        if node.tag in _HOLDERS:
            node.direction, around = said or around, ""
        elif node.tag in _AROUND:
            around = said or around
        if said and (node.direction or _holds_blocks_only(node)):
            del node.attributes["dir"]
        stack.extend((child, around) for child in node.children)


def _holds_blocks_only(element: Element) -> bool:
    """Return whether all that an element shows is in blocks with a direction, and
    none of it is placed by the direction, as the columns of a table are."""
    return element.tag in _AROUND - {"table"} and all(
        child.tag in _HOLDERS if isinstance(child, Element) else not child.value.strip()
        for child in element.children
    )
