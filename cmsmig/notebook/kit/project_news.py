"""Lets the panels of a notebook follow the project: what one of them changes, the
others show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from cmsmig.ledger.run_history import count_runs
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project

RAW, DECISIONS, LEDGER, RUNS = "raw", "decisions", "ledger", "runs"
"""What of a project changes, `runs` whenever one ended; with a slash and the name of a
file, that alone."""
CONFLICTS = "conflicts"
"""How many of them wait, as far as a panel has found."""
_EVERY = 2.0
"""Seconds between two looks at what other programs change."""
_Seen: TypeAlias = "dict[str, tuple[tuple[str, int, int], ...]]"


@dataclass(slots=True)
class ProjectNews:
    """Looks at the files of a project, and calls those who follow what changed."""

    conflicts: int = 0
    """What both sides changed and no one has decided, as far as a panel has found."""
    is_planned: bool = False
    """Whether a plan counted them: a comparison alone misses some publications."""
    is_verified: bool = False
    """Whether everything was read back in this notebook."""
    is_reported: bool = False
    """Whether the report was written in this notebook."""
    decided: int = 0
    """How many decisions changed, as far as they are counted."""
    _decided_before: int = 0
    _is_watching: bool = False
    _is_ended: bool = False
    _seen: _Seen = field(default_factory=dict)
    _listeners: dict[str, tuple[frozenset[str], Callable[[], None]]] = field(
        default_factory=dict
    )
    """By panel, so that a cell that runs again takes the place of before."""

    def follow(self, panel: str, listener: Callable[[], None], *kinds: str) -> None:
        """Call a listener when something of these kinds changed."""
        self._listeners[panel] = frozenset(kinds), listener

    def count_conflicts(self, count: int, *, is_planned: bool) -> None:
        """Keep how many conflicts a panel has found, and call those who follow them."""
        before = self.conflicts, self.is_planned
        self.conflicts, self.is_planned = count, is_planned
        if before != (count, is_planned):
            self.tell({CONFLICTS})

    def look(self, project: Project) -> None:
        """Call those who follow what changed since the last look."""
        self._compare(_look(project))

    def watch(self, project: Project) -> None:
        """Look now and then, too: other notebooks and commands change the project."""
        if not self._is_watching:
            self._is_watching = True
            self._look_later(project, {})

    def _look_later(self, project: Project, before: _Seen) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(_EVERY, self._look_around, project, before)

    def _look_around(self, project: Project, before: _Seen) -> None:
        """Look once, and then once more; `before` is what was found last."""
        if self._is_ended:
            return
        # Reading the ledger changes its files.
        found = {**_look(project), LEDGER: self._seen.get(LEDGER, ())}
        self._look_later(project, found)
        # A pull or an import that is at work changes something all the time.
        is_quiet = found == before
        if is_quiet and found != self._seen and RawCache(project.raw).complete():
            self._compare(found)

    def _compare(self, found: _Seen) -> None:
        before, self._seen = self._seen, found
        for kind, files in found.items() if before else ():
            changed = {name for name, *_ in set(files) ^ set(before[kind])}
            if not changed:
                continue
            if kind == DECISIONS and self.decided == self._decided_before:
                self.decided += len(changed)
            self._decided_before = self.decided
            self.tell({kind, *(f"{kind}/{name}" for name in changed)})

    def end(self) -> None:
        """Look no more, and call no one."""
        self._is_ended = True
        self._listeners.clear()

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
    stamps = {kind: (*_stamps(sorted(paths)),) for kind, paths in places.items()}
    return {**stamps, RUNS: (("", count_runs(project.ledger), 0),)}


def _stamps(paths: list[Path]) -> Iterator[tuple[str, int, int]]:
    for path in paths:
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        yield path.name, found.st_size, found.st_mtime_ns
