"""Results that are kept as long as the code that they depend on is the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

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
