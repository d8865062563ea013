"""A document as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cmsmig.printable import printable
from cmsmig.ui.doc import (
    Address,
    Cell,
    Facts,
    Fold,
    Heading,
    Link,
    Mark,
    Note,
    Part,
    Table,
    Text,
)

_WIDEST = 48
"""Characters that a column is padded to at most."""
_SIGNS = {"": "note: ", "good": "", "warning": "warning: ", "bad": "error: "}


def doc_lines(doc: Iterable[Part], indent: str = "") -> Iterator[str]:
    """Yield the lines of a document. What its texts hold is not yet safe for a
    terminal; `emit_lines` escapes it."""
    for part in doc:
        for line in _lines(part):
            yield f"{indent}{line}" if line else line


def table_lines(rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """Yield rows as aligned columns, without controls; numbers are to the right."""
    shown = [[printable(_cell(cell)) for cell in row] for row in rows]
    columns = zip(*shown, strict=True)
    widths = [min(_WIDEST, max(map(len, column))) for column in columns]
    for row, texts in zip(rows, shown, strict=True):
        cells = zip(row, texts, widths, strict=True)
        yield "  ".join(
            text.rjust(width) if _is_number(cell) else text.ljust(width)
            for cell, text, width in cells
        ).rstrip()


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Text(text):
            yield text
        case Heading(text):
            yield from ("", text)
        case Note(text, kind):
            yield f"{_SIGNS[kind]}{text}"
        case Facts(rows):
            yield from (f"{name}: {_cell(cell)}" for name, cell in rows)
        case Table(head, rows, caption, shown):
            indent = "  " if caption else ""
            if caption:
                yield caption
            listed = [*([head] if any(head) else []), *rows[:shown]]
            yield from (f"{indent}{line}" for line in table_lines(listed))
            if part.more:
                yield f"{indent}{part.more}"
        case Fold(title, parts):
            yield from ("", title)
            yield from doc_lines(parts, "  ")


def _cell(cell: Cell) -> str:
    match cell:
        case Text(text) | Mark(text) | Link(text) | Address(text):
            return text
        case None:
            return ""
        case bool():
            return "yes" if cell else ""
        case int() | float():
            return f"{cell:,}"
        case str():
            return cell
        case links:
            return ", ".join(each.path for each in links)


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float)
