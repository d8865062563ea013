"""Files for people to read: lists, pages and reports, no token in them; and CSV that no
spreadsheet takes for anything but text."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cmsmig.errors import StorageError
from cmsmig.masking import masked
from cmsmig.printable import printable
from cmsmig.valid_text import valid_text

_FORMULA = frozenset("=+-@")
_SEPARATOR = re.compile("([;\t])")
"""What a spreadsheet may take for the end of a cell instead of a comma; it hardly
honours quotes then, since ours are in the middle of its cells."""
_BLANKS = frozenset('\u115f\u1160\u3164\uffa0\u2800"')
"""Letters and signs that show nothing, and the quote, which is taken for the
beginning of a quoted cell behind another separator."""


def write_text(path: Path, text: str) -> Path:
    """Write a file, no token in it, and its folder. Raises `StorageError`."""
    return write_pieces(path, (text,))


def write_pieces(path: Path, pieces: Iterable[str]) -> Path:
    """Write a file piece by piece; no token may reach over two of them.

    Raises `StorageError`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for piece in pieces:
                file.write(valid_text(masked(piece)))
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); free some space, or name "
            "another folder for the reports."
        ) from error
    return path


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return rows as CSV, UTF-8 text; names are kept on their line.

    A cell that a spreadsheet would compute begins with an apostrophe.
    """
    return "".join(csv_lines(head, rows))


def csv_lines(
    head: Sequence[str], rows: Iterable[Sequence[str | int]]
) -> Iterator[str]:
    """Yield the lines of `csv_text` one by one, for rows that are many."""
    yield _line(head)
    for row in rows:
        yield _line([_inert(str(cell)) for cell in row])


def _line(row: Sequence[str | int]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()


def formula_sign(text: str) -> int | None:
    """Return where the sign is that lets a spreadsheet compute a cell, if any.

    What shows nothing may be before it: some skip that, some drop it.
    """
    for place, character in enumerate(text):
        if unicodedata.category(character)[0] in "CZM" or character in _BLANKS:
            continue
        return place if unicodedata.normalize("NFKC", character) in _FORMULA else None
    return None


def _inert(cell: str) -> str:
    line = printable(" ".join(valid_text(cell).split()))
    parts = _SEPARATOR.split(line)
    return "".join(part if formula_sign(part) is None else f"'{part}" for part in parts)
