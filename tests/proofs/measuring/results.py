"""What a proof prints, waits for and promises, and results that are kept."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any


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


ROOT = Path(__file__).resolve().parents[3]
ABOVE = ("notebook", "ui", "review", "survey", "evidence", "run")
"""Folders of the package that no case, and no import, depends on."""


class Kept:
    """Results by name; a line in a file each."""

    def __init__(self, path: Path, above: Collection[str] = ABOVE) -> None:
        package = ROOT / "cmsmig"
        sources = sorted(
            each
            for folder in (package, ROOT / "tests" / "proofs", ROOT / "tests/support")
            for each in folder.rglob("*.py")
            if not any(each.is_relative_to(package / name) for name in above)
        )
        read = b"".join(each.read_bytes() for each in sources)
        digest = hashlib.sha256(read).hexdigest()[:16]
        self._path = path.with_name(f"{path.name}-{digest}.jsonl")
        lines = self._path.read_text().splitlines() if self._path.exists() else ()
        self.results: dict[str, Any] = dict(map(json.loads, lines))

    def add(self, name: str, result: Any) -> None:
        """Keep a result, at once."""
        self.results[name] = result
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps([name, result])}\n")
