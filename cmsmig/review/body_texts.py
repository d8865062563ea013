"""What bodies say, in a private SQLite file: 10,000 of them are searched at once."""

from __future__ import annotations

import re
import sqlite3

from cmsmig.character_references import shown_text
from cmsmig.ui.query import folded
from cmsmig.whole_text import whole_text

_INLINE = re.compile(r"</?(?:a|b|code|em|i|span|strong|sub|sup|u)\b[^<>]*>", re.I)
_TAG = re.compile(r"<[^<>]*>")


class BodyTexts:
    """The words of each body, by its index."""

    def __init__(self) -> None:
        # Without a name it is in memory, and on disk beyond a few megabytes; it goes
        # with the kernel. Panels may be served by different threads.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("CREATE TABLE body (number INTEGER PRIMARY KEY, words TEXT)")

    def keep(self, index: int, html: str) -> None:
        """Keep what a body says, in place of what it said."""
        self._db.execute(
            "INSERT OR REPLACE INTO body VALUES (?, ?)",
            (index, whole_text(_words(html))),
        )

    def holding(self, word: str) -> frozenset[int]:
        """Return the indexes of the bodies that hold a folded word."""
        found = self._db.execute(
            "SELECT number FROM body WHERE instr(words, ?)",
            (whole_text(word),),
        )
        return frozenset(number for (number,) in found)


def _words(html: str) -> str:
    return folded(shown_text(_TAG.sub(" ", _INLINE.sub("", html))))
