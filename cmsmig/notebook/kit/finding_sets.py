"""Findings of several sorts as one list, read in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from cmsmig.counting import counted
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.notebook.kit.finding_panel import (
    FindingPanel,
    FindingSources,
    FindingWords,
)
from cmsmig.notebook.kit.finding_rows import FindingRows
from cmsmig.notebook.kit.slices import in_slices
from cmsmig.ui.documents.finding_list import Finding

_BATCH = 200
_BETWEEN = 0.7
"""Seconds between two times that the list says how far it is."""


@dataclass(frozen=True, slots=True)
class FindingLists:
    """Where the findings come from, and where their CSV files go."""

    read: Callable[[], tuple[FindingSet, ...]]
    folder: Path
    file: str
    """The name of the CSV file of all of them, without the ending."""
    dry_run: bool
    site: str
    """The address that pages are below."""


class FindingSetBoard:
    """The list, and what fills it."""

    def __init__(self, called: FindingWords, lists: FindingLists) -> None:
        self._lists = lists
        self._rows = FindingRows()
        self._round = 0
        self._reading = True
        self._told = 0.0
        self.panel = FindingPanel(
            called,
            FindingSources(
                rows=self._rows,
                folder=lists.folder,
                file=lists.file,
                dry_run=lists.dry_run,
                is_complete=lambda: not self._reading,
                progress=self._progress,
                parts=[(each.title, each.name) for each in lists.read()],
                site=lists.site,
            ),
        )
        self.panel.show()

    def start(self) -> None:
        """Read all findings anew."""
        self.panel.board.queue(self._read)

    async def _read(self) -> None:
        self._round += 1
        mine, self._reading = self._round, True
        self._rows.clear()
        for part, each in enumerate(self._lists.read()):
            batch: list[tuple[int, Finding]] = []
            async for finding in in_slices(each.read()):
                if mine != self._round:
                    return
                batch.append((part, finding))
                if len(batch) == _BATCH:
                    self._keep(part, batch)
                    self._tell()
            self._keep(part, batch)
        self._reading = False
        self.panel.renew()

    def _tell(self) -> None:
        """Show how far it is, now and then: each time all findings are counted."""
        if monotonic() - self._told > _BETWEEN:
            self._told = monotonic()
            self.panel.renew()

    def _keep(self, part: int, batch: list[tuple[int, Finding]]) -> None:
        self._rows.add(part, batch)
        batch.clear()

    def _progress(self) -> str:
        if not self._reading:
            return ""
        count = sum(times for _, times, _, _ in self._rows.kinds())
        return f"{counted(count, 'finding')} so far; the list goes on growing."
