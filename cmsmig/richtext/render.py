"""Rich text documents to HTML, as the official renderer writes it.

Blocks give nothing unless they are rendered for it. Unless a document is trusted,
addresses that would run code give no link, and attributes that would are left out.
Works on any nesting: the walk keeps its own stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from cmsmig.json_text import json_text
from cmsmig.richtext.build.element_rules import link_allowed
from cmsmig.richtext.html.dom import tag_set

_TAGS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "tableRow": "tr",
    "tableCell": "td",
    "tableHeader": "th",
    "table": "table",
    "emoji": "span",
    "code_block": "pre",
    "hard_break": "br",
    "horizontal_rule": "hr",
    "image": "img",
}
_EMPTY = frozenset(("br", "hr", "img"))
_MARK_TAGS = {
    "link": "a",
    "bold": "strong",
    "italic": "em",
    "strike": "s",
    "underline": "u",
    "code": "code",
    "superscript": "sup",
    "subscript": "sub",
    "highlight": "mark",
    "textStyle": "span",
    "anchor": "span",
    "styled": "span",
}
_STYLES = {
    ("highlight", "color"): "background-color",
    ("textStyle", "color"): "color",
    ("paragraph", "textAlign"): "text-align",
    ("heading", "textAlign"): "text-align",
    ("tableCell", "backgroundColor"): "background-color",
    ("tableCell", "colwidth"): "width",
    ("tableHeader", "colwidth"): "width",
}
"""By type and attribute: the property of the style that it becomes."""
_NAMES = {
    "body": "data-body",
    "name": "data-name",
    "emoji": "data-emoji",
    "order": "start",
}
_UNWRITTEN = tag_set(
    "level linktype uuid anchor meta_data copyright source fallbackImage"
)
_USUALLY_ONE = {
    "ordered_list": ("order",),
    "tableCell": ("colspan", "rowspan"),
    "tableHeader": ("colspan", "rowspan"),
}
"""Written before all others, and not at all when they are 1."""
_ONES = frozenset(("order", "colspan", "rowspan"))
_NAME = re.compile(r"[^\s\"'<>/=\x00]+\Z")


def render_rich_text(
    document: object,
    *,
    trusted: bool = False,
    block: Callable[[object], str] = lambda block: "",
) -> str:
    """Return the HTML of a document, of a node, or of a list of nodes.

    A `trusted` document is written as the official renderer writes it, whatever
    its links and their attributes would do in a browser. `block` returns the HTML of a
    block in it.
    """
    return _Rendering(trusted, block).html(document)


class _Rendering:
    def __init__(self, trusted: bool, block: Callable[[object], str]) -> None:
        self._trusted = trusted
        self._block = block

    def html(self, document: object) -> str:
        """Return what the nodes give, joined."""
        written: list[str] = []
        stack: list[object] = list(reversed(self._listed(document)))
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                written.append(node)
            elif isinstance(node, Mapping):
                stack.extend(reversed(list(self._rendered(node))))
        return "".join(written)

    def _listed(self, value: object) -> list[object]:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self._grouped(value)
        return [value] if isinstance(value, Mapping) else []

    def _rendered(self, node: Mapping[str, object]) -> Iterator[object]:
        """Yield strings, which are HTML, and nodes that are still to be rendered."""
        kind = str(node.get("type"))
        if kind == "text":
            yield self._wrapped(_escaped(str(node.get("text", ""))), node)
            return
        given = _mapping(node.get("attrs"))
        if kind == "blok":
            body = given.get("body")
            yield from map(self._block, body if isinstance(body, list) else ())
            return
        tag = _heading(given) if kind == "heading" else _TAGS.get(kind)
        tag = tag or _MARK_TAGS.get(kind)
        attributes = self._attributes(kind, given) if tag else ""
        if tag is None:
            yield from self._listed(node.get("content"))
        elif tag in _EMPTY:
            yield f"<{tag}{attributes}>"
        elif kind == "code_block":
            yield f"<pre><code{attributes}>"
            yield from self._listed(node.get("content"))
            yield "</code></pre>"
        elif kind == "emoji":
            shown = _escaped(str(given.get("emoji") or ""))
            yield f"<span{attributes}>{shown}</span>"
        else:
            yield f"<{tag}{attributes}>"
            children = self._listed(node.get("content"))
            yield from _parts(children) if kind == "table" else children
            yield f"</{tag}>"

    def _grouped(self, nodes: Sequence[object]) -> list[object]:
        """Return the nodes with one `a` around neighbours that share a link."""
        shown: list[object] = []
        current: Mapping[str, object] | None = None
        for node in nodes:
            link = self._link_of(node)
            if link != current:
                if current is not None:
                    shown.append("</a>")
                if link is not None:
                    shown.append(f"<a{self._attributes('link', link)}>")
                current = link
            shown.append(node)
        if current is not None:
            shown.append("</a>")
        return shown

    def _link_of(self, node: object) -> Mapping[str, object] | None:
        held = _mapping(node)
        if held.get("type") != "text":
            return None
        for mark in _marks(held):
            if mark.get("type") == "link":
                given = _mapping(mark.get("attrs"))
                if self._trusted or link_allowed(str(given.get("href") or "")):
                    return given
                return None
        return None

    def _wrapped(self, html: str, node: Mapping[str, object]) -> str:
        for mark in _marks(node):
            kind = str(mark.get("type"))
            tag = None if kind == "link" else _MARK_TAGS.get(kind)
            if tag is not None:
                written = self._attributes(kind, _mapping(mark.get("attrs")))
                html = f"<{tag}{written}>{html}</{tag}>"
        return html

    def _attributes(self, kind: str, given: Mapping[str, object]) -> str:
        if not given:
            return ""
        first = {
            name: given[name] for name in _USUALLY_ONE.get(kind, ()) if name in given
        }
        style: dict[str, object] = {}
        found: dict[str, object] = {}
        for name, value in {**first, **given}.items():
            if value is None or value == "" or name in _UNWRITTEN:
                continue
            if name in _ONES and value == 1 and value is not True:
                continue
            if declared := _STYLES.get((kind, name)):
                value = _first_width(value) if isinstance(value, list) else value
                if value is not None and value != "":
                    style[declared] = value
            elif name == "custom" and kind == "link" and isinstance(value, Mapping):
                found.update((key, _spelled(held)) for key, held in value.items())
            else:
                found[_NAMES.get(name, name)] = value
        if kind == "link":
            _lead(found, given)
            if self._trusted and found.get("style"):
                # The official takes a link's style apart, letter by letter.
                letters = enumerate(_spelled(found["style"]))
                found["style"] = " ".join(f"{at}: {letter};" for at, letter in letters)
        if style:
            pieces = [f"{name}: {_spelled(value)};" for name, value in style.items()]
            found["style"] = " ".join(pieces)
        return "".join(
            f' {name}="{_escaped(_spelled(value), "&#39;")}"'
            for name, value in found.items()
            if self._trusted or _is_harmless(name)
        )


def _heading(given: Mapping[str, object]) -> str:
    level = given.get("level")
    if isinstance(level, bool) or not isinstance(level, int | float):
        return "h1"
    return f"h{json_text(min(6, max(1, level)))}"


def _parts(rows: Sequence[object]) -> Iterator[object]:
    """Yield the leading rows of nothing but header cells as a head."""
    head = 0
    while head < len(rows) and _is_heading(rows[head]):
        head += 1
    if head:
        yield from ("<thead>", *rows[:head], "</thead>")
    if rows[head:]:
        yield from ("<tbody>", *rows[head:], "</tbody>")


def _is_heading(row: object) -> bool:
    cells = _mapping(row).get("content")
    return (
        isinstance(cells, list)
        and bool(cells)
        and all(_mapping(cell).get("type") == "tableHeader" for cell in cells)
    )


def _lead(found: dict[str, object], given: Mapping[str, object]) -> None:
    """Complete the address of a link to a story or to a mailbox."""
    kind, href, anchor = given.get("linktype"), given.get("href"), given.get("anchor")
    if kind == "story":
        place = f"#{anchor}" if isinstance(anchor, str) and anchor else ""
        found["href"] = f"{href if isinstance(href, str) else ''}{place}"
    elif kind == "email" and isinstance(href, str):
        found["href"] = f"mailto:{href.removeprefix('mailto:')}"


def _first_width(widths: list[object]) -> str | None:
    if not widths or widths[0] is None:
        return None
    return f"{_spelled(widths[0])}px"


def _is_harmless(name: str) -> bool:
    return not name.lower().startswith("on") and _NAME.match(name) is not None


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json_text(value)


def _marks(node: Mapping[str, object]) -> list[Mapping[str, object]]:
    marks = node.get("marks")
    return (
        [mark for mark in marks if isinstance(mark, Mapping)]
        if isinstance(marks, list)
        else []
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _escaped(text: str, apostrophe: str = "&#039;") -> str:
    return escape(text).replace("&#x27;", apostrophe)
