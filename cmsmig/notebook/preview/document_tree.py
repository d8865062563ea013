"""A rich text document as a tree whose branches fold."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import partial

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.reconcile.labels import EMPTY, NO_LABELS
from cmsmig.review.embeds import blocks_of
from cmsmig.ui.html.html_templates import breakable_html, fragment
from cmsmig.ui.html.safe_html import NOTHING, escape

_MOST = 120
"""Nodes that are shown: a page with more of them is slow."""
_DEEPEST = 12
_LONGEST = 80
"""Characters of a text or a value; the JSON has all of it."""
_made = partial(fragment, "notebook/preview/document_tree.html")


def tree_html(document: JsonObject) -> Markup:
    """Return a document's nodes, each with its attributes and what it holds; the
    first ones of a large document."""
    shown = _Tree()
    nodes = enumerate(_content(document)[:_MOST])
    branches = [shown.node(each, 1, at) for at, each in nodes]
    left = sum(1 for _ in _walk(document)) - shown.count
    return _made("tree", parts=branches, left=max(left, 0))


class _Tree:
    """Makes nodes until there are enough of them."""

    def __init__(self) -> None:
        self.count = 0

    def node(self, node: JsonObject, depth: int, at: int | None = None) -> Markup:
        """Return a node with what it holds, as far as there is room; `at` is its place
        in the document."""
        if self.count >= _MOST:
            return NOTHING
        self.count += 1
        inside = []
        if depth < _DEEPEST:
            inside = [self.node(each, depth + 1) for each in _content(node)]
        inside = [each for each in inside if each]
        return _made(
            "node",
            type=node.get("type", "?"),
            text=breakable_html(escape(_text(node))),
            at=at,
            unfolded=depth < 2,
            parts=inside,
        )


def _text(node: JsonObject) -> str:
    """Return a node's text, its marks and its attributes in a line."""
    said = []
    text = node.get("text")
    if isinstance(text, str):
        said.append(f"“{_short(text)}”")
    marks = node.get("marks")
    said += [
        " ".join((str(mark.get("type")), *_attributes(mark)))
        for mark in (marks if isinstance(marks, list) else ())
        if isinstance(mark, Mapping)
    ]
    return ", ".join([*said, *_attributes(node)])


def _attributes(node: Mapping[str, Json]) -> Iterator[str]:
    attributes = node.get("attrs")
    if not isinstance(attributes, Mapping):
        return
    if node.get("type") == "blok":
        for block in blocks_of(dict(node)):
            yield str(block.get("component"))
            yield from _values(block, ("component", "_uid"))
    else:
        yield from _values(attributes)


def _values(held: Mapping[str, Json], left_out: Container[str] = ()) -> Iterator[str]:
    for name, value in held.items():
        text = NO_LABELS.value(value)
        if text != EMPTY and name not in left_out:
            yield f"{name}: {_short(text)}"


def _content(node: Mapping[str, Json]) -> list[JsonObject]:
    content = node.get("content")
    listed = content if isinstance(content, list) else []
    return [each for each in listed if isinstance(each, dict)]


def _walk(node: JsonObject) -> Iterator[JsonObject]:
    waiting = _content(node)
    while waiting:
        each = waiting.pop()
        yield each
        waiting += _content(each)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
