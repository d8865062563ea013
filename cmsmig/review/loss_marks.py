"""Bodies made readable for a review: losses marked, blocks named.

The results hold the origin's own HTML and are as untrusted as that: they are
sanitised and framed where they are shown, never here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from mimetypes import guess_type

from cmsmig.canonical import Json, JsonObject
from cmsmig.review.bodies import elements_by_path
from cmsmig.review.embeds import blocks_of
from cmsmig.richtext.html.dom import Element, tag_set
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.render import render_rich_text

_INLINE = tag_set(
    "a abbr b big cite code del em font i ins kbd mark q s samp small span strike "
    "strong sub sup tt u var"
)
_CELLS = frozenset(("li", "td", "th", "caption", "figcaption", "dt", "dd"))
_BETWEEN = tag_set("tr thead tbody tfoot colgroup col")
"""Nothing can stand before these: browsers would move it out of the table."""
_OWN = ("component", "_uid")
"""What a block has beside its fields."""
_LONGEST = 160
"""Characters of a value that are shown in a box."""


def marked_html(html: str, losses: Sequence[Loss]) -> str:
    """Return a body with a number at each loss; those beyond looks stand out.

    Numbers are positions in `losses`, from 1. A loss without a place in the body,
    such as a file named in its text, is listed only.
    Whatever no preview shows is named by the sanitiser.
    """
    places = elements_by_path(html)
    pieces: list[tuple[int, str]] = []
    for number, loss in enumerate(losses, start=1):
        element = places.get(loss.where)
        if element is not None:
            pieces += _marks(element, number, loss.severity)
    return _with(html, pieces)


def destination_html(document: JsonObject) -> str:
    """Return a document as readers will see it, each block as a box that names it.

    The renderer leaves blocks to the new site's own components.
    """
    return render_rich_text(_boxed(document))


def held_html(node: JsonObject) -> Iterator[str]:
    """Yield what each block of a document holds beside rich text, as HTML, in the
    order of their boxes."""
    content = node.get("content")
    for child in content if isinstance(content, list) else ():
        if isinstance(child, dict):
            if child.get("type") == "blok":
                for block in blocks_of(child):
                    yield from _held(block)
            else:
                yield from held_html(child)


def _held(block: JsonObject) -> Iterator[str]:
    values = [value for name, value in block.items() if name not in _OWN]
    texts = (each for each in values if isinstance(each, str))
    yield "".join(f"<div>{each}</div>" for each in texts)
    for value in values:
        if isinstance(value, dict) and value.get("type") == "doc":
            yield from held_html(value)


def _marks(element: Element, number: int, severity: Severity) -> list[tuple[int, str]]:
    digits = f"<sup>{number}</sup>"
    if severity is Severity.LAYOUT:
        return [(_before(element), f"{digits} ")]
    if element.tag in _INLINE and element.end > element.start:
        return [(element.start, f"<mark>{digits}"), (element.end, "</mark>")]
    return [(_before(element), f"<mark>{digits}</mark> ")]


def _before(element: Element) -> int:
    """Return where a mark can stand: in a cell, but never between two."""
    if element.tag in _CELLS:
        return element.inner_start
    current: Element | None = element
    while current is not None and current.tag in _BETWEEN:
        current = current.parent
    return element.start if current is None else current.start


def _with(html: str, pieces: Iterable[tuple[int, str]]) -> str:
    written, last = [], 0
    for position, text in sorted(pieces, key=lambda piece: piece[0]):
        written += [html[last:position], text]
        last = position
    return "".join(written) + html[last:]


def _boxed(node: JsonObject) -> JsonObject:
    content = node.get("content")
    if not isinstance(content, list):
        return node
    shown: list[Json] = []
    for child in content:
        if not isinstance(child, dict):
            continue
        if child.get("type") == "blok":
            shown += map(_block_box, blocks_of(child))
        else:
            shown.append(_boxed(child))
    return {**node, "content": shown}


def _block_box(block: JsonObject) -> JsonObject:
    """Return a quote that names a block and what its fields hold."""
    component = block.get("component")
    lines: list[Json] = [_line(f"▣ block {component}", "highlight")]
    for name, value in block.items():
        if name in _OWN:
            continue
        if isinstance(value, dict) and value.get("type") == "doc":
            inside = _boxed(value).get("content")
            lines.append(_line(f"{name}:", "code"))
            lines += inside if isinstance(inside, list) else []
        elif text := _told(value):
            lines.append(_line(f"{name}: {text}", "code"))
            lines += _pictures(value)
    return {"type": "blockquote", "content": lines}


def _pictures(value: Json) -> list[Json]:
    """Return the picture that an asset field holds, if it is one."""
    if not isinstance(value, dict):
        return []
    address = value.get("filename")
    kind = guess_type(address)[0] if isinstance(address, str) else None
    if kind is None or not kind.startswith("image/"):
        return []
    return [{"type": "image", "attrs": {"src": address, "alt": value.get("alt")}}]


def _line(text: str, mark: str) -> JsonObject:
    return {
        "type": "paragraph",
        "content": [{"type": "text", "text": text, "marks": [{"type": mark}]}],
    }


def _told(value: Json) -> str:
    """Return a field's value in short: an asset or a link by its address."""
    if isinstance(value, dict):
        value = value.get("filename") or value.get("email") or value.get("url")
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
