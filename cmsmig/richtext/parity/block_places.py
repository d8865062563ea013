"""What a source's blocks look like where the official converter spoils them."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.richtext.build.element_rules import IGNORED_TAGS, RULES
from cmsmig.richtext.html.block_tags import BLOCK_TAGS, MORE_BLOCK_TAGS
from cmsmig.richtext.html.dom import Element, Text
from cmsmig.richtext.html.visibility import Visibility
from cmsmig.richtext.prepare.frames import is_custom_embed
from cmsmig.richtext.prepare.stage import MEDIA, RAW_EMBEDS

_TEXTBLOCKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"))
_BEGIN_AFRESH = _TEXTBLOCKS | {"li", "blockquote"}
_ROWS = frozenset(("table", "thead", "tbody", "tfoot"))
_PASSED_BY = IGNORED_TAGS | {"p"}
_BLANK = " \t\r\n\f"


def _is_block(element: Element) -> bool:
    tag = element.tag
    return (
        tag in MORE_BLOCK_TAGS
        or tag in ("img", "iframe", "wf-component", "hr")
        or tag in MEDIA
        or tag in RAW_EMBEDS
        or is_custom_embed(element)
    )


def _is_emoji(element: Element) -> bool:
    given = element.attributes
    if "data-emoji" not in given:
        return False
    return element.tag == "img" or (element.tag == "span" and "id" not in given)


def has_block_inside(root: Element) -> bool:
    """Say whether a block stands in a textblock, or first in a list item."""
    showing = Visibility(kept=True)
    inside: list[tuple[Element, bool]] = [(root, False)]
    while inside:
        element, in_text = inside.pop()
        in_text = in_text or element.tag in _TEXTBLOCKS
        if "pre" in element.attributes.get("style", ""):
            in_text = True  # blanks that are kept make a paragraph
        if element.tag == "li" and _begins_with_block(element, showing):
            return True
        if _is_stray(element):
            return True
        if element.tag in ("ul", "ol") and (
            _takes_in_a_list(element, showing) or _makes_items(element)
        ):
            return True
        for child in element.children:
            if isinstance(child, Element):
                if in_text and _is_block(child):
                    return True
                inside.append((child, in_text))
    return False


def _begins_with_block(item: Element, showing: Visibility) -> bool:
    for child in _shallow(item):
        if isinstance(child, Text):
            if child.value.strip(_BLANK):
                return False
        elif child.tag == "br" or _is_emoji(child):
            return False
        elif child.tag == "p":
            if showing.shows(child):
                return False
        elif _is_block(child) and (
            child.tag in RULES
            or child.tag not in BLOCK_TAGS
            or is_custom_embed(child)
            or "data-page-url" in child.attributes
        ):
            return True
    return False


def _takes_in_a_list(outer: Element, showing: Visibility) -> bool:
    """Say whether a list between items becomes the first thing in one."""
    item: Element | None = None
    for child in outer.children:
        if isinstance(child, Element):
            if child.tag in ("ul", "ol"):
                if item is not None and not showing.shows(item):
                    return True
            else:
                item = child if child.tag == "li" else None
    return False


def _is_stray(element: Element) -> bool:
    """Say whether a list or table is made for a part of one that stands alone."""
    tag, outer = element.tag, element.parent.tag if element.parent is not None else ""
    if tag == "li":
        return outer not in ("ul", "ol")
    if tag in ("td", "th"):
        return outer != "tr" or _is_apart_row(element.parent)
    return tag == "tr" and _is_apart_row(element)


def _makes_items(outer: Element) -> bool:
    """Say whether something else than an item may begin one with a block."""
    return any(
        isinstance(child, Element)
        and child.tag not in ("li", "ul", "ol")
        and (_is_block(child) or any(isinstance(e, Element) for e in child.children))
        for child in outer.children
    )


def _shallow(item: Element) -> Iterator[Element | Text]:
    """Yield what is in an item, up to the first that makes a node of its own."""
    stack = list(reversed(item.children))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Element) and node.tag not in _PASSED_BY:
            stack.extend(reversed(node.children))


def is_apart(element: Element) -> bool:
    """Say whether browsers alone show an element as a block, where it stands."""
    tag = element.tag
    if tag not in MORE_BLOCK_TAGS or tag in BLOCK_TAGS:
        return False
    outer = element.parent.tag if element.parent is not None else ""
    if tag in ("td", "th", "tr"):
        return _is_stray(element)
    if tag in ("tbody", "thead") and outer == "table":
        return any(
            child.value.strip(_BLANK) != ""
            if isinstance(child, Text)
            else child.tag != "tr"
            for child in element.children
        )
    return True


def _is_apart_row(row: Element | None) -> bool:
    outer = row.parent.tag if row is not None and row.parent is not None else ""
    return outer not in _ROWS


def has_stray_blank(root: Element) -> bool:
    """Say whether a text after a block begins with a blank."""
    after_block = False
    stack: list[tuple[Element | Text, bool]] = [
        (child, False) for child in reversed(root.children)
    ]
    while stack:
        node, ending = stack.pop()
        if isinstance(node, Text):
            if not node.value.strip(_BLANK):
                continue
            if after_block and node.value[0] in _BLANK:
                return True
            after_block = False
        elif ending:
            after_block = True
        elif node.tag == "br" or _is_emoji(node):
            after_block = False
        elif node.tag in IGNORED_TAGS:
            after_block = after_block or _is_block(node)
        else:
            if node.tag in _BEGIN_AFRESH or (
                node.tag in ("td", "th") and not is_apart(node)
            ):
                after_block = False
            elif _is_block(node):
                after_block = True
            if _is_block(node):
                stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
    return False
