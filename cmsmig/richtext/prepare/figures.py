"""Figures: which pictures, videos and captions belong together.

Spec: import rule 5, rich text structures in origin HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from cmsmig.richtext.build.attributes import width_of
from cmsmig.richtext.build.element_rules import RULES
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, Node, Text, tag_set
from cmsmig.richtext.html.visibility import HIDDEN, INVISIBLE, SHOWN, is_widget
from cmsmig.richtext.policy import Treatment
from cmsmig.richtext.prepare.embeds import (
    MEDIA,
    PLAYERS,
    Embeds,
    Found,
    clean_address,
    first_address,
    is_custom_embed,
    oembed_page,
)
from cmsmig.richtext.prepare.pictures import Layout, Pictures, layout_of, lose_layout

_RAW = tag_set("svg math canvas object embed map wf-component")
_BLANKS = re.compile(r"[ \t\r\n\f]+")


class _Kind(Enum):
    PICTURE = auto()
    FRAME = auto()
    PLAYER = auto()
    RAW = auto()
    """What is kept as HTML."""
    CAPTION = auto()
    OTHER = auto()


@dataclass(slots=True)
class _Part:
    """One thing that a figure shows."""

    kind: _Kind
    element: Element
    link: Element | None = None
    """The link around a picture."""
    caption: Element | None = None
    page: str = ""
    """Of a frame, the page that it says it shows."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """What of a figure is kept with its video."""

    whole: bool = False
    """All of it is raw HTML."""
    tagged: bool = False
    """Its start tag is, or is a loss with the video."""
    shape: str = ""


class Figures:
    """Ties the captions of one body's figures to what they are captions of."""

    def __init__(self, embeds: Embeds, pictures: Pictures) -> None:
        self._embeds = embeds
        self._pictures = pictures
        self._showing = embeds.losses.showing

    def work(
        self, figure: Element, link: Element | None, around: str, *, captioned: bool
    ) -> None:
        """Put components in the place of a figure's pictures and its video.

        `link` is the one around the figure, and `around` the alignment there.
        `captioned`: the figure is in a caption
        itself, and a caption has no captions.
        """
        layout = layout_of(figure)
        layout = replace(layout, alignment=layout.alignment or around)
        page = figure.attributes.get("data-page-url", "").strip()
        parts = list(self._parts(figure, link))
        video = self._video_of(figure, parts, page)
        if not captioned:
            _tie(parts)
        placed = _Placed()
        if video is not None:
            placed = self._place_video(video, figure, page, layout.shape)
        if placed.whole:
            return
        for part in parts:
            if part is not video and part.caption is not None:
                if part.kind is _Kind.RAW:
                    self._taken(part.caption, Treatment.HTML)
                self._place_player(part.element, part.caption)
        pictures = [
            part for part in parts if not captioned and part.kind is _Kind.PICTURE
        ]
        if pictures and not self._embeds.policy.keeps("figure"):
            pictures = []
        for part in pictures:
            self._place_picture(part, figure, layout)
        if not placed.tagged:
            kept = replace(layout if pictures else Layout(), shape=placed.shape)
            lose_layout(layout, figure, self._embeds.losses, kept=kept)

    def _parts(self, figure: Element, link: Element | None) -> Iterator[_Part]:
        """Yield what a figure shows, in order; not what captions show."""
        stack: list[tuple[Node, Element, Element | None]] = [
            (child, figure, link) for child in reversed(figure.children)
        ]
        while stack:
            node, parent, around = stack.pop()
            if isinstance(node, Text):
                if node.value.strip(INVISIBLE):
                    yield _Part(_Kind.OTHER, parent)
                continue
            if node.tag == "figcaption":
                if self._showing.shows(node):
                    yield _Part(_Kind.CAPTION, node)
            elif node.tag == "img" and "data-emoji" not in node.attributes:
                if self._pictures.address(node):
                    yield _Part(_Kind.PICTURE, node, around)
            elif node.tag == "iframe":
                yield _Part(_Kind.FRAME, node)
            elif page := oembed_page(node):
                yield _Part(_Kind.FRAME, node, page=page)
            elif node.tag in MEDIA:
                yield _Part(_Kind.PLAYER, node)
            elif self._is_raw(node):
                yield _Part(_Kind.RAW, node)
            elif (
                node.tag in SHOWN - {"picture"}
                or node.tag == "figure"
                or "data-emoji" in node.attributes
            ):
                yield _Part(_Kind.OTHER, node)
            elif node.tag not in HIDDEN:
                inner = node if node.tag == "a" else around
                stack.extend((child, node, inner) for child in reversed(node.children))

    def _is_raw(self, element: Element) -> bool:
        if element.tag in _RAW or is_custom_embed(element):
            return True
        return is_widget(element) and not self._showing.shows(element)

    def _video_of(self, figure: Element, parts: list[_Part], page: str) -> _Part | None:
        """Return the frame of a video; one is made up when there is only a page."""
        frame = next((part for part in parts if part.kind is _Kind.FRAME), None)
        if frame is None and page:
            made = Element("iframe", {}, figure.start)
            made.parent = figure
            figure.children.insert(0, made)
            frame = _Part(_Kind.FRAME, made)
            parts.insert(0, frame)
        return frame

    def _place_video(
        self, part: _Part, figure: Element, page: str, shape: str
    ) -> _Placed:
        self._embeds.losses.deviates(Deviation.VIDEO)
        frame = part.element
        own = first_address(frame)
        url = clean_address(page or part.page or own)
        treatment = self._embeds.choice(Found("video", figure, url, ""))
        made_up = frame.start == frame.end
        if made_up and treatment is Treatment.HTML:
            html = self._embeds.html_of(figure)
            found = Found("video", figure, url, html)
            figure.children = list(self._embeds.node(found, treatment))
            return _Placed(whole=True)
        html = "" if made_up else self._embeds.html_of(frame)
        tagged = bool(page) and treatment is not Treatment.COMPONENT
        if tagged:
            html = self._embeds.html_around(figure, html)
        title = frame.attributes.get("title", "").strip()
        text = self._taken(part.caption, treatment)
        found = Found("video", frame, url, html, title, text, own, shape)
        _replace(frame, self._embeds.node(found, treatment))
        kept = treatment is Treatment.COMPONENT and self._embeds.keeps("shape")
        return _Placed(tagged=tagged, shape=shape if kept else "")

    def _place_player(self, player: Element, caption: Element) -> None:
        if player.tag not in PLAYERS:
            return
        self._embeds.losses.deviates(Deviation.VIDEO)
        found = self._embeds.found(player)
        text = self._taken(caption, self._embeds.choice(found))
        _replace(player, self._embeds.node(replace(found, caption=text)))

    def _taken(self, caption: Element | None, treatment: Treatment) -> str:
        """Return the text of a caption that goes with its video. Another one stays
        where it is, and is listed where the video does."""
        if caption is None or treatment in (Treatment.LINK, Treatment.DROP):
            return ""
        text = _plain(caption) if treatment is Treatment.COMPONENT else ""
        if text:
            caption.children = []
        else:
            self._embeds.losses.lose("caption", "<figcaption>", caption)
        return text

    def _place_picture(self, part: _Part, figure: Element, layout: Layout) -> None:
        size = layout.size or width_of(part.element)
        if part.caption is None and not layout.alignment and not size:
            return
        caption = None if part.caption is None else _taken_out(part.caption, figure)
        whole = Layout(layout.alignment, size)
        made = self._pictures.component(part.element, part.link, whole, caption)
        if made is not None:
            made.inner_start = figure.start
            _replace(part.element, [made])


