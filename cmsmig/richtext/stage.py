"""The HTML stage: recognises what the origin's editors make and rewrites
addresses, before anything is converted. Spec: import rule 5, rich text
structures in origin HTML.

It knows three dialects: the API's (`data-rt-*`), the published page's
(`w-richtext-*`, `w-embed`) and whatever importers have stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cmsmig.richtext.attributes import (
    figure_layout,
    strip_attributes,
)
from cmsmig.richtext.collect import Collector
from cmsmig.richtext.dom import Element, Node, Text, find, tag_set, text_of, walk
from cmsmig.richtext.embeds import Embeds, Found
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.pictures import Pictures
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.rules import RULES, link_allowed

DEEPEST = 16
"""Levels of lists, quotes and tables that are kept; services and JSON readers
refuse documents that nest without bound."""
INVISIBLE = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""A paragraph of nothing else is a spacer."""

_CONTAINERS = tag_set(
    "ul ol li blockquote table thead tbody tfoot tr td th caption figure figcaption pre"
)
_LEVELS = tag_set("ul ol blockquote table figure figcaption pre")
_SHOWN = tag_set(
    "img iframe video audio hr input select textarea svg canvas object embed "
    "wf-component script style picture form button table"
)
"""Elements that show something, or are a loss of their own, without a text."""
_EMBED_MARKS = frozenset(("data-rt-embed-type", "data-emoji"))
_SPACERS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6"))
_SCRIPTS = frozenset(("script", "style"))
_DROPPED = frozenset(("head", "title", "noscript", "template", "meta", "link", "base"))
_CONTROLS = frozenset(("input", "select", "textarea", "progress", "meter", "datalist"))
_RAW_EMBEDS = frozenset(("svg", "math", "canvas", "object", "embed", "applet", "map"))
_PLAIN = tag_set(
    "body div section article main nav header footer aside figure figcaption span "
    "hgroup thead tbody tfoot picture colgroup col wbr caption"
)
"""Elements without a rule whose passing nobody would miss."""

_Handler: TypeAlias = "Callable[[Stage, Element], list[Node]]"


