"""The visible text of a document."""

from __future__ import annotations

from collections.abc import Mapping

_ENDING = frozenset(
    ("paragraph", "heading", "code_block", "tableRow", "horizontal_rule")
)


def visible_text(document: Mapping[str, object]) -> str:
    """Return a document's texts, a line for each paragraph; bloks show nothing."""
    pieces: list[str] = []
    stack: list[object] = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
        if not isinstance(node, Mapping):
            continue
        kind, content = node.get("type"), node.get("content")
        if kind == "text":
            pieces.append(str(node.get("text", "")))
        elif kind == "hard_break":
            pieces.append("\n")
        if kind in _ENDING:
            stack.append("\n")
        if isinstance(content, list):
            stack.extend(reversed(content))
    return "".join(pieces).strip("\n")
