"""Components: everything a story needs before it can be made.

Spec: import rule 1, no schema-on-write.
"""

from __future__ import annotations

from functools import partial

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.counting import and_more, counted
from cmsmig.destination.schema import Component
from cmsmig.errors import MalformedAnswerError, PreflightError
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.compare.component_fields import schema_of
from cmsmig.mapping.compare.component_merge import first_base
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.propose.component_changes import component_changes
from cmsmig.mapping.propose.component_payloads import (
    ComponentBody,
    component_bodies,
    datasource_bodies,
)
from cmsmig.steps.plan.ownership import (
    Owner,
    Ownership,
    base_after,
    component_intent,
    is_applied,
)
from cmsmig.steps.worker_pool import WorkerPool, batches
from cmsmig.steps.write.datasources import making_datasources
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.refusals import contained, refuse
from cmsmig.steps.write.told_edits import tell_fields

STEP = "components"


def check_components(job: ImportJob) -> None:
    """Raise `PreflightError` when a component or datasource of somebody else would
    have to be written over."""
    found = list(_ownership(job).in_the_way(job.migration))
    if found:
        more = and_more(len(found), 1, " And ", "; `cmsmig plan` lists all.")
        raise PreflightError(found[0].text + more)


async def enqueue_components(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` what the design needs and the space lacks, or has otherwise."""
    bodies = component_bodies(job.migration.design)
    job.observer(StepStarted(STEP, len(bodies)))
    ownership = _ownership(job)
    datasources = making_datasources(job, ownership)
    for wanted in batches(datasource_bodies(job.migration.design)):
        await pool.take(datasources, wanted)
        # A component that names a datasource that is not there is refused.
        await pool.done()
    making = contained(
        job,
        lambda wanted: ("component", wanted.name),
        partial(_intent, ownership),
        partial(_make_component, job, ownership),
    )
    for batch in batches(bodies):
        await pool.take(making, batch)


def report_components(job: ImportJob) -> None:
    """Report how many of them are there."""
    made = len(component_bodies(job.migration.design))
    made -= sum(kind == "component" for kind, _ in job.refused)
    job.observer(StepFinished(STEP, f"{counted(made, 'component')} there"))


def _ownership(job: ImportJob) -> Ownership:
    decided = job.migration.decisions.conflicts
    return Ownership.of(job.ledger, job.survey, decided, job.offline_keys)


def _intent(ownership: Ownership, wanted: ComponentBody) -> Intent | None:
    return component_intent(wanted, ownership.component(wanted))


async def _make_component(
    job: ImportJob, ownership: Ownership, wanted: ComponentBody
) -> None:
    standing = ownership.component(wanted)
    found = job.survey.component(wanted.name)
    if standing.is_written and (why := _missing_datasource(job, wanted)):
        refuse(job, "component", wanted.name, why)
        job.ledger.intents.settle("component", wanted.name, "not_sent")
    elif found is None:
        made = await apply_once(
            partial(job.client.create_component, wanted.body),
            partial(_look, job, wanted),
        )
        _record(job, made, wanted.body, first_base(wanted.body, made.body))
    elif standing.owner is Owner.OTHERS:
        _record(job, found, wanted.body, None)
    elif standing.owner is Owner.OURS:
        await _bring_up_to_date(job, ownership, wanted, found)
    job.observer(StepAdvanced(STEP, wanted.name))


def _missing_datasource(job: ImportJob, wanted: ComponentBody) -> str:
    """Return which refused datasource a component names, a sentence; or nothing."""
    for key, definition in schema_of(wanted.body).items():
        slug = str(definition.get("datasource_slug") or "")
        refused = job.refused.get(("datasource", slug))
        if refused is not None and job.survey.datasource(slug) is None:
            return (
                f"The component `{wanted.name}` was not written: its field `{key}` "
                f"takes its options from the datasource `{slug}`, which was not made. "
                f"{refused.text}"
            )
    return ""


async def _bring_up_to_date(
    job: ImportJob, ownership: Ownership, wanted: ComponentBody, found: Component
) -> None:
    """Write what is ours into a component, and tell what is theirs.

    It is read and merged once more right before the write: only what somebody saves
    between that answer and the write's arrival is overwritten.
    """
    standing = listed = ownership.component(wanted)
    if standing.is_written:
        found = await job.client.component(found.component_id)
        standing = ownership.component_as(wanted, found)
        intent = component_intent(wanted, standing)
        if intent is not None and intent != component_intent(wanted, listed):
            job.ledger.intents.write([intent])
    merged = standing.component
    if merged is None:
        return
    if standing.is_written:
        found = await _update(job, ownership, wanted, found, merged.send)
    base = merged.written_base(found.body)
    if standing.is_written or base != ownership.base(wanted.name):
        _record(job, found, wanted.body, base)
    tell_fields(job, ConflictKind.COMPONENT, wanted.name, merged.fields)


async def _update(
    job: ImportJob,
    ownership: Ownership,
    wanted: ComponentBody,
    found: Component,
    body: JsonObject,
) -> Component:
    """Replace a component; where the answer shows none, look, and send the same again
    only if it is not there."""
    own = found.component_id
    try:
        return await job.client.update_component(own, body)
    except MalformedAnswerError:
        there = await job.client.component(own)
        if ownership.component_as(wanted, there).is_written:
            return await job.client.update_component(own, body)
        return there


async def _look(job: ImportJob, wanted: ComponentBody) -> Component | None:
    """Return the component of a lost create; one of other content is not ours."""
    return next(
        (
            each
            for each in await job.client.components()
            if each.name == wanted.name
            and not component_changes(each.body, wanted.body)
        ),
        None,
    )


def _record(
    job: ImportJob, found: Component, wanted: JsonObject, base: JsonObject | None
) -> None:
    """Write what a component is, with what counts as written by us if it is ours."""
    row = MadeRow(
        kind="component",
        name=found.name,
        destination_id=found.component_id,
        uuid="",
        made=base is not None,
        body_hash=fingerprint(wanted),
        body=base or {},
    )
    job.ledger.inventory.save_made(row, intent="component")


async def read_field_keys(job: ImportJob) -> dict[str, frozenset[str]]:
    """Return the field keys of every component of the space, read back. Reads only.

    With those that somebody took out of a component of ours, which is told: stories
    hold their values, in case that a field comes back.
    """
    return {
        each.name: _field_keys(each) | job.kept_away.get(each.name, frozenset())
        for each in await job.client.components()
    }


def _field_keys(component: Component) -> frozenset[str]:
    schema = component.body.get("schema")
    return frozenset(schema) if isinstance(schema, dict) else frozenset()


async def recover_components(job: ImportJob) -> None:
    """Find out what became of each write of a component that a killed run intended.

    The survey is younger than those requests: a component that holds what was about
    to be sent is ours, and anything else shows that it was not applied.
    """
    for intent in job.ledger.intents.open("component"):
        found = job.survey.component(intent.subject)
        if found is None:
            job.ledger.intents.settle("component", intent.subject, "absent")
        elif is_applied(intent, found):
            base = base_after(intent)
            _record(job, found, base, base)
        else:
            job.ledger.intents.settle("component", intent.subject, "not_applied")