class Stage:
    """Works one body over."""

    def __init__(
        self,
        source: str,
        policy: EmbedPolicy,
        assets: AssetLookup,
        losses: Collector,
    ) -> None:
        self._losses = losses
        self._assets = assets
        self._embeds = Embeds(source, policy, assets, losses)
        self._pictures = Pictures(self._embeds, assets, losses)
        self._filled: set[int] = set()
        self._linking: set[int] = set()
        self._link: Element | None = None
        self._source = source

    def work(self, root: Element) -> None:
        """Rewrite the tree below `root` in place."""
        self._filled, self._linking = survey(root)
        stack: list[tuple[Element, Element | None, int]] = [(root, None, 0)]
        while stack:
            parent, self._link, depth = stack.pop()
            children: list[Node] = []
            for child in parent.children:
                if isinstance(child, Text):
                    children.append(child)
                else:
                    children.extend(self._staged(child, depth))
            parent.children = children
            for node in reversed(children):
                if isinstance(node, Element) and node.payload is None:
                    link = node if node.tag == "a" else self._link
                    level = depth + (node.tag in _LEVELS)
                    stack.append((node, link, level))

    def _staged(self, element: Element, depth: int) -> list[Node]:
        tag = element.tag
        if "data-rt-embed-type" in element.attributes or "w-embed" in element.classes:
            return self._custom_embed(element)
        if depth >= DEEPEST and tag in _CONTAINERS:
            self._losses.lose("nesting", f"<{tag}>", element)
            element.tag = "div"
        if tag in _SPACERS and id(element) not in self._filled:
            return self._spacer(element)
        if "data-emoji" in element.attributes and tag in ("span", "img"):
            return self._emoji(element)
        handler = _HANDLERS.get(element.tag)
        if handler is not None:
            return handler(self, element)
        return self._ordinary(element)

    def _ordinary(self, element: Element) -> list[Node]:
        tag = element.tag
        if tag not in RULES and tag not in _PLAIN:
            self._losses.lose("element", f"<{tag}>", element)
        strip_attributes(element, self._losses)
        return [element]

    def _spacer(self, element: Element) -> list[Node]:
        for below in walk(element):
            strip_attributes(below, self._losses)
        strip_attributes(element, self._losses)
        self._losses.lose("spacer", f"<{element.tag}>", element)
        named = [below for below in walk(element) if "id" in below.attributes]
        for below in (element, *named):
            below.tag, below.children = "span", []
        return [below for below in (element, *named) if "id" in below.attributes]

    # Embeds

    def _custom_embed(self, element: Element) -> list[Node]:
        shows = text_of(element).strip() or find(element, *_ANYTHING) is not None
        if not shows:
            return self._gone("empty-embed", element)
        html = self._embeds.html_within(element)
        return self._embeds.node(Found("embed", element, _first_address(element), html))

    def _component(self, element: Element) -> list[Node]:
        html = self._embeds.html_of(element)
        return self._embeds.node(Found("component", element, "", html))

    def _frame(self, element: Element) -> list[Node]:
        title = element.attributes.get("title", "").strip()
        url = _first_address(element)
        return self._embeds.node(
            Found("iframe", element, url, self._embeds.html_of(element), title)
        )

    def _media(self, element: Element) -> list[Node]:
        title = element.attributes.get("title", "").strip()
        url = _first_address(element)
        target = self._assets.file(url)
        return self._embeds.node(
            Found("media", element, target or url, self._embeds.html_of(element), title)
        )

    def _raw_embed(self, element: Element) -> list[Node]:
        return self._embeds.node(
            Found("embed", element, "", self._embeds.html_of(element))
        )

    # Figures and pictures

    def _figure(self, element: Element) -> list[Node]:
        frame = find(element, "iframe")
        if frame is not None and self._only(element, frame):
            return self._video(element, frame)
        if frame is None and element.attributes.get("data-page-url"):
            return self._video(element, None)
        picture = find(element, "img")
        if picture is not None and (simple := self._linked_figure(element)):
            return simple
        figure_layout(element, self._losses)
        return [element]

    def _only(self, figure: Element, frame: Element) -> bool:
        """Say whether a figure shows nothing but the frame and a caption."""
        return all(
            below is frame or below.tag in ("div", "figcaption") or _in_caption(below)
            for below in walk(figure)
        ) and not _loose_text(figure)

    def _video(self, figure: Element, frame: Element | None) -> list[Node]:
        page = figure.attributes.pop("data-page-url", "").strip()
        caption, plain = _caption(figure)
        html = self._embeds.html_of(frame if frame is not None else figure)
        source = frame.attributes.get("src", "").strip() if frame is not None else ""
        title = frame.attributes.get("title", "").strip() if frame is not None else ""
        text = " ".join(text_of(caption).split()) if caption and plain else ""
        figure_layout(figure, self._losses)
        below = list(walk(caption)) if caption is not None and not plain else []
        unsettled = [node for node in below if not self._losses.settled(node)]
        if self._embeds.treatment("video", figure) is Treatment.HTML:
            text, plain = "", False
            target = frame if frame is not None else figure
            made = self._embeds.node(Found("video", target, page or source, html))
        else:
            made = self._embeds.node(
                Found("video", figure, page or source, html, title, text)
            )
        self._losses.unsettle(unsettled)
        if caption is not None and not plain:
            made.extend(self._as_paragraph(caption))
        elif text and not made:
            made.extend(self._as_paragraph(caption) if caption is not None else [])
        return made

    def _linked_figure(self, figure: Element) -> list[Node]:
        """Return a picture that links, with its caption inside of the block."""
        link, picture = find(figure, "a"), find(figure, "img")
        caption, plain = _caption(figure)
        if link is None or picture is None or caption is None or not plain:
            return []
        if find(link, "img") is not picture or _loose_text(figure):
            return []
        if sum(1 for below in walk(figure) if below.tag == "img") > 1:
            return []
        text = " ".join(text_of(caption).split())
        node = self._pictures.linked(picture, link, text)
        if node is None:
            return []
        figure_layout(figure, self._losses)
        strip_attributes(caption, self._losses)
        return [node]

    def _as_paragraph(self, caption: Element) -> list[Node]:
        if not text_of(caption).strip(INVISIBLE) and find(caption, *_SHOWN) is None:
            return []
        strip_attributes(caption, self._losses)
        caption.tag = "p"
        return [caption]

    def _figcaption(self, element: Element) -> list[Node]:
        blocks = ("p", "div", "ul", "ol", "table", "blockquote", "pre", "figcaption")
        if find(element, *blocks) is not None:
            strip_attributes(element, self._losses)
            return [element]
        return self._as_paragraph(element)

    def _emoji(self, element: Element) -> list[Node]:
        shown = text_of(element).strip()
        if shown and shown != element.attributes["data-emoji"].strip():
            self._losses.lose("text", shown, element)
        for below in walk(element):
            strip_attributes(below, self._losses)
        element.children = []
        return [element]

    def _image(self, element: Element) -> list[Node]:
        if self._link is not None and (
            node := self._pictures.linked(element, self._link, "")
        ):
            return [node]
        return self._pictures.plain(element)

    def _source_set(self, element: Element) -> list[Node]:
        address = element.attributes.get("srcset", "")
        self._losses.lose("source-set", address, element)
        return []

    # Links, code, and what is left out

    def _anchor(self, element: Element) -> list[Node]:
        given = element.attributes
        href = given.get("href", "").strip()
        strip_attributes(element, self._losses)
        if not href or not link_allowed(href):
            return [element]
        if reason := self._assets.missing(href):
            self._losses.lose("missing-file", href, element, why=reason)
        if (target := self._assets.file(href)) is not None:
            element.attributes["href"] = target
            element.attributes["data-linktype"] = "asset"
        elif href.lower().startswith("mailto:"):
            element.attributes["href"] = href[len("mailto:") :]
            element.attributes["data-linktype"] = "email"
        else:
            element.attributes["href"] = href
        return [element]

    def _code_block(self, element: Element) -> list[Node]:
        if id(element) not in self._filled:
            return self._gone("empty-code", element)
        strip_attributes(element, self._losses)
        first = element.children[0]
        if isinstance(first, Text):
            first.value = first.value.removeprefix("\r").removeprefix("\n")
        return [element]

    def _code(self, element: Element) -> list[Node]:
        if self._link is not None or id(element) in self._linking:
            self._losses.lose("code-in-link", "<code>", element)
            element.tag = "span"
        strip_attributes(element, self._losses)
        return [element]

    def _script(self, element: Element) -> list[Node]:
        return self._gone("script", element)

    def _control(self, element: Element) -> list[Node]:
        return self._gone("form-control", element)

    def _comment(self, element: Element) -> list[Node]:
        return self._gone("comment", element)

    def _drop(self, element: Element) -> list[Node]:
        return self._gone("dropped", element)

    def _gone(self, kind: str, element: Element) -> list[Node]:
        self._losses.settle_all(element)
        self._losses.lose(kind, self._source[element.start : element.end], element)
        return []


