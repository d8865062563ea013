"""Which cases have passed with this very code."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.proofs.faults.cases import Case

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "reports" / "faults"
ABOVE = (
    *("notebook", "terminal", "display", "review", "survey", "evidence", "run"),
    "cli.py",
)
"""What the layers forbid steps and sandbox to import (pyproject.toml): no line of it
can matter to an import, so cases stay passed when it changes."""
COMMAND = "command"
"""The kind of cases that run the command itself, where every line may matter."""


@dataclass
class Passed:
    """The cases that passed, with what their kills hit; kept in a file each line."""

    kills: dict[str, Counter[str]] = field(default_factory=dict)
    """By the case's key."""

    def __post_init__(self) -> None:
        self._paths = {True: _path(()), False: _path(ABOVE)}
        for path in set(self._paths.values()):
            for line in path.read_text().splitlines() if path.exists() else ():
                key, kills = json.loads(line)
                self.kills[key] = Counter(kills)

    def add(self, case: Case, kills: Counter[str]) -> None:
        """Keep a case that passed, at once."""
        self.kills[case.key] = kills
        path = self._paths[case.kind == COMMAND]
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([case.key, kills]) + "\n")


def _path(left_out: Iterable[str]) -> Path:
    package = ROOT / "cmsmig"
    sources = sorted(
        path
        for path in (*package.rglob("*.py"), *Path(__file__).parent.glob("*.py"))
        if not any(path.is_relative_to(package / name) for name in left_out)
    )
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in sources)).hexdigest()
    return FOLDER / f"passed-{digest[:16]}.jsonl"
