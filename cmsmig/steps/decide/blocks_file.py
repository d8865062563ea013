"""`blocks.yaml` while people edit it: each click is saved at once, and what another
notebook saved is read in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cmsmig.mapping.decisions.choices import BlocksDecision
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.block_designs import with_blocks
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_in, replace_decision, writing

Change = Callable[[BlocksDecision], BlocksDecision]


class BlocksFile:
    """The decision in memory; read again when another program changed the file."""

    def __init__(
        self, project: Project, decision: BlocksDecision, *, dry_run: bool
    ) -> None:
        self.decision = decision
        self._project = project
        self._path = project.decisions / FILE_NAMES[BlocksDecision]
        self._dry_run = dry_run
        self._seen = _state(self._path)

    def change(self, change: Change, *, design: bool) -> None:
        """Apply a change to what is decided now and write it; in a dry run only
        apply it.

        With `design`, `design.yaml` gets the components that blocks need and it
        lacks. Raises `StorageError` when the folder cannot be written and
        `DecisionsError` when another program left a malformed file.
        """
        if self._dry_run:
            self.decision = change(self.decision)
            return
        with writing(self._project):
            decision = change(self._current())
            replace_decision(self._project, decision)
            if design:
                self._complete_design(decision)
            self.decision = decision
            self._seen = _state(self._path)

    def _current(self) -> BlocksDecision:
        if _state(self._path) == self._seen:
            return self.decision
        return decision_in(self._project, BlocksDecision) or self.decision

    def _complete_design(self, decision: BlocksDecision) -> None:
        there = decision_in(self._project, Design)
        if there is not None and (wanted := with_blocks(there, decision)) != there:
            replace_decision(self._project, wanted)


def _state(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is replaced or written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