_ANYTHING = (*_SHOWN, *_DROPPED, "param", "source", "area")

_HANDLERS: dict[str, _Handler] = {
    "figure": Stage._figure,
    "figcaption": Stage._figcaption,
    "iframe": Stage._frame,
    "video": Stage._media,
    "audio": Stage._media,
    "img": Stage._image,
    "source": Stage._source_set,
    "a": Stage._anchor,
    "pre": Stage._code_block,
    "code": Stage._code,
    "wf-component": Stage._component,
    "cms:comment": Stage._comment,
    **dict.fromkeys(_SCRIPTS, Stage._script),
    **dict.fromkeys(_CONTROLS, Stage._control),
    **dict.fromkeys(_DROPPED, Stage._drop),
    **dict.fromkeys(_RAW_EMBEDS, Stage._raw_embed),
}


def survey(root: Element) -> tuple[set[int], set[int]]:
    """Return the identities of the elements that show something, and of those
    with a link in them; asking each element for itself would not be linear."""
    showing: set[int] = set()
    linking: set[int] = set()
    stack: list[tuple[Node, Element | None, bool]] = [(root, None, False)]
    while stack:
        node, parent, done = stack.pop()
        if isinstance(node, Text):
            if parent is not None and node.value.strip(INVISIBLE):
                showing.add(id(parent))
            continue
        if not done:
            stack.append((node, parent, True))
            stack.extend((child, node, False) for child in node.children)
            continue
        if node.tag in _SHOWN or not _EMBED_MARKS.isdisjoint(node.attributes):
            showing.add(id(node))
        if parent is not None and id(node) in showing:
            showing.add(id(parent))
        if parent is not None and (node.tag == "a" or id(node) in linking):
            linking.add(id(parent))
    return showing, linking


def _first_address(element: Element) -> str:
    for below in (element, *walk(element)):
        if address := below.attributes.get("src", "").strip():
            return address
    return ""


def _caption(figure: Element) -> tuple[Element | None, bool]:
    """Return a figure's caption, and whether it is a plain text."""
    caption = find(figure, "figcaption")
    if caption is None:
        return None, True
    plain = all(
        isinstance(child, Text) or child.tag == "br" for child in caption.children
    )
    return caption, plain


def _in_caption(element: Element) -> bool:
    parent = element.parent
    while parent is not None:
        if parent.tag == "figcaption":
            return True
        parent = parent.parent
    return False


def _loose_text(figure: Element) -> bool:
    """Say whether a figure shows text beside its caption."""
    stack: list[Node] = [figure]
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            if node.value.strip(INVISIBLE):
                return True
        elif node.tag not in ("figcaption", "iframe"):
            stack.extend(node.children)
    return False
