"""A rich text document to HTML, as the official renderer writes it.

Bloks and whatever else has no HTML give nothing, addresses that would run code
give no link. Works on any nesting: the walk keeps its own stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cmsmig.richtext.rules import link_allowed

_TAGS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "tableRow": "tr",
    "tableCell": "td",
    "tableHeader": "th",
}
_LEAVES = {"hard_break": "<br>", "horizontal_rule": "<hr>"}
_MARK_TAGS = {
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


def render_rich_text(document: object) -> str:
    """Return the HTML of a document, of a node, or of a list of nodes."""
    written: list[str] = []
    stack: list[object] = list(reversed(_listed(document)))
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            written.append(node)
        elif isinstance(node, Mapping):
            stack.extend(reversed(list(_rendered(node))))
    return "".join(written)


def _listed(value: object) -> list[object]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _grouped(value)
    return [value] if isinstance(value, Mapping) else []


def _rendered(node: Mapping[str, object]) -> Iterator[object]:
    """Yield strings, which are HTML, and nodes that are still to be rendered."""
    kind = node.get("type")
    given = _mapping(node.get("attrs"))
    children = _listed(node.get("content"))
    if kind == "text":
        yield _wrapped(escape_text(str(node.get("text", ""))), node)
    elif kind == "doc":
        yield from children
    elif kind == "image":
        names = ("src", "alt", "title")
        yield f"<img{_written({name: given.get(name) for name in names})}>"
    elif kind == "emoji":
        shown = escape_text(str(given.get("emoji") or ""))
        named = {"data-name": given.get("name"), "data-emoji": given.get("emoji")}
        yield f"<span{_written(named)}>{shown}</span>"
    elif kind == "table":
        yield from _table(children)
    elif kind == "code_block":
        yield from (f"<pre><code{_written({'class': given.get('class')})}>", *children)
        yield "</code></pre>"
    elif isinstance(kind, str) and kind in _LEAVES:
        yield _LEAVES[kind]
    elif kind == "heading" or (isinstance(kind, str) and kind in _TAGS):
        tag = _TAGS.get(str(kind), f"h{_level(given)}")
        yield from (f"<{tag}{_written(_attributes(str(kind), given))}>", *children)
        yield f"</{tag}>"


def _level(given: Mapping[str, object]) -> int:
    level = given.get("level")
    return level if isinstance(level, int) and 1 <= level <= 6 else 1


def _attributes(kind: str, given: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    if kind == "ordered_list" and given.get("order") != 1:
        found["start"] = given.get("order")
    for name in ("colspan", "rowspan"):
        if given.get(name) != 1:
            found[name] = given.get(name)
    found["style"] = _style(given)
    return found


def _style(given: Mapping[str, object]) -> str:
    declared: list[str] = []
    widths = given.get("colwidth")
    if isinstance(widths, list) and widths:
        declared.append(f"width: {widths[0]}px;")
    if background := given.get("backgroundColor"):
        declared.append(f"background-color: {background};")
    if alignment := given.get("textAlign"):
        declared.append(f"text-align: {alignment};")
    return " ".join(declared)


def _table(rows: Sequence[object]) -> Iterator[object]:
    """Yield the leading rows of nothing but header cells as a head."""
    head = 0
    while head < len(rows) and _is_heading(rows[head]):
        head += 1
    yield "<table>"
    if head:
        yield from ("<thead>", *rows[:head], "</thead>")
    if rows[head:]:
        yield from ("<tbody>", *rows[head:], "</tbody>")
    yield "</table>"


def _is_heading(row: object) -> bool:
    cells = _mapping(row).get("content")
    return (
        isinstance(cells, list)
        and bool(cells)
        and all(_mapping(cell).get("type") == "tableHeader" for cell in cells)
    )


def _grouped(nodes: Sequence[object]) -> list[object]:
    """Return the nodes with one `a` around neighbours that share a link."""
    shown: list[object] = []
    current: Mapping[str, object] | None = None
    for node in nodes:
        link = _link_of(node)
        if link != current:
            if current is not None:
                shown.append("</a>")
            if link is not None:
                shown.append(f"<a{_written(_link_attributes(link))}>")
            current = link
        shown.append(node)
    if current is not None:
        shown.append("</a>")
    return shown


def _link_of(node: object) -> Mapping[str, object] | None:
    for mark in _marks(_mapping(node)):
        if mark.get("type") == "link":
            given = _mapping(mark.get("attrs"))
            if link_allowed(str(given.get("href") or "")):
                return given
    return None


def _link_attributes(given: Mapping[str, object]) -> dict[str, object]:
    href = str(given.get("href") or "")
    if given.get("linktype") == "email" and not href.startswith("mailto:"):
        href = f"mailto:{href}"
    elif given.get("linktype") == "story" and given.get("anchor"):
        href = f"{href}#{given['anchor']}"
    found: dict[str, object] = {"href": href, "target": given.get("target")}
    for name, value in _mapping(given.get("custom")).items():
        if not name.lower().startswith("on"):
            found.setdefault(name, value)
    return found


def _wrapped(html: str, node: Mapping[str, object]) -> str:
    for mark in _marks(node):
        tag = _MARK_TAGS.get(str(mark.get("type")))
        if tag is not None:
            written = _written(_mark_attributes(mark))
            html = f"<{tag}{written}>{html}</{tag}>"
    return html


def _mark_attributes(mark: Mapping[str, object]) -> dict[str, object]:
    given = _mapping(mark.get("attrs"))
    color = given.get("color")
    kind = mark.get("type")
    if kind == "highlight" and color:
        return {"style": f"background-color: {color};"}
    if kind == "textStyle" and color:
        return {"style": f"color: {color};"}
    if kind == "anchor":
        return {"id": given.get("id")}
    if kind == "styled":
        return {"class": given.get("class")}
    return {}


def _written(attributes: Mapping[str, object]) -> str:
    return "".join(
        f' {name}="{escape_attribute(_spelled(value))}"'
        for name, value in attributes.items()
        if value not in (None, "")
    )


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _marks(node: Mapping[str, object]) -> list[Mapping[str, object]]:
    marks = node.get("marks")
    return (
        [mark for mark in marks if isinstance(mark, Mapping)]
        if isinstance(marks, list)
        else []
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def escape_text(text: str) -> str:
    """Return `text` as it stands between tags."""
    return _escaped(text).replace("'", "&#039;")


def escape_attribute(text: str) -> str:
    """Return `text` as it stands in double quotes."""
    return _escaped(text).replace("'", "&#39;")


def _escaped(text: str) -> str:
    return (
        text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )
