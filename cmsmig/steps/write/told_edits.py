"""What is told of fields that somebody changed, while an import goes on."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.counting import first_of
from cmsmig.events import Noticed
from cmsmig.mapping.compare.schema_merge import SchemaMerge
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.steps.plan.edits.schema_changes import Outcome, changes_of, conflicts_of
from cmsmig.steps.write.import_job import ImportJob

_SHOWN = 3


def tell_fields(
    job: ImportJob, kind: ConflictKind, what: str, fields: SchemaMerge
) -> None:
    """Tell what is left as it is there, and note what somebody has to decide."""
    job.edit_conflicts += conflicts_of(kind, what, fields)
    if sentences := [*_sentences(kind, what, fields)]:
        job.observer(Noticed(what, first_of(sentences, _SHOWN, "; and ", "; ")))


def _sentences(kind: ConflictKind, what: str, fields: SchemaMerge) -> Iterator[str]:
    for conflict in conflicts_of(kind, what, fields):
        yield conflict.text
    for change in changes_of(kind, what, fields):
        if change.outcome in (Outcome.KEPT, Outcome.STAYS):
            yield change.text
