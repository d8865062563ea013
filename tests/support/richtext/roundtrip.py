"""Rendering and converting again: where the HTML may differ, by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cmsmig.richtext.native import Mode
from tests.support.richtext.conservation import mappings

_BLANKS = re.compile(r"(?:\A[ \t\r\n\f])|(?:[ \t\r\n\f]\Z)|[ \t\r\n\f]{2}|[\t\r\n\f]")
_SHOWN = re.compile(r"[^\s\u200b\u200c\u200d\u2060\ufeff]")
_SPELLABLE = re.compile(r"[^\s\x00\"'<>/=]+")
_TEXTBLOCKS = ("paragraph", "heading")


def unsettled(document: object, mode: Mode) -> set[str]:
    """Return the names of what a document holds that HTML can't tell again."""
    return {name for node in mappings(document) for name in _of_node(node, mode)}


def _of_node(node: Mapping[str, object], mode: Mode) -> Iterator[str]:
    kind, given = node.get("type"), node.get("attrs")
    content = node.get("content")
    inside = content if isinstance(content, list) else []
    if kind == "blok":
        yield "blok: rendered as nothing"
    if kind in _TEXTBLOCKS:
        lines = "".join(
            str(each.get("text", "\n" if each["type"] == "hard_break" else "\ufffc"))
            for each in inside
        )
        if any(_BLANKS.search(line) for line in lines.split("\n")):
            yield "blanks: kept here, collapsed when read again"
        if mode is Mode.FAITHFUL and inside and not _SHOWN.search(lines):
            yield "spacer: left out when it is a paragraph of its own"
    if mode is Mode.FAITHFUL and kind == "code_block" and not inside:
        yield "empty code: listed and left out when it is delivered so"
    for mark in _marks(node):
        held = mark.get("attrs")
        values = held.values() if isinstance(held, Mapping) else ()
        if mark["type"] in ("anchor", "styled", "textStyle") and not any(values):
            yield "empty mark: rendered without its attribute"
        custom = held.get("custom") if isinstance(held, Mapping) else None
        if isinstance(custom, Mapping) and not all(map(_SPELLABLE.fullmatch, custom)):
            yield "a link's attribute that no HTML can spell"
        if mark["type"] == "highlight" and any(values):
            yield "highlight: its colour is rendered as a background"
    if kind == "image" and isinstance(given, Mapping) and not given.get("src"):
        yield "image without an address"


def _marks(node: Mapping[str, object]) -> list[Mapping[str, object]]:
    marks = node.get("marks")
    return marks if isinstance(marks, list) else []
