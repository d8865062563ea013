"""Components and datasources, compared by field with the design. Reads nothing."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.mapping.compare.schema_merge import SchemaMerge
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.merge import value_of
from cmsmig.mapping.propose.component_payloads import (
    ComponentBody,
    DatasourceBody,
    component_bodies,
    datasource_bodies,
)
from cmsmig.steps.plan.edits.edit_conflicts import decision_for, seen_of, shown_value
from cmsmig.steps.plan.gone.recreate import REMEDY
from cmsmig.steps.plan.ownership import Owner, Ownership
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.steps.write.import_job import ImportJob


def compare_schema(job: ImportJob, found: Verification) -> None:
    """Add what differs between the design and the components and datasources there.

    An edit that was decided to stay is no difference.
    """
    decided = job.migration.decisions.conflicts
    ownership = Ownership.of(job.ledger, job.survey, decided)
    for wanted in component_bodies(job.migration.design):
        found.components += 1
        found.differences.extend(_component(ownership, wanted))
    for source in datasource_bodies(job.migration.design):
        found.differences.extend(_datasource(ownership, source))


def _component(ownership: Ownership, wanted: ComponentBody) -> Iterator[Difference]:
    standing = ownership.component(wanted)
    changed = DifferenceCode.COMPONENT_CHANGED
    if standing.owner is Owner.NOBODY:
        text = f"It is not in the space; {REMEDY}."
        yield Difference(DifferenceCode.COMPONENT_GONE, wanted.name, "", text)
    elif standing.fields is not None:
        kind = ConflictKind.COMPONENT
        yield from _differing(kind, wanted.name, standing.fields, changed)
    elif not standing.fits and not standing.is_ours_by_decision:
        yield Difference(changed, wanted.name, "", "It is not as designed.")


def _datasource(ownership: Ownership, wanted: DatasourceBody) -> Iterator[Difference]:
    standing = ownership.datasource(wanted)
    changed = DifferenceCode.DATASOURCE_CHANGED
    if standing.owner is Owner.NOBODY:
        text = f"It is not in the space; {REMEDY}."
        yield Difference(DifferenceCode.DATASOURCE_GONE, wanted.slug, "", text)
    elif standing.fields is not None:
        kind = ConflictKind.DATASOURCE
        yield from _differing(kind, wanted.slug, standing.fields, changed)
    elif not standing.fits and not standing.is_ours_by_decision:
        text = "It lacks entries of the design."
        yield Difference(changed, wanted.slug, "", text)


def _differing(
    kind: ConflictKind, what: str, fields: SchemaMerge, code: DifferenceCode
) -> Iterator[Difference]:
    """Yield the fields that are not as designed, and what mends each."""
    differing = fields.merged.written | fields.theirs_alone | fields.stays
    for name in sorted(differing - fields.accepted):
        ours, theirs = value_of(fields.ours, name), value_of(fields.theirs, name)
        mended = (
            "run `cmsmig import`"
            if name in fields.merged.written
            else f"it stays until {decision_for(kind, what, name, seen_of(theirs))}"
        )
        text = (
            f"There it is {shown_value(theirs)}, designed is {shown_value(ours)}; "
            f"{mended}."
        )
        yield Difference(code, what, name, text)
