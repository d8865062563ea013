"""Datasources: what fields draw their options from, made before the components.

Source: destination, components: an unknown datasource is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from dataclasses import replace
from functools import partial

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.destination.schema import Datasource, DatasourceEntry
from cmsmig.errors import NotFoundError, RejectedError
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.compare.datasource_merge import (
    datasource_record,
    datasource_writes,
    entry_value,
    intended_record,
    written_record,
)
from cmsmig.mapping.compare.schema_merge import SchemaMerge
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.propose.component_payloads import DatasourceBody
from cmsmig.steps.plan.ownership import (
    Owner,
    Ownership,
    OwnerStatus,
    datasource_content,
)
from cmsmig.steps.worker_pool import Work
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.refusals import contained, refuse
from cmsmig.steps.write.told_edits import tell_fields


def making_datasources(job: ImportJob, ownership: Ownership) -> Work[DatasourceBody]:
    """Return the work that makes the datasources of a design and brings ours up to
    date."""
    return contained(
        job,
        lambda wanted: ("datasource", wanted.slug),
        partial(_intent, ownership),
        partial(_make, job, ownership),
    )


def _intent(ownership: Ownership, wanted: DatasourceBody) -> Intent | None:
    return _intent_as(wanted, ownership.datasource(wanted))


def _intent_as(wanted: DatasourceBody, standing: OwnerStatus) -> Intent | None:
    if not standing.is_written:
        return None
    body = datasource_content(wanted)
    if standing.fields is not None:
        body = intended_record(standing.fields, wanted.slug)
    return Intent("datasource", wanted.slug, fingerprint(body), body)


async def _make(job: ImportJob, ownership: Ownership, wanted: DatasourceBody) -> None:
    standing = ownership.datasource(wanted)
    found = job.survey.datasource(wanted.slug)
    if found is None:
        found = await apply_once(
            partial(job.client.create_datasource, wanted.name, wanted.slug),
            partial(_look, job, wanted),
        )
        added = [each for each in wanted.entries if await _add_entry(job, found, *each)]
        _record(job, found, datasource_record(wanted.name, wanted.slug, added))
    elif standing.owner is Owner.OTHERS:
        _record(job, found, None)
    elif standing.owner is Owner.OURS:
        await _bring_up_to_date(job, ownership, wanted, found)


async def _bring_up_to_date(
    job: ImportJob, ownership: Ownership, wanted: DatasourceBody, found: Datasource
) -> None:
    """Write what is ours into a datasource, and tell what is theirs.

    It is read and merged once more right before it is written.
    """
    standing = listed = ownership.datasource(wanted)
    there = job.survey.entries.get(wanted.slug, ())
    if standing.is_written:
        found = await job.client.datasource(found.datasource_id)
        there = tuple(await job.client.datasource_entries(found.datasource_id))
        standing = ownership.datasource_as(wanted, found, there)
        intent = _intent_as(wanted, standing)
        if intent is not None and intent != _intent_as(wanted, listed):
            job.ledger.intents.write([intent])
    fields = standing.fields
    if fields is None:
        return
    refused = await _write(job, found, there, fields)
    _record(job, found, written_record(fields, wanted.slug, refused))
    tell_fields(job, ConflictKind.DATASOURCE, wanted.slug, fields)


async def _write(
    job: ImportJob,
    found: Datasource,
    there: Iterable[DatasourceEntry],
    fields: SchemaMerge,
) -> frozenset[str]:
    """Write the name and the entries that are ours, one by one, no other.

    Returns the fields that the service refused.
    """
    by_value = {each.value: each for each in reversed([*there])}
    own = found.datasource_id
    refused: set[str] = set()
    for call, field in datasource_writes(fields):
        value, label = entry_value(field), str(fields.ours.get(field))
        if value is None:
            sending = job.client.update_datasource(own, label, found.slug)
        elif call == "create_datasource_entries":
            if not await _add_entry(job, found, label, value):
                refused.add(field)
            continue
        elif call == "update_datasource_entries":
            entry = replace(by_value[value], name=label)
            sending = job.client.update_datasource_entry(own, entry)
        else:
            sending = job.client.delete_datasource_entry(by_value[value].entry_id)
        if not await _is_taken(job, found, value, sending):
            refused.add(field)
    return frozenset(refused)


async def _add_entry(job: ImportJob, found: Datasource, name: str, value: str) -> bool:
    """Create an entry, one by one: the service keeps that order. Returns whether the
    service took it."""
    own = found.datasource_id
    sending = apply_once(
        partial(job.client.create_datasource_entry, own, name, value),
        partial(_look_entry, job, own, value),
    )
    return await _is_taken(job, found, value, sending)


async def _is_taken(
    job: ImportJob, found: Datasource, value: str | None, sending: Awaitable[object]
) -> bool:
    """Return whether the service took a write; one that it refused is listed."""
    try:
        await sending
    except (RejectedError, NotFoundError) as error:
        kind = "datasource" if value is None else "datasource entry"
        name = found.slug if value is None else f"{found.slug}: {value}"
        refuse(job, kind, name, str(error))
        return False
    return True


def _record(job: ImportJob, found: Datasource, base: JsonObject | None) -> None:
    """Write what counts as ours of a datasource now; closes the intent, so it comes
    last."""
    row = MadeRow(
        kind="datasource",
        name=found.slug,
        destination_id=found.datasource_id,
        uuid="",
        made=base is not None,
        body_hash=fingerprint(base) if base else "",
        body=base or {},
    )
    job.ledger.inventory.save_made(row, intent="datasource")


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
