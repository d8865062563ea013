"""Everything that somebody should see to or know of, one by one."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.display.finding_list import Finding, findings_html
from cmsmig.display.safe_html import heading, joined, sheet
from cmsmig.evidence.evidence import LISTS
from cmsmig.notebook.kit.finding_panel import (
    FindingPanel,
    FindingSources,
    FindingWords,
)
from cmsmig.notebook.kit.finding_rows import FindingRows
from cmsmig.notebook.kit.slices import in_slices
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.verify.cutover import Handover

_SHOWN = 25
"""Findings of one sort that an unattended run shows."""
_BATCH = 200
_WORDS = FindingWords(
    prefix="findings",
    title="What is to be seen to, one by one",
    one="finding",
    many="findings",
    none="Everything arrived whole: nothing failed, is missing, lost or left out.",
    not_yet="Nothing is found so far.",
    left_out="What is not looked through yet is left out.",
)


def findings_sheet(handover: Handover) -> Markup:
    """Return the lists without controls, the first of each."""
    parts = [
        joined(
            (
                heading(each.title),
                findings_html(
                    each.read(),
                    each.title,
                    none=each.none,
                    shown=_SHOWN,
                    after=f"; all are in {LISTS}/{each.name}.csv beside the report",
                ),
            )
        )
        for each in handover.evidence().findings
    ]
    return sheet(*parts)


def findings_board(handover: Handover) -> Element:
    """Return the lists as one, read in the background and again when something was
    read back."""
    board = _Board(handover)
    handover.on_checked(board.start)
    board.start()
    return board.panel.live


class _Board:
    """The list, and what fills it."""

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._rows = FindingRows()
        self._round = 0
        self._reading = True
        self._sets = handover.evidence().findings
        workspace = handover.workspace
        self.panel = FindingPanel(
            _WORDS,
            FindingSources(
                rows=self._rows,
                folder=workspace.project.root / LISTS,
                file="findings",
                dry_run=workspace.dry_run,
                is_complete=lambda: not self._reading,
                progress=self._progress,
                parts=[(each.title, each.name) for each in self._sets],
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
        self._sets = self._handover.evidence().findings
        for part, each in enumerate(self._sets):
            batch: list[tuple[int, Finding]] = []
            async for finding in in_slices(each.read()):
                if mine != self._round:
                    return
                batch.append((part, finding))
                if len(batch) == _BATCH:
                    self._keep(part, batch)
                    self.panel.renew()
            self._keep(part, batch)
        self._reading = False
        self.panel.renew()

    def _keep(self, part: int, batch: list[tuple[int, Finding]]) -> None:
        self._rows.add(part, batch)
        batch.clear()

    def _progress(self) -> str:
        if not self._reading:
            return ""
        count = sum(times for _, times, _, _ in self._rows.kinds())
        return f"{counted(count, 'finding')} so far; the list goes on growing."
