"""Documents as text that people read and write: a line for each node, indented."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_UNSHOWN = frozenset(("type", "attrs", "marks", "component", "_uid"))


def outline(node: Mapping[str, Any], indent: str = "") -> str:
    """Return a document as lines: its nodes with their attributes and marks, the
    components in it with their fields. Ids of blocks and empty attributes are left
    out."""
    return "".join(f"{line}\n" for line in _lines(node, indent))


def _lines(node: Mapping[str, Any], indent: str) -> Iterator[str]:
    held = _held(node)
    if node.get("type") != "doc":
        yield indent + " ".join((_head(node), *map(_head, node.get("marks", ()))))
        indent += "  "
    for name, value in held.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, Mapping):
                    yield from _lines(each, indent)


def _held(node: Mapping[str, Any]) -> dict[str, Any]:
    held = {**node, **(node.get("attrs") or {})}
    apart = {"blok": "id", "text": "text"}.get(str(node.get("type")))
    return {
        name: value
        for name, value in held.items()
        if name not in _UNSHOWN and name != apart
    }


def _head(node: Mapping[str, Any]) -> str:
    kind = node.get("type") or node.get("component") or ""
    words = [_quoted(node["text"]) if kind == "text" else str(kind)]
    for name, value in _held(node).items():
        plain = not isinstance(value, Mapping) and value != []
        if value is not None and plain and not _holds_nodes(value):
            words.append(f"{name}={_quoted(value)}")
    return " ".join(filter(None, words))


def _holds_nodes(value: object) -> bool:
    return isinstance(value, list) and isinstance(value[0], Mapping)


def _quoted(value: object) -> str:
    """Return a value as JSON; a text in which something is unseen is in ASCII."""
    return json.dumps(value, ensure_ascii=not str(value).isprintable())
