"""Safe HTML for panels: the names of `cmsmig.display.safe_html`, which reports share."""

from __future__ import annotations

from cmsmig.display.safe_html import (
    Cell,
    coded,
    escape,
    facts,
    framed,
    heading,
    more,
    note,
    paragraph,
    preview,
    sanitised,
    sheet,
    source,
    table,
    untypeset,
)

__all__ = [
    "Cell",
    "coded",
    "escape",
    "facts",
    "framed",
    "heading",
    "more",
    "note",
    "paragraph",
    "preview",
    "sanitised",
    "sheet",
    "source",
    "table",
    "untypeset",
]
