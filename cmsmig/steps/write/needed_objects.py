"""Datasources, components and folders: everything a story needs before it can be made.
Folders are one per collection, below one per locale when there are several.

Spec: import rule 1, no schema-on-write. Source: destination, components: an unknown
datasource is refused, so that fields find what they draw their options from.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from cmsmig.canonical import JsonObject
from cmsmig.counting import and_more, counted
from cmsmig.destination.typed_records import (
    Component,
    Datasource,
    DatasourceEntry,
    StoryRow,
)
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    PreflightError,
    RejectedError,
)
from cmsmig.events import StepFinished, StepStarted
from cmsmig.mapping.compare.component_fields import schema_of
from cmsmig.mapping.propose.component_payloads import ComponentBody, DatasourceBody
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.field_diff import ABSENT, Outcome
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Comparison, Resource, Verb, again
from cmsmig.reconcile.rules.component import component_to_send, is_begun
from cmsmig.reconcile.rules.datasource import (
    StoredDatasource,
    entry_value,
    entry_writes,
)
from cmsmig.reconcile.rules.folder import FOLDERS
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.worker_pool import WorkerPool
from cmsmig.steps.write.execute import Calls, executing, settle_objects
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob


@dataclass(frozen=True, slots=True)
class DatasourceCalls(Calls[DatasourceBody, StoredDatasource]):
    """The client calls of datasources."""

    job: ImportJob
    step: str

    async def create(self, desired: DatasourceBody) -> StoredDatasource:
        """Make a datasource without entries."""
        client = self.job.client
        return StoredDatasource(
            await client.create_datasource(desired.name, desired.slug)
        )

    async def look(self, desired: DatasourceBody) -> StoredDatasource | None:
        """Return the datasource of a lost create; one of another name is not ours."""
        wanted = (desired.slug, desired.name)
        for each in await self.job.client.datasources():
            if (each.slug, each.name) == wanted:
                return StoredDatasource(each)
        return None

    async def read(self, actual: StoredDatasource) -> StoredDatasource:
        """Return a datasource and its entries as they are now."""
        own = actual.datasource.datasource_id
        found = await self.job.client.datasource(own)
        return StoredDatasource(
            found, tuple(await self.job.client.datasource_entries(own))
        )

    async def update(
        self,
        compared: Comparison[DatasourceBody, StoredDatasource],
        actual: StoredDatasource,
    ) -> StoredDatasource:
        """Write the name and the entries that are ours, one by one, no other.

        Returns the state after that, without what the service refused.
        """
        there = {each.value: each for each in reversed(actual.entries)}
        source = actual.datasource
        for call, field in entry_writes(compared.diff):
            value, label = entry_value(field), str(compared.diff.sides.ours.get(field))
            sent = self._send(call, source, there.get(value or ""), value, label)
            if not await self._is_taken(source, value, sent):
                continue
            if value is None:
                source = replace(source, name=label)
            elif call == "delete_datasource_entries":
                there.pop(value)
            else:
                there[value] = DatasourceEntry(0, label, value)
        return StoredDatasource(source, tuple(there.values()))

    def _send(
        self,
        call: str,
        source: Datasource,
        entry: DatasourceEntry | None,
        value: str | None,
        label: str,
    ) -> Awaitable[object]:
        client, own = self.job.client, source.datasource_id
        if value is None:
            return client.update_datasource(own, label, source.slug)
        if entry is None:
            # One by one: the service keeps that order.
            return apply_once(
                partial(client.create_datasource_entry, own, label, value),
                partial(self._look_entry, own, value),
            )
        if call == "update_datasource_entries":
            return client.update_datasource_entry(own, replace(entry, name=label))
        return client.delete_datasource_entry(entry.entry_id)

    async def _is_taken(
        self, source: Datasource, value: str | None, sending: Awaitable[object]
    ) -> bool:
        """Return whether the service took a write; one that it refused is listed."""
        try:
            await sending
        except (RejectedError, NotFoundError) as error:
            kind = "datasource" if value is None else "datasource entry"
            name = source.slug if value is None else f"{source.slug}: {value}"
            self.job.refuse(kind, name, str(error))
            return False
        return True

    async def _look_entry(self, own: int, value: str) -> DatasourceEntry | None:
        entries = await self.job.client.datasource_entries(own)
        return next((each for each in entries if each.value == value), None)


STEP = "components"


@dataclass(frozen=True, slots=True)
class ComponentWrites:
    """The client calls of components."""

    job: ImportJob
    step = STEP

    def why_not(self, resource: Resource[ComponentBody, Component]) -> str:
        """Return which refused datasource a component names, if any."""
        body = resource.desired.body if resource.desired else {}
        for key, definition in schema_of(body).items():
            slug = str(definition.get("datasource_slug") or "")
            refused = self.job.refused.get((Kind.DATASOURCE, slug))
            if refused is not None and self.job.snapshot.datasource(slug) is None:
                return (
                    f"The component `{resource.ref.key}` was not written: its field "
                    f"`{key}` takes its options from the datasource `{slug}`, which "
                    f"was not made. {refused.text}"
                )
        return ""

    async def create(self, desired: ComponentBody) -> Component:
        """Make a component."""
        return await self.job.client.create_component(desired.body)

    async def look(self, desired: ComponentBody) -> Component | None:
        """Return the component of a lost create; one of other fields is not ours."""
        listed = await self.job.client.components()
        return next((c for c in listed if is_begun(desired.body, c.body)), None)

    async def read(self, actual: Component) -> Component:
        """Return a component as it is now."""
        return await self.job.client.component(actual.component_id)

    async def update(
        self, compared: Comparison[ComponentBody, Component], actual: Component
    ) -> Component:
        """Replace a component; where the answer shows none, look, and send the same
        again only if it is not there."""
        own, body = actual.component_id, component_to_send(compared)
        try:
            return await self.job.client.update_component(own, body)
        except MalformedAnswerError:
            there = await self.job.client.component(own)
            decided = self.job.migration.decisions.conflicts
            if again(compared, there, decided).verb is Verb.UPDATE:
                return await self.job.client.update_component(own, body)
            return there


def _check_components(job: ImportJob) -> None:
    """Raise `PreflightError` when a component or datasource of someone else would
    have to be written over."""
    found = list(job.resources().in_the_way())
    if found:
        more = and_more(len(found), 1, " And ", "; `cmsmig plan` lists all.")
        raise PreflightError(found[0].text + more)


async def make_needed_objects(job: ImportJob) -> None:
    """Make components and folders; neither needs the other, so they go together.

    Raises `PreflightError` where a component or datasource of someone else would have
    to be written over.
    """
    settle_objects(job.ledger, job.snapshot, job.migration.places.folders)
    _check_components(job)
    async with WorkerPool(job.settings.in_flight, job.stop) as pool:
        await _enqueue_components(job, pool)
        await _enqueue_folders(job, pool)
    resources = job.resources()
    _report(job, STEP, Kind.COMPONENT, len([*resources.components()]))
    _report(job, FOLDERS_STEP, Kind.FOLDER, len([*resources.folders()]))


def _report(job: ImportJob, step: str, kind: Kind, wanted: int) -> None:
    """Report how many of a kind are there."""
    made = wanted - sum(kind == each for each, _ in job.refused)
    job.observer(StepFinished(step, f"{counted(made, kind.noun())} there"))


async def _enqueue_components(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` what the design needs and the space lacks, or has differently."""
    resources = job.resources()
    components = [*resources.components()]
    job.observer(StepStarted(STEP, len(components)))
    datasources = executing(job, DatasourceCalls(job, STEP))
    await pool.take(datasources, resources.datasources())
    # A component that names a datasource that is not there is refused.
    await pool.done()
    making = executing(job, ComponentWrites(job))
    await pool.take(making, components)


