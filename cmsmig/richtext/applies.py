"""Where each deviation applies: predicates on the source alone.

A predicate may say yes where nothing comes of it; it never says no where
something does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

from cmsmig.richtext.amended import mail_address, typed
from cmsmig.richtext.attributes import layout_of, link_keeps, means_a_place, width_of
from cmsmig.richtext.collect import Collector
from cmsmig.richtext.dom import Element, Text, walk
from cmsmig.richtext.embeds import addressed
from cmsmig.richtext.frames import is_custom_embed, is_empty
from cmsmig.richtext.parse import parse
from cmsmig.richtext.pictures import RESERVED
from cmsmig.richtext.rules import (
    BLOCK_TAGS,
    IGNORED_TAGS,
    MORE_BLOCK_TAGS,
    RULES,
)
from cmsmig.richtext.shown import Showing
from cmsmig.richtext.stage import DEEPEST, LEVELS, MEDIA, NESTING, RAW_EMBEDS, SPACERS
from cmsmig.richtext.tokenizer import parse_as_official
from cmsmig.richtext.trees import same_tree

_TEXTBLOCKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"))
_BEGIN_AFRESH = _TEXTBLOCKS | {"li", "blockquote"}
_ROWS = frozenset(("table", "thead", "tbody", "tfoot"))
_PASSED_BY = IGNORED_TAGS | {"p"}
_BLANK = " \t\r\n\f"


class Source:
    """A body as both readers see it: a browser, and the official converter."""

    def __init__(self, html: str) -> None:
        self.html = html

    @cached_property
    def read(self) -> Element:
        """The tree that faithful conversion begins with."""
        return parse(self.html)

    @cached_property
    def official(self) -> Element:
        """The tree that the official converter begins with."""
        return parse_as_official(self.html)

    @cached_property
    def alike(self) -> bool:
        """Whether both are the same tree."""
        return same_tree(self.read, self.official)

    @cached_property
    def roots(self) -> tuple[Element, ...]:
        """The trees to look at: both, when they differ."""
        return (self.read,) if self.alike else (self.read, self.official)

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Every element of the trees."""
        return tuple(element for root in self.roots for element in walk(root))

    def any_of(self, holds: Callable[[Element], bool]) -> bool:
        """Say whether something holds for any element."""
        return any(map(holds, self.elements))


Predicate: TypeAlias = "Callable[[Source], bool]"


def markup(source: Source) -> bool:
    """A browser reads other elements than the official's parser does."""
    return not source.alike


def figure(source: Source) -> bool:
    """A picture in a `figure` with a caption, an alignment or a size."""
    return source.any_of(_is_figure)


def linked_image(source: Source) -> bool:
    """A picture in a link."""
    return source.any_of(
        lambda one: one.tag == "img" and any(map(_leads, _around(one)))
    )


def image_source(source: Source) -> bool:
    """A picture whose address is its data, or is in `data-src`."""
    return source.any_of(
        lambda one: (
            one.tag == "img"
            and (
                one.attributes.get("src", "").startswith("data:")
                or (not one.attributes.get("src") and "data-src" in one.attributes)
            )
        )
    )


def reserved_alt(source: Source) -> bool:
    """An alternative text that is one of the origin's marks."""
    return source.any_of(
        lambda one: (
            one.tag == "img" and one.attributes.get("alt", "").strip() in RESERVED
        )
    )


def video(source: Source) -> bool:
    """A frame, a player, or a figure with a video's page."""
    return source.any_of(
        lambda one: (
            one.tag == "iframe"
            or one.tag in MEDIA
            or (one.tag == "figure" and "data-page-url" in one.attributes)
        )
    )


def embed(source: Source) -> bool:
    """A custom embed with its code, a drawing, a plug-in or a map."""
    return source.any_of(
        lambda one: (
            one.tag in RAW_EMBEDS or (is_custom_embed(one) and not is_empty(one))
        )
    )


def component(source: Source) -> bool:
    """An instance of a component of the origin's designer."""
    return source.any_of(lambda one: one.tag == "wf-component")


def blok(source: Source) -> bool:
    """A `div` with `data-blok`."""
    return source.any_of(lambda one: one.tag == "div" and "data-blok" in one.attributes)


def anchor(source: Source) -> bool:
    """An id that no text with a span of its own carries, or a named `a`."""
    showing = Showing()
    return source.any_of(lambda one: _is_place(one, showing))


def blocks_inside(source: Source) -> bool:
    """A block in a paragraph, a heading or code, or first in a list item."""
    return any(_has_block_inside(root) for root in source.roots)


def blocks_apart(source: Source) -> bool:
    """An element that browsers show as a block, and the official does not know."""
    return source.any_of(_is_apart)


def blanks(source: Source) -> bool:
    """A text that begins with a blank, after the end of a block."""
    return any(_has_stray_blank(root) for root in source.roots)


def spacer(source: Source) -> bool:
    """A paragraph, heading or caption that shows nothing."""
    showing = Showing()
    return source.any_of(
        lambda one: (
            one.tag in SPACERS
            and (
                not showing.shows(one)
                or (
                    one.tag == "figcaption"
                    and any(o.tag in SPACERS for o in _around(one))
                )
            )
        )
    )


