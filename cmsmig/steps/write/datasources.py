"""Datasources: what fields draw their options from, made before the components.

Source: destination, components: an unknown datasource is refused.
"""

from __future__ import annotations

from functools import partial

from cmsmig.canonical import fingerprint
from cmsmig.destination.schema import Datasource, DatasourceEntry
from cmsmig.events import Noticed
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.propose.component_payloads import DatasourceBody
from cmsmig.steps.plan.ownership import (
    Owner,
    Ownership,
    OwnerStatus,
    datasource_content,
    left_as_it_is,
)
from cmsmig.steps.worker_pool import Work
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.write_ahead import write_ahead


def making_datasources(job: ImportJob, ownership: Ownership) -> Work[DatasourceBody]:
    """Return the work that makes the datasources of a design and fills ours."""
    return write_ahead(
        job.ledger.intents,
        partial(_intent, job, ownership),
        partial(_make, job, ownership),
    )


def _intent(
    job: ImportJob, ownership: Ownership, wanted: DatasourceBody
) -> Intent | None:
    if not _is_written(ownership.datasource(wanted)):
        return None
    body = datasource_content(wanted, job.survey.entries.get(wanted.slug, ()))
    return Intent("datasource", wanted.slug, fingerprint(body), body)


def _is_written(standing: OwnerStatus) -> bool:
    return standing.writes and standing.owner in (Owner.NOBODY, Owner.OURS)


async def _make(job: ImportJob, ownership: Ownership, wanted: DatasourceBody) -> None:
    standing = ownership.datasource(wanted)
    found = job.survey.datasource(wanted.slug)
    if standing.owner is Owner.OTHERS and found is not None:
        _record(job, wanted, found, made_by_us=False)
    elif standing.owner is Owner.EDITED:
        job.observer(Noticed(wanted.slug, left_as_it_is(standing)))
    else:
        if found is None:
            found = await apply_once(
                partial(job.client.create_datasource, wanted.name, wanted.slug),
                partial(_look, job, wanted),
            )
        await _make_entries(job, wanted, found.datasource_id)
        _record(job, wanted, found, made_by_us=True)


async def _make_entries(
    job: ImportJob, wanted: DatasourceBody, datasource_id: int
) -> None:
    """Create the entries that are missing, one by one: the service keeps that order."""
    known = job.survey.choices(wanted.slug)
    for name, value in wanted.entries:
        if value not in known:
            await apply_once(
                partial(job.client.create_datasource_entry, datasource_id, name, value),
                partial(_look_entry, job, datasource_id, value),
            )


def _record(
    job: ImportJob, wanted: DatasourceBody, found: Datasource, *, made_by_us: bool
) -> None:
    """Write what a datasource holds now; closes the intent, so it comes last."""
    there = job.survey.entries.get(wanted.slug, ())
    body = datasource_content(wanted, there) if made_by_us else {}
    job.ledger.inventory.save_made(
        MadeRow(
            kind="datasource",
            name=wanted.slug,
            destination_id=found.datasource_id,
            uuid="",
            made=made_by_us,
            body_hash=fingerprint(body) if body else "",
            body=body,
        ),
        intent="datasource",
    )


async def _look(job: ImportJob, wanted: DatasourceBody) -> Datasource | None:
    """Return the datasource of a lost create; one of another name is not ours."""
    return next(
        (
            each
            for each in await job.client.datasources()
            if (each.slug, each.name) == (wanted.slug, wanted.name)
        ),
        None,
    )


async def _look_entry(
    job: ImportJob, datasource_id: int, value: str
) -> DatasourceEntry | None:
    entries = await job.client.datasource_entries(datasource_id)
    return next((each for each in entries if each.value == value), None)