async def read_field_keys(job: ImportJob) -> dict[str, frozenset[str]]:
    """Return the field keys of every component of the space, read back. Reads only.

    With those that an editor took out of a component of ours, which is reported:
    stories hold their values, in case that a field comes back.
    """
    removed = _removed_fields(job.plan)
    return {
        each.name: frozenset(schema_of(each.body)) | removed.get(each.name, frozenset())
        for each in await job.client.components()
    }


_THEIRS = (Outcome.KEEP, Outcome.ACCEPT, Outcome.CONFLICT)


def _removed_fields(plan: Plan) -> dict[str, set[str]]:
    """Return the schema fields that a developer removed from components of ours.

    Stories keep what they hold of them, out of an editor's sight.
    """
    found: dict[str, set[str]] = {}
    for each in (*plan.schema_changes, *plan.edit_conflicts):
        schema, _, key = each.field.partition(".")
        is_gone = each.theirs is ABSENT and each.ours is not ABSENT
        is_whole = schema == "schema" and "." not in key
        if is_gone and is_whole and each.outcome in _THEIRS:
            found.setdefault(each.what, set()).add(key)
    return found


FOLDERS_STEP = "folders"


@dataclass(frozen=True, slots=True)
class FolderCalls:
    """The client calls of folders."""

    job: ImportJob
    step = FOLDERS_STEP

    def why_not(self, resource: Resource[FolderPlan, StoryRow]) -> str:
        """Return that the folder above a missing one was refused, if so."""
        path, _, _ = resource.ref.key.rpartition("/")
        refused = self.job.refused.get((Kind.FOLDER, path))
        if refused is None or resource.actual is not None:
            return ""
        return (
            f"The folder `{resource.ref.key}` was not made, because it is in a folder "
            f"that was not made. {refused.text}"
        )

    async def create(self, desired: FolderPlan) -> StoryRow:
        """Make a folder below the one that it belongs in."""
        body: JsonObject = {
            "name": desired.name,
            "slug": desired.slug,
            "is_folder": True,
            "parent_id": parent_id(self.job, desired.parent),
            **FOLDERS.body(desired),
        }
        return (await self.job.client.create_story(body)).row

    async def look(self, desired: FolderPlan) -> StoryRow | None:
        """Return the folder at a path."""
        rows = await self.job.client.stories(with_slug=desired.path)
        found = (row for row in rows if row.full_slug.strip("/") == desired.path)
        return next((row for row in found if row.is_folder), None)

    async def read(self, actual: StoryRow) -> StoryRow:
        """Return a folder as it is now."""
        return (await self.job.client.story(actual.story_id)).row

    async def update(
        self, compared: Comparison[FolderPlan, StoryRow], actual: StoryRow
    ) -> StoryRow:
        """Give a folder of ours what the design has now; where it is stays.

        The same again changes nothing, so a lost reply is no harm.
        """
        ours, written = compared.diff.sides.ours, compared.diff.written
        body: JsonObject = {
            "name": actual.name,
            "slug": actual.slug,
            "parent_id": actual.parent_id,
            "is_folder": True,
            **{name: ours[name] for name in written},
        }
        return (await self.job.client.update_story(actual.story_id, body)).row


async def _enqueue_folders(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` the folders that are not there, parents first; reuse the others."""
    folders = sorted(job.resources().folders(), key=_depth)
    job.observer(StepStarted(FOLDERS_STEP, len(folders)))
    making = executing(job, FolderCalls(job))
    for _, level in groupby(folders, key=_depth):
        await pool.take(making, level)
        # What is below needs the numbers of what is above.
        await pool.done()


def _depth(folder: Resource[FolderPlan, StoryRow]) -> int:
    return folder.ref.key.count("/")


def parent_id(job: ImportJob, path: str) -> int:
    """Return the id of the folder at `path`; 0 is the root of the space.

    Raises `PreflightError` when the folder was not made.
    """
    if not path:
        return 0
    row = job.ledger.inventory.made_one("folder", path)
    if row is None:
        refused = job.refused.get(("folder", path))
        taken = job.resources().taken_folders.get(path)
        why = refused.text if refused else "Run `cmsmig prepare` first."
        why = taken.sentence if taken else why
        raise PreflightError(f"The folder `{path}` has not been made. {why}")
    return row.destination_id
