"""Parts of a Markdown page. What is in them is content: Markdown and HTML in it are
escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from cmsmig.printable import printable

Row: TypeAlias = "Sequence[str]"

_CODE = re.compile(r"[\w ./@+,:;()'\"{}=|\\-]+")
_ACTS = re.compile(r"([\\`*_\[\]|#~!])")


def table(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a table, and an empty one."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def listed(values: Iterable[object]) -> str:
    """Return values as code, one after the other."""
    return ", ".join(map(code, values))


def code(value: object) -> str:
    """Return a value of a table as code where that shows it as it is, else as text."""
    shown = str(value)
    # A bar ends a cell, in code too; its backslash does not show.
    shown_in_cell = shown.replace("|", "\\|")
    return f"`{shown_in_cell}`" if _CODE.fullmatch(shown) else text(shown)


def text(value: object) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    shown = printable(" ".join(str(value).split()))
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _ACTS.sub(r"\\\1", shown)
