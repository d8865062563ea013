"""The visible text of a document, and that of HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cmsmig.character_references import shown_text

_INLINE = re.compile(
    r"</?(?:a|abbr|b|code|em|i|mark|s|small|span|strong|sub|sup|u)\b[^<>]*>", re.I
)
_TAG = re.compile(r"<[^<>]*>")
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


def html_text(body: str) -> str:
    """Return the text of HTML, blanks where blocks end. For looking only: whatever
    is between tags is text."""
    return " ".join(shown_text(_TAG.sub(" ", _INLINE.sub("", body))).split())