def values(source: Source) -> bool:
    """An attribute that is read as a value of another type than the schema has."""
    return source.any_of(_is_mistyped)


def mail_link(source: Source) -> bool:
    """A link to a mail address."""
    return source.any_of(
        lambda one: _leads(one) and bool(mail_address(one.attributes["href"]))
    )


def link_attributes(source: Source) -> bool:
    """A link with a class, a style, or an attribute that could run code."""
    return source.any_of(
        lambda one: _leads(one) and not all(map(link_keeps, one.attributes))
    )


def code_in_link(source: Source) -> bool:
    """Code in a link, or a link in code."""
    return source.any_of(
        lambda one: (
            (one.tag == "code" and any(map(_leads, _around(one))))
            or (_leads(one) and any(outer.tag == "code" for outer in _around(one)))
        )
    )


def span(source: Source) -> bool:
    """A `span` with an id and a class."""
    return source.any_of(
        lambda one: (
            one.tag == "span" and "id" in one.attributes and "class" in one.attributes
        )
    )


def nesting(source: Source) -> bool:
    """Lists, quotes and tables in each other, more than the levels that stay."""
    return any(_is_deep(root) for root in source.roots)


def _around(element: Element) -> Iterator[Element]:
    outer = element.parent
    while outer is not None:
        yield outer
        outer = outer.parent


def _leads(element: Element) -> bool:
    return element.tag == "a" and addressed(element.attributes.get("href", ""))


def _is_figure(element: Element) -> bool:
    if element.tag != "figure":
        return False
    pictures = [below for below in walk(element) if below.tag == "img"]
    if not pictures:
        return False
    layout = layout_of(element, Collector())
    return bool(
        layout.alignment
        or layout.size
        or any(map(width_of, pictures))
        or any(below.tag == "figcaption" for below in walk(element))
    )


def _is_place(element: Element, showing: Showing) -> bool:
    given = element.attributes
    if not given:
        return False
    if element.tag == "img":
        return "id" in given
    if element.tag == "a":
        return not _leads(element) and bool(given.get("id") or given.get("name"))
    if element.tag == "span" and showing.shows(element):
        return False
    return means_a_place(given.get("id", ""))


def _is_block(element: Element) -> bool:
    tag = element.tag
    return (
        tag in MORE_BLOCK_TAGS
        or tag in ("img", "iframe", "wf-component", "hr")
        or tag in MEDIA
        or tag in RAW_EMBEDS
        or is_custom_embed(element)
    )


def _has_block_inside(root: Element) -> bool:
    showing = Showing()
    inside: list[tuple[Element, bool]] = [(root, False)]
    while inside:
        element, in_text = inside.pop()
        in_text = in_text or element.tag in _TEXTBLOCKS
        if "pre" in element.attributes.get("style", ""):
            in_text = True  # blanks that are kept make a paragraph
        if element.tag == "li" and _begins_with_block(element, showing):
            return True
        if element.tag in ("ul", "ol") and _takes_in_a_list(element, showing):
            return True
        for child in element.children:
            if isinstance(child, Element):
                if in_text and _is_block(child):
                    return True
                inside.append((child, in_text))
    return False


def _begins_with_block(item: Element, showing: Showing) -> bool:
    for child in _shallow(item):
        if isinstance(child, Text):
            if child.value.strip(_BLANK):
                return False
        elif child.tag == "br" or "data-emoji" in child.attributes:
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


def _takes_in_a_list(outer: Element, showing: Showing) -> bool:
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


def _shallow(item: Element) -> Iterator[Element | Text]:
    """Yield what is in an item, up to the first that makes a node of its own."""
    stack = list(reversed(item.children))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Element) and node.tag not in _PASSED_BY:
            stack.extend(reversed(node.children))


def _is_apart(element: Element) -> bool:
    tag = element.tag
    if tag not in MORE_BLOCK_TAGS or tag in BLOCK_TAGS:
        return False
    outer = element.parent.tag if element.parent is not None else ""
    if tag in ("td", "th"):
        return outer != "tr" or _is_apart_row(element.parent)
    if tag == "tr":
        return _is_apart_row(element)
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


def _has_stray_blank(root: Element) -> bool:
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
        elif node.tag == "br" or "data-emoji" in node.attributes:
            after_block = False
        elif node.tag in IGNORED_TAGS:
            after_block = after_block or _is_block(node)
        else:
            if node.tag in _BEGIN_AFRESH or (
                node.tag in ("td", "th") and not _is_apart(node)
            ):
                after_block = False
            elif _is_block(node):
                after_block = True
            if _is_block(node):
                stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
    return False


def _is_mistyped(element: Element) -> bool:
    for rule in RULES.get(element.tag, ()):
        read = rule.read(element) if element.attributes else None
        if read is not None and json.dumps(read) != json.dumps(
            typed(rule.name, read, element)
        ):
            return True
    return False


def _is_deep(root: Element) -> bool:
    stack = [(root, 0)]
    while stack:
        element, depth = stack.pop()
        if depth >= DEEPEST and element.tag in NESTING:
            return True
        below = depth + (element.tag in LEVELS)
        stack.extend(
            (child, below) for child in element.children if isinstance(child, Element)
        )
    return False
