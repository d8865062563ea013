"""The objects that stories need, compared by field with design and origin, and the
stories of items that are gone, compared with what was decided.

Reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cmsmig.ledger.rows import GoneItem
from cmsmig.reconcile.diff import Diff
from cmsmig.reconcile.field_diff import FieldDiff, Outcome, shown_value
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Owner
from cmsmig.reconcile.rules.folder import NAME
from cmsmig.steps.plan.gone.gone_at_origin import (
    REMOVALS,
    compare_with_origin,
    gone_sentence_of,
)
from cmsmig.steps.plan.gone.recreate import REMEDY
from cmsmig.steps.plan.resources import SCHEMA, AnyComparison
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.steps.write.import_job import ImportJob

_GONE = {
    Kind.COMPONENT: DifferenceCode.COMPONENT_GONE,
    Kind.DATASOURCE: DifferenceCode.DATASOURCE_GONE,
}
_CHANGED = {
    Kind.COMPONENT: DifferenceCode.COMPONENT_CHANGED,
    Kind.DATASOURCE: DifferenceCode.DATASOURCE_CHANGED,
    Kind.FOLDER: DifferenceCode.FOLDER_CHANGED,
    Kind.ASSET: DifferenceCode.ASSET_TEXT,
}
_MISFIT = {
    Kind.COMPONENT: "It is not as designed.",
    Kind.DATASOURCE: "It lacks entries of the design.",
}
_OTHERWISE = (Outcome.WRITE, Outcome.KEEP, Outcome.CONFLICT, Outcome.HOLD)
"""Outcomes of fields that are not as designed; what was accepted is no difference."""


def compare_objects(job: ImportJob, found: Verification) -> None:
    """Add what differs of components, datasources, folders and the texts of files."""
    resources = job.resources()
    for each in resources.compared:
        found.components += each.ref.kind is Kind.COMPONENT
        found.differences.extend(_differences(each))
    for file in resources.assets():
        found.differences.extend(_fields_otherwise(file.diff, "wanted"))


def _differences(compared: AnyComparison) -> Iterator[Difference]:
    kind, what = compared.ref
    is_ours = compared.owner is Owner.LEFT and compared.is_decided
    if kind not in SCHEMA:
        # What is gone is listed by its record.
        yield from _fields_otherwise(compared.diff, "wanted")
    elif compared.owner is Owner.MISSING:
        yield Difference(_GONE[kind], what, "", f"It is not in the space; {REMEDY}.")
    elif compared.owner is Owner.OURS:
        yield from _fields_otherwise(compared.diff, "designed")
    elif not compared.fits and not is_ours:
        yield Difference(_CHANGED[kind], what, "", _MISFIT[kind])


def _fields_otherwise(diff: Diff, wanted: str) -> Iterator[Difference]:
    """Yield the fields that are not as they are to be, and what mends each."""
    for each in diff.of(*_OTHERWISE):
        is_written = each.outcome is Outcome.WRITE
        mended = (
            "run `cmsmig import`" if is_written else f"it stays until {each.decision}"
        )
        text = (
            f"There it is {shown_value(each.theirs)}, {wanted} is "
            f"{shown_value(each.ours)}; {mended}."
        )
        yield Difference(_code(each), each.what, each.field, text)


def _code(field: FieldDiff) -> DifferenceCode:
    is_name = field.ref.kind is Kind.FOLDER and field.field == NAME
    return DifferenceCode.FOLDER_NAME if is_name else _CHANGED[field.ref.kind]


def undone_removals(job: ImportJob) -> Iterator[Difference]:
    """Yield the stories that exist against a decision.

    Reads only, and asks nothing: one that was edited is reported by its last change.
    """
    rows = job.ledger.items.all()
    found = compare_with_origin(job.migration, job.ledger, job.snapshot, job.seen_gone)
    for key, gone in found.gone.items():
        if gone.state in REMOVALS or gone.is_undone:
            text = gone_sentence_of(replace(rows[key], gone=gone)) + _remedy(gone)
            yield Difference(DifferenceCode.GONE_AT_ORIGIN, str(key), "", text)


def _remedy(gone: GoneItem) -> str:
    return " Run `cmsmig import`." if gone.state in REMOVALS else ""
