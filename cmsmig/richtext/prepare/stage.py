"""The HTML stage: recognises what the origin's editors make and rewrites
addresses, before anything is converted. Spec: import rule 5, rich text
structures in origin HTML.

It knows three dialects: the API's (`data-rt-*`), the published page's
(`w-richtext-*`, `w-embed`) and whatever importers have stored. What has no
place in a document is recorded; the tree changes only where a deviation or a
file's new address requires it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from cmsmig.richtext.build.attribute_deviations import deviations_of
from cmsmig.richtext.build.attributes import account
from cmsmig.richtext.build.element_rules import RULES
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.html.dom import Element, Node, Text, tag_set, text_of, walk
from cmsmig.richtext.html.picture_source import SOURCE_SETS
from cmsmig.richtext.html.visibility import (
    HIDDEN,
    LINED,
    SHOWN,
    is_outdone,
    is_unshown,
)
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.richtext.prepare.directions import alignment_in, place_directions
from cmsmig.richtext.prepare.drawn_marks import DRAWN, MARKED, write_marks
from cmsmig.richtext.prepare.embeds import (
    PLAYERS,
    Embeds,
    is_custom_embed,
    is_empty,
)
from cmsmig.richtext.prepare.figures import Figures
from cmsmig.richtext.prepare.links import Links
from cmsmig.richtext.prepare.pictures import Pictures, show_late_pictures
from cmsmig.richtext.prepare.table_parts import (
    cut_spans,
    cut_stray_spans,
    leave_blank_row,
    leave_blank_rows,
    lower_feet,
    taken_out_captions,
)
from cmsmig.richtext.prepare.widgets import Widgets

DEEPEST = 16
"""Levels of lists, quotes and tables that are kept: a level is four of JSON, and
readers of JSON refuse what nests deeper than a hundred."""

NESTING = tag_set(
    "ul ol li blockquote table thead tbody tfoot tr td th caption figure figcaption pre"
)
_TABLE_PARTS = tag_set("table thead tbody tfoot tr")
HEADINGS = tag_set("h1 h2 h3 h4 h5 h6")
LEVELS = tag_set("ul ol blockquote table figure figcaption pre")
CONTROLS = tag_set("input select textarea progress meter datalist")
RAW_EMBEDS = tag_set("svg math canvas object embed applet map")
_LOST = {
    **dict.fromkeys(tag_set("base param track area object"), "dropped"),
    "noscript": "noscript",
    **dict.fromkeys(tag_set("meta link title head"), "head"),
    "style": "style-sheet",
    "script": "script",
    "cms:comment": "comment",
}
"""Elements that leave nothing in a document, and as what they are listed."""
_MACHINES = "application/ld+json"
"""The type of scripts that hold data for search engines. Source: the HTML standard,
scripting, data blocks."""
_PLAIN = {DRAWN} | tag_set(
    "body div section article main nav header footer aside figure figcaption span "
    "hgroup thead tbody tfoot picture colgroup col wbr caption cms:blok"
)
"""Elements without a rule that show nothing of their own."""

Handler: TypeAlias = "Callable[[Element], Sequence[Node] | None]"
"""Returns what replaces an element; None: it stays unchanged."""


class Stage:
    """Works one body over. `custom` is asked first about every element."""

    def __init__(
        self,
        source: str,
        policy: EmbedPolicy,
        assets: AssetLookup,
        losses: Collector,
        custom: Handler | None = None,
    ) -> None:
        self._source = source
        self._losses = losses
        self._custom = custom
        self._embeds = Embeds(source, policy, assets, losses)
        self.links = Links(source, assets, losses)
        self.pictures = Pictures(self._embeds)
        self.widgets = Widgets(self._embeds)
        self._figures = Figures(self._embeds, self.pictures)
        self._handlers = self._handled()
        self._link: Element | None = None
        self._empty_until = 0
        """Where the last element ends that is listed as empty, with all in it."""
        self._captioned = False
        self._aligned = ""
        """How what is around aligns a picture."""
        self._lined = False
        """Whether a paragraph is a line here, of a heading or of code."""

    def work(self, root: Element) -> None:
        """Rewrite the tree below `root` in place."""
        tags = {each.tag for each in walk(root)}  # most bodies have none of these
        if "img" in tags:
            show_late_pictures(root, self._losses)
        if not tags.isdisjoint(MARKED):
            write_marks(root, self._losses)
        place_directions(root)
        stack: list[tuple[Element, Element | None, int, bool, bool, str]] = [
            (root, None, 0, False, False, "")
        ]
        while stack:
            parent, self._link, depth, captioned, lined, around = stack.pop()
            self._captioned, self._lined, self._aligned = captioned, lined, around
            children: list[Node] = []
            for child in parent.children:
                if isinstance(child, Text) or child.payload is not None:
                    children.append(child)
                    continue
                made = self._staged(child, depth)
                if made is None:
                    children.append(child)
                else:
                    children.extend(made)
            parent.children = children
            for node in reversed(children):
                if isinstance(node, Element) and _holds_elements(node):
                    link = node if node.tag == "a" else self._link
                    level = depth + _is_level(node)
                    below = captioned or node.payload is not None
                    line = node.tag in LINED or (lined and node.tag not in NESTING)
                    aligned = alignment_in(node, around)
                    stack.append((node, link, level, below, line, aligned))

    def _handled(self) -> dict[str, Handler]:
        return {
            "figure": self._figure,
            "a": self.links.work,
            "img": self._image,
            "pre": self._code_block,
            "source": self._source_set,
            "span": self._span,
            **dict.fromkeys(CONTROLS, self._control),
            **dict.fromkeys(_LOST, self._lost),
            **dict.fromkeys(PLAYERS, self._player),
            **dict.fromkeys(RAW_EMBEDS, self._raw_embed),
            "table": self._table,
            **dict.fromkeys(("tr", "td", "th"), self._table_part),
            "wf-component": self._instance,
        }

    def _staged(self, element: Element, depth: int) -> Sequence[Node] | None:
        tag = element.tag
        if self._custom is not None:
            made = self._custom(element)
            if made is not None:
                return made
        given = element.attributes
        if given and is_custom_embed(element):
            if element.start < self._empty_until or is_empty(element):
                self._lost_empty("empty-embed", element)
                return None
            self._losses.deviates(Deviation.EMBED)
            return self._embeds.custom_embed(element)
        if (made := self.widgets.block(element)) is not None:
            self._lose_alignment(element)
            return made
        self.widgets.note_sign(element, self._link)
        for name in deviations_of(element):
            self._losses.deviates(name)
        if depth >= DEEPEST and tag in NESTING:
            self._losses.deviates(Deviation.NESTING)
            self._losses.lose("nesting", f"<{tag}>", element)
            element.tag = tag = "div"
        if tag == "p" and self._lined:
            self._losses.deviates(Deviation.BLOCKS_INSIDE)
            element.tag = tag = "section"  # no rule reads its attributes
        if tag in HEADINGS and not self._losses.showing.shows(element):
            # As a paragraph it is left out, and does not end a list before.
            element.tag = tag if is_outdone(element) else "p"
        handler = self._handlers.get(tag)
        if handler is not None:
            return handler(element)
        if tag not in RULES and tag not in _PLAIN:
            kind = "hidden" if is_unshown(element) else "element"
            self._losses.lose(kind, f"<{tag}>", element)
        if given:
            account(element, self._losses)
        if tag in LINED and is_outdone(element):
            self._losses.lose("element", f"<{tag}>", element)
        return None

    def _figure(self, element: Element) -> None:
        around = self._aligned
        self._figures.work(element, self._link, around, captioned=self._captioned)

    def _image(self, element: Element) -> Sequence[Node] | None:
        if "data-emoji" in element.attributes:
            return None
        made = self.pictures.place(element, self._link, self._aligned)
        return None if made is element else (made,)

    def _instance(self, element: Element) -> Sequence[Node]:
        self._losses.deviates(Deviation.COMPONENT)
        return self._embeds.whole("component", element)

    def _player(self, element: Element) -> Sequence[Node]:
        self._losses.deviates(Deviation.VIDEO)
        self._lose_alignment(element)
        return self._embeds.player(element)

    def _lose_alignment(self, element: Element) -> None:
        if self._aligned:
            self._losses.lose("alignment", self._aligned, element)

    def _raw_embed(self, element: Element) -> Sequence[Node]:
        self._losses.deviates(Deviation.EMBED)
        self._lose_alignment(element)
        return self._embeds.whole("embed", element)

    def _source_set(self, element: Element) -> None:
        given = element.attributes
        listed = (given[name] for name in (*SOURCE_SETS, "src") if name in given)
        self._losses.lose("source-set", next(listed, ""), element)

    def _table(self, element: Element) -> Sequence[Node]:
        """Return a table behind its captions, its foot below its rows; rows without
        cells are none, and cells are as wide and as long as a page shows them."""
        account(element, self._losses)
        captions = taken_out_captions(element)
        if lower_feet(element) or captions:
            self._losses.deviates(Deviation.TABLE_PARTS)
        for caption in captions:
            account(caption, self._losses)
            caption.tag = "div"
        leave_blank_rows(element, self._losses)
        cut_spans(element, self._losses)
        return (*captions, element)

    def _table_part(self, element: Element) -> None:
        cut_stray_spans(element, self._losses)
        if element.tag == "tr":
            leave_blank_row(element, self._losses)
        account(element, self._losses)

    # Code, and what is left out

    def _span(self, element: Element) -> None:
        given = element.attributes
        account(element, self._losses)
        if "data-emoji" not in given or "id" in given:
            return  # with an id it is a place to jump to, and its text stays
        shown = self._hidden_by_emoji(element).strip(" \t\r\n\f")
        if shown and shown != given["data-emoji"].strip():
            self._losses.lose("text", shown, element)

    def _hidden_by_emoji(self, emoji: Element) -> str:
        """Record what an emoji has no place for, but its text, which is returned."""
        pieces: list[str] = []
        stack: list[Node] = list(reversed(emoji.children))
        while stack:
            node = stack.pop()
            if isinstance(node, Text):
                pieces.append(node.value)
            elif node.tag in SHOWN or node.tag in HIDDEN or is_custom_embed(node):
                self._lost_whole("dropped", node)
            else:
                if node.tag == "a":
                    self.links.note(node)
                account(node, self._losses)
                if name := node.attributes.get("id"):
                    self._losses.lose("anchor", name, node)
                stack.extend(reversed(node.children))
        emoji.children = []
        return "".join(pieces)

    def _code_block(self, element: Element) -> None:
        listed = element.start < self._empty_until
        if listed or not (self._losses.showing.shows(element) or text_of(element)):
            self._lost_empty("empty-code", element)
        account(element, self._losses)

    def _control(self, element: Element) -> None:
        what = self._source[element.start : element.inner_start or element.end]
        self._losses.lose("form-control", what, element)

    def _lost(self, element: Element) -> None:
        styles = "stylesheet" in element.attributes.get("rel", "").lower()
        kind = "style-sheet" if styles else _LOST[element.tag]
        if element.attributes.get("type", "").strip().lower() == _MACHINES:
            kind = "machine-data"
        self._lost_whole(kind, element)
        if element.tag in HIDDEN:
            element.children = []

    def _lost_empty(self, kind: str, element: Element) -> None:
        """Record an empty element, but none in another one: that names all in it."""
        if element.start >= self._empty_until:
            self._lost_whole(kind, element)
            self._empty_until = element.end

    def _lost_whole(self, kind: str, element: Element) -> None:
        self._losses.lose(kind, self._source[element.start : element.end], element)


def _is_level(element: Element) -> bool:
    """Return whether an element is one level deeper: a cell or row outside of a table
    becomes a table."""
    around = element.parent.tag if element.parent is not None else ""
    stray = element.tag in ("td", "th", "tr") and around not in _TABLE_PARTS
    return element.tag in LEVELS or stray


def _holds_elements(element: Element) -> bool:
    """Return whether an element may hold more than one text."""
    children = element.children
    return len(children) > 1 or (bool(children) and isinstance(children[0], Element))
