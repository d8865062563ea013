"""Untrusted HTML made harmless for showing: first labelled, then cleaned by nh3.

The labels are a courtesy to the reader; what makes it safe is the cleaning alone,
which comes last and lets through a short list of elements and attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from typing import TypeAlias

import nh3

from cmsmig.character_references import short_references
from cmsmig.whole_text import whole_text

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
    {"script", "style", "svg", "template", "math", "object", "textarea"}
)
"""What is left out up to its end, the box standing for it."""

_cleaner = nh3.Cleaner(
    tags=set(_TAGS),
    clean_content_tags={"script", "style", "template", "noscript", "iframe"},
    attributes=_ATTRIBUTES,
    allowed_classes=_CLASSES,
    link_rel=None,
    url_schemes=set(),
)
_picture_cleaner = nh3.Cleaner(
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


def sanitised(body: str, picture: FindPicture | None = None) -> str:
    """Return HTML in which nothing runs, loads or leads away.

    With `picture` an image that it finds is shown; any other stays a labelled box.
    """
    cleaner = _cleaner if picture is None else _picture_cleaner
    labelling = _Labelling(picture)
    try:
        labelling.feed(short_references(whole_text(body)))
        labelling.close()
    except Exception:
        # The standard library's parser asserts what content need not keep to.
        return cleaner.clean(whole_text(body))
    return cleaner.clean("".join(labelling.parts))


class _Labelling(HTMLParser):
    """Puts a labelled box where something is not shown."""

    def __init__(self, picture: FindPicture | None) -> None:
        super().__init__(convert_charrefs=True)
        self._picture = picture
        self.parts: list[str] = []
        self._silent = ""
        self._depth = 0

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        # To browsers `<![` begins a comment up to the next `>`; the standard library
        # asserts that a keyword of SGML follows.
        return self.parse_bogus_comment(i, report)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent:
            self._depth += tag == self._silent
            return
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.parts.append(_opened("cmsmig-link", given.get("href", "")))
        elif tag == "img" and (held := self._held(given.get("src", ""))):
            about, address = given.get("alt", ""), given["src"]
            self.parts.append(
                f'<img src="{held}" alt="{escape(about)}" title="{escape(address)}">'
            )
        elif tag in _SHOWN_AS_BOX:
            self._box(tag, given)
        elif tag in _TAGS:
            kept = "".join(
                f' {name}="{escape(given[name])}"'
                for name in sorted(_ATTRIBUTES.get(tag, ()))
                if name in given
            )
            self.parts.append(f"<{tag}{kept}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._silent == tag and tag in {"svg", "math"}:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            self._depth -= tag == self._silent
            self._silent = self._silent if self._depth else ""
        elif tag == "a":
            self.parts.append("</span>")
        elif tag in _TAGS:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(escape(data))

    def _held(self, address: str) -> str:
        found = self._picture(address.strip()) if self._picture else ""
        return found if _HELD.match(found) else ""

    def _box(self, tag: str, given: dict[str, str]) -> None:
        label = _SHOWN_AS_BOX[tag]
        about = given.get("alt", "") or given.get("title", "")
        address = given.get("src", "") or given.get("data", "")
        if label:
            told = ": ".join(each for each in (label, about or _short(address)) if each)
            # Brackets, since an untrusted page may lose the box around it.
            box = f"{_opened('cmsmig-box', address)}[{escape(told)}]</span>"
            self.parts.append(f" {box} ")
        if tag in _SILENT:
            self._silent, self._depth = tag, 1


def _opened(name: str, title: str) -> str:
    return f'<span class="{name}" title="{escape(title)}">'


def _short(address: str) -> str:
    return address if len(address) <= 80 else f"{address[:60]}…{address[-15:]}"
