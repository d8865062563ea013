"""The three standard streams, of which the caller may have closed any."""

from __future__ import annotations

import os
import sys

from cmsmig.errors import StorageError


def require_output() -> None:
    """Raise `StorageError` when nobody can get what is printed.

    A closed stream is opened on nothing first: else the next file that is opened,
    the ledger perhaps, would take its number, and get what is written to it.
    """
    lacking = sys.stdout is None
    _fill()
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
    if lacking:
        raise StorageError(
            "Standard output is closed, so that nobody would see the result, and "
            "nothing was done; run this again with it open, or with >/dev/null."
        )


def _fill() -> None:
    """Open nothing under every number up to 2 that is free."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
