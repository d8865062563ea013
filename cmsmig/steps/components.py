"""Components and datasources: everything a story needs before it can be made.

Spec: import rule 1, no schema-on-write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial

from cmsmig.canonical import fingerprint
from cmsmig.destination.schema import Component, Datasource, DatasourceEntry
from cmsmig.errors import PreflightError
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.components import (
    ComponentBody,
    DatasourceBody,
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.equality import equal_component
from cmsmig.steps.batches import Crew, Work, batches
from cmsmig.steps.job import Job
from cmsmig.steps.settling import apply_once

STEP = "components"


def check_components(job: Job) -> None:
    """Raise `PreflightError` when a component of a name exists and differs."""
    for body in component_bodies(job.migration.design):
        _refuse_differing(job, body)


async def give_components(job: Job, crew: Crew) -> None:
    """Give `crew` what the design needs and the space lacks; reuse what is there."""
    bodies = component_bodies(job.migration.design)
    job.observer(StepStarted(STEP, len(bodies)))
    datasources = _making_datasources(job)
    for wanted in batches(datasource_bodies(job.migration.design)):
        await crew.take(datasources, wanted)
    making = Work(
        intend=partial(_intend, job),
        perform=partial(_make_component, job),
        abandon=lambda body: job.ledger.intents.settle(
            "component", body.name, "not_sent"
        ),
    )
    for batch in batches(bodies):
        await crew.take(making, batch)


def tell_components(job: Job) -> None:
    """Tell that all of them are there."""
    made = len(component_bodies(job.migration.design))
    job.observer(StepFinished(STEP, f"{made} components are there"))


def _intend(job: Job, batch: Sequence[ComponentBody]) -> None:
    job.ledger.intents.write(
        [
            Intent("component", each.name, fingerprint(each.body))
            for each in batch
            if job.survey.component(each.name) is None
        ]
    )


async def _make_component(job: Job, wanted: ComponentBody) -> None:
    found = job.survey.component(wanted.name)
    if found is not None:
        await _keep_component(job, wanted, found)
    else:
        made = await apply_once(
            partial(job.client.create_component, wanted.body),
            partial(_look, job, wanted.name),
        )
        _record(job, made, fingerprint(wanted.body), made_by_us=True)
    job.observer(StepAdvanced(STEP, wanted.name))


async def _keep_component(job: Job, wanted: ComponentBody, found: Component) -> None:
    """Reuse a component that is there, in the form that the design wants now."""
    ours = _ours(job, wanted.name, found)
    wanted_hash = fingerprint(wanted.body)
    if ours is None or not ours.made:
        _record(job, found, wanted_hash, made_by_us=False)
    elif ours.body_hash != wanted_hash:
        await job.client.update_component(found.component_id, wanted.body)
        _record(job, found, wanted_hash, made_by_us=True)


def _ours(job: Job, name: str, found: Component | None) -> MadeRow | None:
    """Return the ledger's row of a component.

    One that stands where a killed run had intended one is that run's own.
    """
    for intent in job.ledger.intents.open("component"):
        if found is not None and intent.subject == name:
            _record(job, found, intent.request_hash, made_by_us=True)
    return job.ledger.inventory.made("component").get(name)


async def _look(job: Job, name: str) -> Component | None:
    return next(
        (each for each in await job.client.components() if each.name == name), None
    )


def _refuse_differing(job: Job, wanted: ComponentBody) -> None:
    found = job.survey.component(wanted.name)
    ours = _ours(job, wanted.name, found)
    if found is None or (ours is not None and ours.made):
        return
    if not equal_component(found.body, wanted.body):
        raise PreflightError(
            f"The space already has a component `{wanted.name}` that differs from the "
            "design, and it was not made by this import, so it is left alone; give the "
            "content type another component name in decisions/design.yaml."
        )


def _record(
    job: Job, component: Component, body_hash: str, *, made_by_us: bool
) -> None:
    job.ledger.inventory.save_made(
        MadeRow(
            kind="component",
            name=component.name,
            destination_id=component.component_id,
            uuid="",
            made=made_by_us,
            body_hash=body_hash,
        ),
        intent="component",
    )


def _making_datasources(job: Job) -> Work[DatasourceBody]:
    existing = {each.slug: each for each in job.survey.datasources}
    recorded = job.ledger.inventory.made("datasource")
    # One that stands where a killed run had intended one is that run's own.
    intended = {each.subject for each in job.ledger.intents.open("datasource")}

    def intend(batch: Sequence[DatasourceBody]) -> None:
        job.ledger.intents.write(
            [
                Intent("datasource", each.slug, "")
                for each in batch
                if each.slug not in existing
            ]
        )

    async def make(wanted: DatasourceBody) -> None:
        found = existing.get(wanted.slug)
        if found is None:
            found = await apply_once(
                partial(job.client.create_datasource, wanted.name, wanted.slug),
                partial(_look_datasource, job, wanted.slug),
            )
            _record_datasource(job, found, made_by_us=True)
        elif wanted.slug not in recorded or wanted.slug in intended:
            _record_datasource(job, found, made_by_us=wanted.slug in intended)
        await _make_entries(job, wanted, found.datasource_id)

    return Work(
        intend,
        make,
        lambda wanted: job.ledger.intents.settle("datasource", wanted.slug, "not_sent"),
    )


async def _make_entries(job: Job, wanted: DatasourceBody, datasource_id: int) -> None:
    """Create the entries that are missing, one by one: the service keeps that order."""
    known = job.survey.choices.get(wanted.slug, frozenset())
    for name, value in wanted.entries:
        if value not in known:
            await apply_once(
                partial(job.client.create_datasource_entry, datasource_id, name, value),
                partial(_look_entry, job, datasource_id, value),
            )


def _record_datasource(job: Job, found: Datasource, *, made_by_us: bool) -> None:
    job.ledger.inventory.save_made(
        MadeRow("datasource", found.slug, found.datasource_id, "", made_by_us, ""),
        intent="datasource",
    )


async def _look_datasource(job: Job, slug: str) -> Datasource | None:
    return next(
        (each for each in await job.client.datasources() if each.slug == slug), None
    )


async def _look_entry(
    job: Job, datasource_id: int, value: str
) -> DatasourceEntry | None:
    entries = await job.client.datasource_entries(datasource_id)
    return next((each for each in entries if each.value == value), None)


async def read_field_keys(job: Job) -> dict[str, frozenset[str]]:
    """Return the field keys of every component of the space, read back. Reads only."""
    return {each.name: _field_keys(each) for each in await job.client.components()}


def refuse_missing(there: Mapping[str, Set[str]], used: Mapping[str, Set[str]]) -> None:
    """Raise `PreflightError` naming what is `used` and not `there`.

    By component: the service would store an unknown field without a word.
    """
    problems = list(_missing(there, used))
    if problems:
        shown = "; ".join(problems[:8])
        more = f"; and {len(problems) - 8} more" if len(problems) > 8 else ""
        raise PreflightError(
            f"The space lacks what the stories use ({shown}{more}); run `cmsmig "
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


async def settle_components(job: Job) -> None:
    """Close the open component intents that the space shows were not applied."""
    for intent in job.ledger.intents.open("component"):
        if job.survey.component(intent.subject) is None:
            job.ledger.intents.settle("component", intent.subject, "absent")
