"""Everything that somebody should see to or know of, one by one."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.evidence.report import findings_parts
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.notebook.kit.finding_table import (
    FindingRows,
    FindingSetTable,
    FindingWords,
    parts_of,
)
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.verify.cutover import Handover
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.relation import Nouns

_SHOWN = 25
"""Findings of one sort that an unattended run shows."""
_WORDS = FindingWords(
    prefix="findings",
    title="What to handle, one by one",
    nouns=Nouns(
        "finding",
        "findings",
        "Everything arrived whole: nothing failed, is missing, lost or left out.",
    ),
    not_yet="Nothing is found so far.",
    left_out="What is not looked through yet is left out.",
)


def findings_sheet(handover: Handover) -> Markup:
    """Return the lists without controls, the first of each."""
    return doc_sheet(*findings_parts(handover.evidence(), shown=_SHOWN))


def findings_board(handover: Handover) -> Element:
    """Return the lists as one, read in the background and again when something was
    read back."""

    def read() -> tuple[FindingSet, ...]:
        return handover.evidence().findings

    rows = FindingRows(_WORDS.nouns, "findings", handover.pages.site, parts_of(read()))
    source = handover.workspace.list_source(rows)
    listed = FindingSetTable(_WORDS, source, rows, read)
    handover.on_checked(listed.read)
    return listed.element()
