"""What a plan leaves behind or loses, one by one: a list to search, sort and save."""

from __future__ import annotations

from itertools import chain

from markupsafe import Markup

from cmsmig.evidence.evidence import LISTS
from cmsmig.evidence.origin_pages import OriginPages
from cmsmig.evidence.plan_findings import plan_findings
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.ledger.store import Ledger
from cmsmig.notebook.kit.finding_table import (
    FindingRows,
    FindingSetTable,
    FindingWords,
    parts_of,
)
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.notebook.transfer.shown_plan import ShownPlan
from cmsmig.ui.doc_html import doc_sheet
from cmsmig.ui.documents.finding_list import findings_csv_lines, findings_doc
from cmsmig.ui.relation import Nouns
from cmsmig.ui.report_file import write_pieces

_FILE = "plan-findings"
_WORDS = FindingWords(
    prefix="foreseen",
    title="What the import leaves behind or loses",
    nouns=Nouns(
        "finding", "findings", "Everything arrives, and nothing of it is lost."
    ),
    not_yet="Nothing is found so far.",
    left_out="What is not looked through yet is left out.",
)


def findings_panel(workspace: Workspace, shown: ShownPlan) -> Panel:
    """Return the list of all findings of the plan that is shown.

    Unattended it is written as CSV, unless in a dry run.
    """
    folder = workspace.project.root / LISTS

    def read() -> tuple[FindingSet, ...]:
        with Ledger.open_existing(workspace.project.ledger) as ledger:
            return plan_findings(shown.plan, shown.details, ledger)

    def site() -> str:
        return OriginPages(shown.details.migration).site

    def static() -> Markup:
        sets, rest = read(), "`cmsmig plan --json` lists all"
        if not workspace.dry_run:
            found = chain.from_iterable(each.read() for each in sets)
            path = write_pieces(folder / f"{_FILE}.csv", findings_csv_lines(found))
            rest = f"all are in {path}"
        found = chain.from_iterable(each.read() for each in sets)
        return doc_sheet(
            *findings_doc(
                found, _WORDS.title, none=_WORDS.nouns.none, rest=rest, site=site()
            )
        )

    def controls() -> Element:
        rows = FindingRows(_WORDS.nouns, _FILE, site(), parts_of(read()))
        listed = FindingSetTable(_WORDS, workspace.list_source(rows), rows, read)
        shown.watchers["findings"] = listed.read
        return listed.element()

    return workspace.panel(static, controls, text=_WORDS.title)
