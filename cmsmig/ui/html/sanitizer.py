"""Untrusted HTML made harmless for showing: first labelled, then cleaned by nh3.

The labels are a courtesy to the reader; what makes it safe is the cleaning alone,
which comes last and lets through a short list of elements and attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import TypeAlias

import nh3
from markupsafe import Markup

from cmsmig.richtext.html.dom import Element, Node, Text
from cmsmig.richtext.html.parse import VOID, parse
from cmsmig.valid_text import valid_text

FindPicture: TypeAlias = Callable[[str], str]
"""Returns a picture by its address: as an address that holds it, or empty."""

# fmt: off
_TAGS = frozenset({
    "abbr", "b", "blockquote", "br", "caption", "cite", "code", "dd", "del", "details",
    "dfn", "dl", "dt", "div", "em", "figcaption", "figure", "h1", "h2", "h3", "h4",
    "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s",
    "samp", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "u", "ul", "var",
})
# fmt: on
_ATTRIBUTES = {
    "ol": {"start"},
    "span": {"title"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_CLASSES = {"span": {"cmsmig-box", "cmsmig-link"}}

_HELD = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/]+={0,2}\Z")
"""Pictures of pixels alone: in a drawing there may be anything."""
_SHOWN_AS_BOX = {
    "audio": "sound",
    "cms:comment": "a comment that never ends",
    "embed": "embed",
    "iframe": "embed",
    "img": "image",
    "input": "form field",
    "math": "formula",
    "object": "embed",
    "picture": "",
    "script": "script, not run",
    "style": "style sheet, not applied",
    "svg": "drawing",
    "template": "template",
    "textarea": "form field",
    "video": "video",
}
_SILENT = frozenset(
    {"iframe", "math", "object", "script", "style", "svg", "template", "textarea"}
)
"""What is left out with all in it, replaced by the box."""

_DEEPEST = 100
"""Levels that keep their tags: the cleaner takes quadratic time in the depth, so
deeper content is shown without its own tags."""

_cleaner = nh3.Cleaner(
    tags={*_TAGS, "img"},
    clean_content_tags={"script", "style", "template", "noscript", "iframe"},
    attributes={**_ATTRIBUTES, "img": {"alt", "src", "title"}},
    attribute_filter=lambda tag, name, value: (
        value if name != "src" or _HELD.match(value) else None
    ),
    allowed_classes=_CLASSES,
    link_rel=None,
    url_schemes={"data"},
)


def sanitised(body: str, picture: FindPicture | None = None) -> Markup:
    """Return untrusted HTML with nothing in it that runs, loads or leads away.

    Images, embeds, forms and scripts become labelled boxes; a link keeps its text
    and shows its address when pointed at. An image that `picture` finds is shown.
    For showing only, never for converting.
    """
    labels = _Labels(picture)
    return Markup(_cleaner.clean("".join(labels.of(parse(valid_text(body))))))


class _Labels:
    """Writes a tree as HTML, with a labelled box where something is not shown."""

    def __init__(self, picture: FindPicture | None) -> None:
        self._picture = picture

    def of(self, root: Element) -> Iterator[str]:
        """Yield the HTML of what is below `root`, in pieces; any depth, linear."""
        stack: list[tuple[Node | str, int]] = [
            (each, 0) for each in reversed(root.children)
        ]
        while stack:
            node, depth = stack.pop()
            if isinstance(node, str):
                yield node
            elif isinstance(node, Text):
                yield escape(node.value)
            else:
                opened, closed = self._tags(node)
                if depth > _DEEPEST and node.tag not in _SHOWN_AS_BOX:
                    opened = closed = " "
                yield opened
                if node.tag not in _SILENT:
                    stack.append((closed, depth))
                    stack += [(each, depth + 1) for each in reversed(node.children)]

    def _tags(self, element: Element) -> tuple[str, str]:
        tag, given = element.tag, element.attributes
        if tag == "a":
            return _opened("cmsmig-link", given.get("href", "")), "</span>"
        if tag == "img" and (held := self._held(given.get("src", ""))):
            about, address = escape(given.get("alt", "")), escape(given["src"])
            return f'<img src="{held}" alt="{about}" title="{address}">', ""
        if tag in _SHOWN_AS_BOX:
            return _box(tag, given), ""
        if tag not in _TAGS:
            return "", ""
        kept = "".join(
            f' {name}="{escape(given[name])}"'
            for name in sorted(_ATTRIBUTES.get(tag, ()))
            if name in given
        )
        return f"<{tag}{kept}>", "" if tag in VOID else f"</{tag}>"

    def _held(self, address: str) -> str:
        found = self._picture(address.strip()) if self._picture else ""
        return found if _HELD.match(found) else ""


def _box(tag: str, given: Mapping[str, str]) -> str:
    label = _SHOWN_AS_BOX[tag]
    if not label:
        return ""
    about = given.get("alt", "") or given.get("title", "")
    address = given.get("src", "") or given.get("data", "")
    label = ": ".join(each for each in (label, about or _short(address)) if each)
    # Brackets, since an untrusted page may lose the box around it.
    return f" {_opened('cmsmig-box', address)}[{escape(label)}]</span> "


def _opened(name: str, title: str) -> str:
    return f'<span class="{name}" title="{escape(title)}">'


def _short(address: str) -> str:
    return address if len(address) <= 80 else f"{address[:60]}…{address[-15:]}"
