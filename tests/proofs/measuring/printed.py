"""What a proof prints, and what it waits for and promises."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping


def print_table(rows: Iterable[Mapping[str, object]]) -> None:
    """Print rows by the names of their columns, as Markdown, each at once."""
    for number, row in enumerate(rows):
        if number == 0:
            print(f"\n| {' | '.join(row)} |\n{'|---' * len(row)}|")
        print("|", " | ".join(map(str, row.values())), "|", flush=True)


def tell(line: str) -> None:
    """Write a line about what is being done."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stderr.flush()


def broken(promised: Mapping[str, bool]) -> list[str]:
    """Return the promises that are not kept."""
    return [what for what, kept in promised.items() if not kept]


def wait_for(
    happened: Callable[[], bool], what: str, seconds: float = 180, every: float = 0.25
) -> None:
    """Look again and again, not so often that it keeps a sandbox from its work; raise
    `TimeoutError` when it does not happen."""
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            raise TimeoutError(f"Not within {seconds:g} s: {what}.")
        time.sleep(every)
