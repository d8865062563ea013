"""Slots for the requests that a service takes of one space at a time.

The rate counts per token and the requests in flight count per space, so the slots have
a file of their own. Source: destination, rate limits.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from cmsmig.wire.budget_file import BudgetFile, BudgetTransaction, shared_name

ABANDONED_SECONDS = 90.0
"""A request in flight that reports nothing for so long is not counted any more."""


class InFlightSlots:
    """At most `most` slots in use by all processes with the same key and folder."""

    def __init__(self, key: str, most: int, folder: Path) -> None:
        self._file = BudgetFile(folder / f"in-flight-{shared_name(key)}.sqlite")
        self._most = most

    def take(self, clock: float) -> int:
        """Take a slot and return its number, 0 if all are in use.

        Raises `BudgetBusyError` and `StorageError`.
        """
        return self._file.change(partial(self._take, clock=clock))

    def free(self, number: int) -> None:
        """Free a slot. Raises `BudgetBusyError` and `StorageError`."""
        self._file.change(lambda book: book.end(number))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def _take(self, book: BudgetTransaction, clock: float) -> int:
        now = book.now(clock)
        book.forget_before(now, now - ABANDONED_SECONDS)
        if book.under_way(now - ABANDONED_SECONDS) >= self._most:
            return 0
        book.state.released += 1
        book.begin(book.state.released, now)
        return book.state.released
