"""The plan as a page that can be sent, and all that a person should know before an
import, one by one."""

from __future__ import annotations

from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.evidence.import_failures import file_failures
from cmsmig.evidence.new_items import new_items
from cmsmig.evidence.old_addresses import site_address
from cmsmig.evidence.report_findings import FindingSet, report_findings
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Project
from cmsmig.steps.plan.plan import Plan, PlanDetails
from cmsmig.ui.doc import Address, Cell, Facts
from cmsmig.ui.documents.plan import plan_name, plan_without_calls
from cmsmig.ui.format import moment
from cmsmig.ui.html.safe_html import doc_page
from cmsmig.ui.report_file import write_text

PAGE = "plan.html"


def write_plan_page(folder: Path, plan: Plan, details: PlanDetails, at: str) -> Path:
    """Write the plan as one page that asks no host for anything; `at` is the moment,
    ISO 8601. Raises `StorageError`."""
    site = details.migration.origin.site
    old = site_address(site)
    facts: list[tuple[str, Cell]] = [
        ("As of", moment(at)),
        *([("Old site", Address(old))] if old else []),
    ]
    title = f"Plan for the migration of {site.display_name}"
    content = (*plan_without_calls(plan), plan_name(plan))
    page = doc_page(title, (Facts(facts),), content)
    return write_text(folder / PAGE, page)


def plan_findings(
    project: Project, plan: Plan, details: PlanDetails
) -> tuple[FindingSet, ...]:
    """Return all that a person should know before an import, by sort. Reads only.

    What failed in an earlier import is in it, until it is tried again.
    """
    with Ledger.open_existing(project.ledger) as ledger:
        rows = {key: row for key, row in ledger.items.all().items() if _matters(row)}
        files = file_failures(details.migration, ledger.inventory.assets())
    rows |= {row.key: row for row in details.left_behind()}
    dangling: JsonObject = {"dangling": [each.as_json() for each in plan.dangling]}
    new = new_items(project, lambda: details.migration)
    return report_findings(
        details.migration, rows, tuple(files), dangling, details, new
    )


def _matters(row: ItemRow) -> bool:
    return row.status == "failed" or row.is_left_out
