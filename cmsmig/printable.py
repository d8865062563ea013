"""Text from elsewhere as a terminal shows it: nothing in it acts, all of it is seen.

Names and what services say may hold controls: ESC and the C1 controls begin
sequences that rename windows or fill the clipboard, line ends forge lines, and
bidirectional controls let a line read as another one.
"""

from __future__ import annotations

import io
import re
from typing import TextIO

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Unicode's property Bidi_Control."""
_ACTS = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}\ud800-\udfff]")
"""Controls, what ends a line, and lone surrogates, which have no UTF-8 form."""
_LAID_OUT = "\n\t"


def printable(text: str) -> str:
    """Return a text as one line in which controls are escaped, such as `\\x1b`."""
    return _ACTS.sub(lambda found: _escaped(found[0]), text)


def printable_lines(text: str) -> str:
    """Return a text in which controls are escaped; its lines and tabs stay."""
    return _ACTS.sub(
        lambda found: found[0] if found[0] in _LAID_OUT else _escaped(found[0]), text
    )


def printable_json(text: str) -> str:
    """Return JSON text in which the same characters are JSON's own escapes."""
    return _ACTS.sub(
        lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text
    )


class PrintableStream(io.TextIOBase):
    """Passes on what is written to it, as `printable_lines` has it."""

    def __init__(self, onto: TextIO) -> None:
        super().__init__()
        self._onto = onto

    def write(self, text: str) -> int:
        """Write a text; it need not be a whole line."""
        self._onto.write(printable_lines(text))
        return len(text)

    def flush(self) -> None:
        """Pass on what is held back."""
        self._onto.flush()


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
