"""The direction of texts: what a block can hold of it, and what is around blocks; and
the alignment that pictures and frames have from what is around them."""

from __future__ import annotations

from cmsmig.richtext.html.dom import MORE_BLOCK_TAGS, Element, Node, Text, tag_set
from cmsmig.richtext.html.inline_style import declarations, looks

_HOLDERS = tag_set("p h1 h2 h3 h4 h5 h6 blockquote li pre")
"""Elements whose nodes have a direction. Source: the service's types of rich text."""
_AROUND = MORE_BLOCK_TAGS - _HOLDERS
_PLACING = tag_set("table figure")
"""Elements that place more than texts by their direction, such as columns."""
_DIRECTIONS = ("ltr", "rtl", "auto")


def place_directions(root: Element) -> None:
    """Note the direction of each block that can hold one: its own, or that of what is
    around it; and of other elements, for the paragraphs that their texts become. Where
    a direction has found its place, nothing is left of it in the element."""
    stack: list[tuple[Node, str]] = [(root, "")]
    while stack:
        node, around = stack.pop()
        if isinstance(node, Text):
            continue
        said = _said(node)
        if node.tag in _HOLDERS:
            node.direction, around = said or around, ""
        else:
            around = said if said and node.tag in _AROUND else around
            node.direction = around
        if said and said == node.direction and node.tag not in _PLACING:
            _take_away(node)
        stack.extend((child, around) for child in node.children)


def _said(element: Element) -> str:
    """Return the direction that an element's style or attribute says, or empty."""
    given = element.attributes
    if not given:
        return ""
    styled = looks(given["style"]).get("direction", "") if "style" in given else ""
    said = (styled, given.get("dir", "").strip().lower())
    return next((each for each in said if each in _DIRECTIONS), "")


def _take_away(element: Element) -> None:
    given = element.attributes
    if given.get("dir", "").strip().lower() in _DIRECTIONS:
        del given["dir"]
    left = declarations(given.get("style", ""))
    if any(name.lower() == "direction" for name in left):
        given["style"] = "; ".join(
            f"{name}: {value}"
            for name, value in left.items()
            if name.lower() != "direction"
        )


_APART = tag_set("figure table td th")
"""Elements that list their own alignment, and in which none from outside counts."""
_MOVING = {
    "center": "center",
    "-webkit-center": "center",
    "right": "right",
    "-webkit-right": "right",
    "end": "right",
}
"""What moves a picture from where it is without; left and the rest do not."""


def alignment_in(element: Element, around: str) -> str:
    """Return how a picture in an element is aligned, or empty. `around`: how it is
    around the element."""
    if element.tag in _APART:
        return ""
    given = element.attributes
    said = looks(given["style"]).get("text-align") if "style" in given else None
    if said is None:
        said = "center" if element.tag == "center" else given.get("align", "inherit")
    value = said.strip().lower()
    return around if value in ("inherit", "unset") else _MOVING.get(value, "")
