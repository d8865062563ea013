"""Where each deviation applies: predicates on the source alone.

A predicate may say yes where nothing comes of it; it never says no where
something does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

from cmsmig.richtext.build.attributes import (
    has_empty_id,
    is_anchor,
    link_keeps,
    window_of,
)
from cmsmig.richtext.build.element_rules import RULES
from cmsmig.richtext.build.rule_overrides import mail_address, typed
from cmsmig.richtext.html.dom import Element, walk
from cmsmig.richtext.html.invisible import unseen_in
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.html.sizes import width_of
from cmsmig.richtext.html.tokenizer import parse_as_official
from cmsmig.richtext.html.visibility import Visibility
from cmsmig.richtext.parity.block_places import (
    has_block_inside,
    has_stray_blank,
    is_apart,
)
from cmsmig.richtext.parity.tree_comparison import same_tree
from cmsmig.richtext.prepare.embeds import addressed
from cmsmig.richtext.prepare.figure_layout import layout_of
from cmsmig.richtext.prepare.frames import is_custom_embed, is_empty
from cmsmig.richtext.prepare.left_out import source_role
from cmsmig.richtext.prepare.pictures import RESERVED
from cmsmig.richtext.prepare.stage import (
    DEEPEST,
    LEVELS,
    MEDIA,
    NESTING,
    RAW_EMBEDS,
    SPACERS,
)
from cmsmig.richtext.prepare.table_parts import has_moved_parts


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
        return same_tree(self.read, self.official, _is_cut_out)

    @cached_property
    def roots(self) -> tuple[Element, ...]:
        """The trees to look at: both, when they differ."""
        return (self.read,) if self.alike else (self.read, self.official)

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Every element of the trees."""
        return tuple(element for root in self.roots for element in walk(root))

    @cached_property
    def unseen(self) -> frozenset[bool]:
        """Whether something between blocks (False) or items (True) shows nothing."""
        return frozenset(
            found.listed
            for root in self.roots
            for found in unseen_in(root, source_role, sure=False)
        )

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
    showing = Visibility()
    return source.any_of(lambda one: _is_place(one, showing))


def blocks_inside(source: Source) -> bool:
    """A block in a paragraph, a heading or code, or first in a list item."""
    return any(has_block_inside(root) for root in source.roots)


def blocks_apart(source: Source) -> bool:
    """An element that browsers show as a block, and the official does not know."""
    return source.any_of(is_apart)


def blanks(source: Source) -> bool:
    """A text that begins with a blank, after the end of a block."""
    return any(has_stray_blank(root) for root in source.roots)


def spacer(source: Source) -> bool:
    """A paragraph, heading, caption or text between blocks that shows nothing."""
    showing = Visibility(kept=True)
    return False in source.unseen or source.any_of(
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


def list_blanks(source: Source) -> bool:
    """A list without items, or with something between them that shows nothing."""
    # A child that is no item may show nothing once it is converted: a frame without
    # an address, say.
    return True in source.unseen or source.any_of(_has_other_than_items)


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


def empty_id(source: Source) -> bool:
    """A link with an empty id."""
    return source.any_of(lambda one: _leads(one) and has_empty_id(one))


def link_target(source: Source) -> bool:
    """A link with a target that is none of a browser's four."""
    return source.any_of(
        lambda one: (
            _leads(one)
            and window_of(one.attributes.get("target", ""))
            != one.attributes.get("target", "")
        )
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


def table_parts(source: Source) -> bool:
    """A table with a caption, or with a foot above its rows."""
    return source.any_of(lambda one: one.tag == "table" and has_moved_parts(one))


def nesting(source: Source) -> bool:
    """Lists, quotes and tables in each other, more than the levels that stay."""
    return any(_is_deep(root) for root in source.roots)


def _is_cut_out(element: Element) -> bool:
    """Say whether raw HTML is made of an element's source."""
    tag = element.tag
    return (
        tag in ("iframe", "wf-component")
        or tag in MEDIA
        or tag in RAW_EMBEDS
        or (tag == "figure" and "data-page-url" in element.attributes)
        or is_custom_embed(element)
    )


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
    layout = layout_of(element)
    return bool(
        layout.alignment
        or layout.size
        or any(map(width_of, pictures))
        or any(below.tag == "figcaption" for below in walk(element))
    )


def _is_place(element: Element, showing: Visibility) -> bool:
    given = element.attributes
    if not given:
        return False
    if element.tag == "img":
        return "id" in given
    if element.tag == "a":
        return not _leads(element) and bool(given.get("id") or given.get("name"))
    if element.tag == "span" and showing.shows(element):
        return False
    return is_anchor(given.get("id", ""))


def _is_mistyped(element: Element) -> bool:
    for rule in RULES.get(element.tag, ()):
        read = rule.read(element) if element.attributes else None
        if read is not None and json.dumps(read) != json.dumps(
            typed(rule.name, read, element)
        ):
            return True
    return False


def _has_other_than_items(element: Element) -> bool:
    return element.tag in ("ul", "ol") and any(
        isinstance(child, Element) and child.tag != "li" for child in element.children
    )


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
