"""Stories whose items are gone at the origin, held against what was decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cmsmig.ledger.rows import GoneItem
from cmsmig.steps.plan.gone.gone_at_origin import (
    REMOVALS,
    compare_with_origin,
    gone_sentence_of,
)
from cmsmig.steps.verify.differences import Difference, DifferenceCode
from cmsmig.steps.write.import_job import ImportJob


def undone_removals(job: ImportJob) -> Iterator[Difference]:
    """Yield the stories that stand although something else was decided about them.

    Reads only, and asks nothing: one that was edited is told by its last change.
    """
    rows = job.ledger.items.all()
    found = compare_with_origin(job.migration, job.ledger, job.snapshot, job.seen_gone)
    for key, gone in found.gone.items():
        if gone.state in REMOVALS or gone.is_undone:
            text = gone_sentence_of(replace(rows[key], gone=gone)) + _remedy(gone)
            yield Difference(DifferenceCode.GONE_AT_ORIGIN, str(key), "", text)


def _remedy(gone: GoneItem) -> str:
    return " Run `cmsmig import`." if gone.state in REMOVALS else ""
