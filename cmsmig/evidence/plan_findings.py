"""What a plan lists one by one, in the same words as the report."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.evidence.failures import file_failures
from cmsmig.evidence.report_findings import FindingSet, report_findings
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.plan_details import PlanDetails


def plan_findings(
    plan: Plan, details: PlanDetails, ledger: Ledger
) -> tuple[FindingSet, ...]:
    """Return all that a person should know before an import, by sort. Reads only.

    What failed in an earlier import is in it, until it is tried again.
    """
    rows = {key: row for key, row in ledger.items.all().items() if _matters(row)}
    rows |= {row.key: row for row in details.left_behind()}
    files = file_failures(details.migration, ledger.inventory.assets())
    dangling: JsonObject = {"dangling": [each.as_json() for each in plan.dangling]}
    return report_findings(details.migration, rows, tuple(files), dangling, details)


def _matters(row: ItemRow) -> bool:
    return row.status == "failed" or row.is_left_out
