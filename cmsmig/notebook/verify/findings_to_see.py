"""Everything that somebody should see to or know of, one by one."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.evidence.evidence import LISTS
from cmsmig.evidence.report import findings_parts
from cmsmig.notebook.kit.finding_panel import FindingWords
from cmsmig.notebook.kit.finding_sets import FindingLists, FindingSetBoard
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.verify.cutover import Handover
from cmsmig.ui.doc_html import doc_sheet

_SHOWN = 25
"""Findings of one sort that an unattended run shows."""
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
    return doc_sheet(*findings_parts(handover.evidence(), shown=_SHOWN))


def findings_board(handover: Handover) -> Element:
    """Return the lists as one, read in the background and again when something was
    read back."""
    workspace = handover.workspace
    board = FindingSetBoard(
        _WORDS,
        FindingLists(
            read=lambda: handover.evidence().findings,
            folder=workspace.project.root / LISTS,
            file="findings",
            dry_run=workspace.dry_run,
            site=handover.pages.site,
        ),
    )
    handover.on_checked(board.start)
    board.start()
    return board.panel.live
