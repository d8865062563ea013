"""What may be in what: the document's content model as literal tables.

A node's content is a small automaton: in each state the types that may come
next and the state they lead to, and whether the content may end there.
Source: the schema of the official converter, 5.3.1.
"""

from __future__ import annotations

from collections import deque
from functools import cache

from cmsmig.canonical import Json, JsonObject

BLOCKS = (
    "paragraph",
    "blockquote",
    "heading",
    "bullet_list",
    "ordered_list",
    "code_block",
    "horizontal_rule",
    "image",
    "table",
    "blok",
)
"""In the schema's order, which decides between equally short wrappings."""
INLINES = ("text", "emoji", "hard_break")
LEAVES = frozenset(("text", "emoji", "hard_break", "horizontal_rule", "image", "blok"))
TEXTBLOCKS = frozenset(("paragraph", "heading", "code_block"))

_BLOCKS_TO_1 = dict.fromkeys(BLOCKS, 1)
_SOME_BLOCKS = ((_BLOCKS_TO_1, False), (_BLOCKS_TO_1, True))
_ANY_INLINES = ((dict.fromkeys(INLINES, 0), True),)
_SOME_ITEMS = (({"list_item": 1}, False), ({"list_item": 1}, True))
_NOTHING: tuple[tuple[dict[str, int], bool], ...] = (({}, True),)

CONTENT: dict[str, tuple[tuple[dict[str, int], bool], ...]] = {
    "doc": _SOME_BLOCKS,
    "paragraph": _ANY_INLINES,
    "heading": _ANY_INLINES,
    "code_block": (({"text": 0}, True),),
    "blockquote": _SOME_BLOCKS,
    "bullet_list": _SOME_ITEMS,
    "ordered_list": _SOME_ITEMS,
    "list_item": (({"paragraph": 1}, False), (_BLOCKS_TO_1, True)),
    "table": (({"tableRow": 1}, False), ({"tableRow": 1}, True)),
    "tableRow": (({"tableCell": 0, "tableHeader": 0}, True),),
    "tableCell": _SOME_BLOCKS,
    "tableHeader": _SOME_BLOCKS,
    "text": _NOTHING,
    "emoji": _NOTHING,
    "hard_break": _NOTHING,
    "horizontal_rule": _NOTHING,
    "image": _NOTHING,
    "blok": _NOTHING,
}

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "paragraph": ("textAlign",),
    "heading": ("level", "textAlign"),
    "ordered_list": ("order",),
    "code_block": ("class",),
    "image": ("id", "src", "alt", "title", "source", "copyright", "meta_data"),
    "emoji": ("fallbackImage", "name", "emoji"),
    "tableCell": ("colspan", "rowspan", "colwidth", "backgroundColor"),
    "tableHeader": ("colspan", "rowspan", "colwidth"),
    "blok": ("id", "body"),
}
"""The attributes of each node type, all of them always written, in this order."""

DIRECTED = frozenset(("paragraph", "heading", "blockquote", "list_item", "code_block"))
"""Node types that have `dir` where it is said. Source: destination, rich text."""

MARKS: dict[str, tuple[str, ...]] = {
    "link": ("href", "uuid", "anchor", "target", "linktype", "custom"),
    "bold": (),
    "italic": (),
    "strike": (),
    "underline": (),
    "code": (),
    "superscript": (),
    "subscript": (),
    "highlight": ("color",),
    "textStyle": ("color",),
    "anchor": ("id",),
    "styled": ("class",),
}
"""Mark types by rank, which is the order on a text, with their attributes."""
RANKS = {name: rank for rank, name in enumerate(MARKS)}


def empty_paragraph() -> JsonObject:
    """Return a paragraph without content."""
    return {"type": "paragraph", "attrs": {"textAlign": None}}


def default_attributes(kind: str) -> JsonObject:
    """Return the attributes of a node that no element gave any."""
    if kind == "paragraph":
        return {"textAlign": None}
    if kind == "tableCell":
        return {"colspan": 1, "rowspan": 1, "colwidth": None, "backgroundColor": None}
    return {}


def required_content(kind: str) -> list[Json]:
    """Return the content that an empty node of this type must have."""
    if kind in ("bullet_list", "ordered_list"):
        return [{"type": "list_item", "content": [empty_paragraph()]}]
    if kind == "table":
        return [{"type": "tableRow"}]
    return [empty_paragraph()]


@cache
def wrapping(kind: str, state: int, target: str) -> tuple[str, ...] | None:
    """Return the node types to open within `kind` so that `target` fits.

    Empty when it fits as it is; None when there is no way.
    """
    waiting: deque[tuple[str, int, tuple[str, ...]]] = deque([(kind, state, ())])
    seen: set[str] = set()
    while waiting:
        current, at, path = waiting.popleft()
        edges, _ = CONTENT[current][at]
        if target in edges:
            return path
        for name, following in edges.items():
            ends = CONTENT[current][following][1]
            if name not in LEAVES and name not in seen and (not path or ends):
                seen.add(name)
                waiting.append((name, 0, (*path, name)))
    return None
