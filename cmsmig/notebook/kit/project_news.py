"""Lets the panels of a notebook follow the project: what one of them changes, the
others show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from cmsmig.settings import Project

RAW, DECISIONS, LEDGER = "raw", "decisions", "ledger"
"""What of a project changes; with a slash and the name of a file, that alone."""
_Seen: TypeAlias = "dict[str, tuple[tuple[str, int, int], ...]]"


@dataclass(slots=True)
class ProjectNews:
    """Looks at the files of a project, and calls those who follow what changed."""

    conflicts: int = 0
    """What both sides changed and no one has decided, as far as a panel has found."""
    is_verified: bool = False
    """Whether everything was read back in this notebook."""
    is_reported: bool = False
    """Whether the report was written in this notebook."""
    _seen: _Seen = field(default_factory=dict)
    _listeners: dict[str, tuple[frozenset[str], Callable[[], None]]] = field(
        default_factory=dict
    )
    """By panel, so that a cell that runs again takes the place of before."""

    def follow(self, panel: str, listener: Callable[[], None], *kinds: str) -> None:
        """Call a listener when something of these kinds changed."""
        self._listeners[panel] = frozenset(kinds), listener

    def look(self, project: Project) -> None:
        """Call those who follow what changed since the last look."""
        before, self._seen = self._seen, _look(project)
        for kind, files in self._seen.items() if before else ():
            changed = set(files) ^ set(before[kind])
            self.tell(
                {kind, *(f"{kind}/{name}" for name, *_ in changed)}
                if changed
                else set()
            )

    def tell(self, kinds: set[str]) -> None:
        """Call those who follow something of these kinds."""
        for wanted, listener in [*self._listeners.values()]:
            if wanted & kinds:
                listener()


def _look(project: Project) -> _Seen:
    places = {
        RAW: [*project.raw.glob("*.json"), *project.raw.glob("*/*.json")],
        DECISIONS: [*(project.root / "decisions").glob("*.yaml")],
        LEDGER: [*project.ledger.parent.glob(f"{project.ledger.name}*")],
    }
    return {kind: (*_stamps(sorted(paths)),) for kind, paths in places.items()}


def _stamps(paths: list[Path]) -> Iterator[tuple[str, int, int]]:
    for path in paths:
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        yield path.name, found.st_size, found.st_mtime_ns
