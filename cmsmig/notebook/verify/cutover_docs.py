"""What the notebook 07 shows, as documents: the same by hand and unattended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cmsmig.counting import counted
from cmsmig.evidence.evidence import Evidence
from cmsmig.evidence.report import accounting_doc, failures_doc, redirects_doc
from cmsmig.notebook.verify.cutover import Handover
from cmsmig.ui.doc import Note, Part, Text
from cmsmig.ui.documents.loss_findings import loss_facts


def handover_doc(found: Evidence, handover: Handover) -> Iterator[Part]:
    """Yield the outcome of every item, what failed and what was lost."""
    yield from accounting_doc(found)
    yield from failures_doc(found.failures, handover.pages)
    yield from loss_facts({each.kind: each.losses for each in found.losses})


def planned_redirects_doc(handover: Handover) -> Iterator[Part]:
    """Yield where each old address leads."""
    yield from redirects_doc(handover.redirects(), handover.pages.site)
    if handover.missing:
        yield Note("As planned: no story was created yet.")


def complaint(found: Evidence) -> str:
    """Return what is not as it should be, in one sentence."""
    verification = found.verification
    if verification is not None and verification.differences:
        places = len(verification.differences)
        failed = f", failed items: {verification.failed:,}"
        return (
            f"The destination differs in {counted(places, 'place')} from what was "
            f"decided{failed if verification.failed else ''}; see the report."
        )
    if verification is not None and verification.public_unread:
        return f"{verification.public_unread} See the report."
    return (
        f"{len(found.failures):,} failed, {found.accounting.open + found.files.open:,} "
        "open; the report says what to do about each."
    )


def files_written(paths: Iterable[Path]) -> Iterator[Text]:
    """Yield where each file is."""
    for path in paths:
        yield Text(f"Written: {path}")
