"""A document as data: written once, and shown as HTML in a notebook and a page, and as
text in a terminal.

Texts are plain: nothing in them is HTML. In a `Text`, a `Note` and the values of
`Facts`, what is between backticks is code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cmsmig.counting import and_more
from cmsmig.printable import printable

Severity: TypeAlias = Literal["", "good", "warning", "bad"]


_WIDEST = 48
"""Characters that a column is padded to at most."""
_SIGNS = {"": "note: ", "good": "", "warning": "warning: ", "bad": "error: "}


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; in a cell, a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A word in a cell that a severity colours."""

    text: str
    kind: Severity = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A path in a cell that leads to its page below the address of a site; a plain
    text where the address is empty."""

    path: str
    site: str


@dataclass(frozen=True, slots=True)
class Address:
    """A web address in a cell that is opened as it is. Never one from content."""

    text: str


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder that a page is in, as a link."""

    text: str


Cell: TypeAlias = (
    "str | int | float | Text | Mark | Link | Address | Folder | Sequence[Link] | None"
)
"""A number is written with thousands apart and to the right; True as `yes`."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence with a coloured edge."""

    text: str
    kind: Severity = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values."""

    rows: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows, of which the first `shown` are shown."""

    head: Sequence[str]
    """Empty for a list of lines."""
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    shown: int = 20
    total: int = 0
    """How many rows there are in all, where `rows` are only the first of them."""
    rest: str = ""
    """Where the rows are that are not shown."""

    @property
    def more(self) -> str:
        """Return the line that says how many rows are not shown; empty if all are."""
        count, kept = max(self.total, len(self.rows)), min(self.shown, len(self.rows))
        rest = f"; {self.rest}" if self.rest else ""
        return and_more(count, kept, "… and ", rest, form=",")


@dataclass(frozen=True, slots=True)
class Fold:
    """Parts below a title. In HTML it is closed at first."""

    title: str
    parts: Sequence[Part]


Part: TypeAlias = Text | Heading | Note | Facts | Table | Fold
Doc: TypeAlias = Sequence[Part]


def applicable(*parts: tuple[object, Part]) -> Iterator[Part]:
    """Yield the parts that apply, each given behind its condition."""
    yield from (part for applies, part in parts if applies)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    caption: str,
    rest: str = "",
    shown: int = 20,
) -> Iterator[Table]:
    """Yield a table whose caption says how many rows there are; nothing without
    rows."""
    if found := [*rows]:
        yield Table(head, found, f"{caption} ({len(found):,})", shown, rest=rest)


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
        case Text(text) | Mark(text) | Link(text) | Address(text) | Folder(text):
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