_CAPTIONED = (_Kind.PICTURE, _Kind.FRAME, _Kind.PLAYER, _Kind.RAW)


def _tie(parts: list[_Part]) -> None:
    """Give each caption to the picture or video before it, else after it."""
    for index, part in enumerate(parts):
        if part.kind is not _Kind.CAPTION:
            continue
        around = [*parts[max(index - 1, 0) : index], *parts[index + 1 : index + 2]]
        for near in sorted(around, key=lambda each: each.kind is _Kind.RAW):
            if near.kind in _CAPTIONED and near.caption is None:
                near.caption = part.element
                break


def _plain(caption: Element) -> str:
    """Return a caption's text, or empty when it is more than a text."""
    pieces: list[str] = []
    for child in caption.children:
        if isinstance(child, Text):
            pieces.append(child.value)
        elif child.tag == "br" and not child.attributes:
            pieces.append(" ")
        else:
            return ""
    if caption.attributes.get("id"):
        return ""
    return _BLANKS.sub(" ", "".join(pieces)).strip(" ")


def _taken_out(caption: Element, figure: Element) -> Element:
    """Return a caption with the links and marks of its figure that are around it.

    It keeps its parent, so that what is lost in it is found where it was.
    """
    around = caption.parent
    _replace(caption, [])
    taken = caption
    while around is not None and around is not figure:
        if any(rule.mark for rule in RULES.get(around.tag, ())):
            again = Element(around.tag, dict(around.attributes), around.start)
            again.parent, again.nth = around.parent, around.nth
            again.reopened = True
            again.children.append(taken)
            taken = again
        around = around.parent
    return taken


def _replace(element: Element, nodes: Sequence[Element]) -> None:
    """Put others in the place of an element."""
    parent = element.parent
    if parent is None:
        return
    at = next(i for i, child in enumerate(parent.children) if child is element)
    parent.children[at : at + 1] = nodes
    for node in nodes:
        node.parent = parent
