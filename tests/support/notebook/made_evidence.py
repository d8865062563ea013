"""Evidence that was made up: a report with every part in it, and any text anywhere."""

from __future__ import annotations

from cmsmig.configuration.regions import REGION_BASES
from cmsmig.evidence.evidence import Evidence
from cmsmig.evidence.import_failures import item_failures
from cmsmig.evidence.old_addresses import site_address, space_address
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.evidence.summary import CollectionOutcome, FileCount, LossCount
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import Accounting, ItemRow
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressOutcome,
    AddressRow,
    Source,
)
from cmsmig.origin.schema import Site
from cmsmig.richtext.losses import Severity
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.ui.documents.findings import Finding

KEY = ItemKey("c", "i", "l")


def evidence_of(text: str) -> Evidence:
    """Return evidence in which `text` is wherever a service put some."""
    row = ItemRow(KEY, text, text, "", "failed", "refused", text, "open", "", None)
    counts = Accounting(3, 1, 0, 1, 1, 0)
    return Evidence(
        made_at="2026-01-01T00:00:00+00:00",
        site=text,
        space_id=text,
        accounting=counts,
        collections=(CollectionOutcome(text, counts),),
        skipped={"draft": 1},
        links={"linked": 1},
        files=FileCount(2, 1, 0, 1, 0),
        failures=tuple(item_failures([row])),
        losses=(LossCount(text, Severity.CONTENT, 2, 1),),
        plan={"hash": text, "calls": {"create_stories": 2, "read_space": 1}},
        is_carried_out=False,
        redirects=AddressMap(
            (
                AddressRow("/a", AddressOutcome.MOVED, (Source.ITEM,), "/b", key=KEY),
                AddressRow(
                    f"/{text}", AddressOutcome.WAITING, (Source.ITEM,), name=text
                ),
            )
        ),
        verification=Verification(
            differences=[Difference(DifferenceCode.FIELD_VALUE, text, text, text)],
            names={text: text},
        ),
        findings=(
            FindingSet(
                "losses",
                "Losses",
                "None.",
                lambda: iter([Finding(text, text, text, text, text, text, text)]),
            ),
        ),
        decided=((text, Reviewed(text, text, text)),),
        site_address=site_address(site_at(text)),
        space_address=space_address(text, REGION_BASES["eu"]),
    )


def site_at(domain: str) -> Site:
    """Return a site with one domain."""
    return Site("s", "Site", "site", "UTC", (domain,), ())
