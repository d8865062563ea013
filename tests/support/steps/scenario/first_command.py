"""The command that cases begin with, carried out once for all that have the same."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.sandbox.history import Entry
from tests.support.sandbox.space_records import put_back, records_of

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Case, Scenario

_OF_THE_CASE = frozenset({"faults", "answers", "clock", "delivery_lag"})
"""What is given and is no longer as it was after a command."""


@dataclass(frozen=True)
class After:
    """Project, space and history as a command left them."""

    folder: Path
    records: dict[str, Any]
    entries: list[Entry]
    printed: str

    @classmethod
    def of(cls, scenario: Scenario, folder: Path) -> After:
        """Keep where a case is; its project is copied to a folder."""
        project = scenario.project
        shutil.copytree(project.folder, folder)
        entries = [*project.handle.state.recorder.entries]
        return cls(folder, records_of(project.space), entries, scenario.printed)

    def bring(self, scenario: Scenario) -> None:
        """Let a case that has only begun be there, too."""
        project = scenario.project
        shutil.rmtree(project.folder)
        shutil.copytree(self.folder, project.folder)
        put_back(project.space, self.records)
        recorder = project.handle.state.recorder
        recorder.entries[:] = self.entries
        recorder.arrivals = len(self.entries)
        scenario.printed = self.printed


@dataclass
class FirstCommands:
    """What is kept for the cases of one process."""

    folder: Path
    begun: Counter[str]
    """How many cases begin in the same way."""
    kept: dict[str, After] = field(default_factory=dict)

    @classmethod
    def of(cls, cases: list[Case], folder: Path) -> FirstCommands:
        """Keep what several of these cases begin with in a folder."""
        return cls(folder, Counter(_key(case) for case in cases))

    def take(self, scenario: Scenario, case: Case) -> None:
        """Carry out the first command of a case, or bring what it did."""
        key = _key(case)
        if key in self.kept:
            self.kept[key].bring(scenario)
            return
        scenario.take(case.steps[0])
        if self.begun[key] > 1 and _OF_THE_CASE.isdisjoint(case.given):
            place = self.folder / str(len(self.kept))
            self.kept[key] = After.of(scenario, place)


def _key(case: Case) -> str:
    return repr((case.given, case.steps[:1]))
