"""Components: everything a story needs before it can be made.

Spec: import rule 1, no schema-on-write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import partial

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.counting import and_more, counted, first_of
from cmsmig.destination.schema import Component
from cmsmig.errors import PreflightError
from cmsmig.events import Noticed, StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.propose.component_changes import component_changes, written_part
from cmsmig.mapping.propose.component_payloads import (
    ComponentBody,
    component_bodies,
    datasource_bodies,
)
from cmsmig.steps.plan.ownership import (
    Owner,
    Ownership,
    OwnerStatus,
    is_applied,
    left_as_it_is,
)
from cmsmig.steps.worker_pool import WorkerPool, batches
from cmsmig.steps.write.datasources import making_datasources
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.write_ahead import write_ahead

STEP = "components"


def check_components(job: ImportJob) -> None:
    """Raise `PreflightError` when a component or datasource of somebody else, or one
    of ours that somebody changed, would have to be written over."""
    found = list(Ownership.of(job.ledger, job.survey).in_the_way(job.migration))
    if found:
        more = and_more(len(found), 1, " And ", "; `cmsmig plan` lists all.")
        raise PreflightError(found[0].text + more)


async def enqueue_components(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` what the design needs and the space lacks; reuse what is there."""
    bodies = component_bodies(job.migration.design)
    job.observer(StepStarted(STEP, len(bodies)))
    ownership = Ownership.of(job.ledger, job.survey)
    datasources = making_datasources(job, ownership)
    for wanted in batches(datasource_bodies(job.migration.design)):
        await pool.take(datasources, wanted)
    making = write_ahead(
        job.ledger.intents,
        partial(_intent, ownership),
        partial(_make_component, job, ownership),
    )
    for batch in batches(bodies):
        await pool.take(making, batch)


def report_components(job: ImportJob) -> None:
    """Tell that all of them are there."""
    made = len(component_bodies(job.migration.design))
    job.observer(StepFinished(STEP, f"{counted(made, 'component')} there"))


def _intent(ownership: Ownership, wanted: ComponentBody) -> Intent | None:
    if not _is_written(ownership.component(wanted)):
        return None
    return Intent("component", wanted.name, fingerprint(wanted.body), wanted.body)


def _is_written(standing: OwnerStatus) -> bool:
    return standing.writes and standing.owner in (Owner.NOBODY, Owner.OURS)


async def _make_component(
    job: ImportJob, ownership: Ownership, wanted: ComponentBody
) -> None:
    standing = ownership.component(wanted)
    found = job.survey.component(wanted.name)
    if found is None:
        made = await apply_once(
            partial(job.client.create_component, wanted.body),
            partial(_look, job, wanted),
        )
        _record(job, made, wanted.body, made_by_us=True)
    elif _is_written(standing):
        changed = await job.client.update_component(found.component_id, wanted.body)
        _record(job, changed, wanted.body, made_by_us=True)
    elif standing.owner is Owner.OTHERS:
        _record(job, found, wanted.body, made_by_us=False)
    elif standing.changes:
        job.observer(Noticed(wanted.name, left_as_it_is(standing)))
    job.observer(StepAdvanced(STEP, wanted.name))


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
    job: ImportJob, component: Component, sent: JsonObject, *, made_by_us: bool
) -> None:
    job.ledger.inventory.save_made(
        MadeRow(
            kind="component",
            name=component.name,
            destination_id=component.component_id,
            uuid="",
            made=made_by_us,
            body_hash=fingerprint(sent),
            body=written_part(component.body, sent) if made_by_us else {},
        ),
        intent="component",
    )


async def read_field_keys(job: ImportJob) -> dict[str, frozenset[str]]:
    """Return the field keys of every component of the space, read back. Reads only."""
    return {each.name: _field_keys(each) for each in await job.client.components()}


def refuse_missing(there: Mapping[str, Set[str]], used: Mapping[str, Set[str]]) -> None:
    """Raise `PreflightError` naming what is `used` and not `there`.

    By component: the service would store an unknown field without a word.
    """
    problems = list(_missing(there, used))
    if problems:
        shown = first_of(problems, 8, "; and ", "; ")
        raise PreflightError(
            f"The space lacks what the stories use ({shown}); run `cmsmig "
            "prepare` again, or correct decisions/design.yaml."
        )


def _missing(
    there: Mapping[str, Set[str]], used: Mapping[str, Set[str]]
) -> Iterable[str]:
    for component, keys in sorted(used.items()):
        if component not in there:
            yield f"component `{component}`"
            continue
        for key in sorted(keys - there[component]):
            yield f"field `{key}` of component `{component}`"


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
            _record(job, found, intent.body, made_by_us=True)
        else:
            job.ledger.intents.settle("component", intent.subject, "not_applied")
