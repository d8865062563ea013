"""The import, step by step. Spec: import rule 7."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.errors import PreflightError, ServiceError, UsageError
from cmsmig.events import Observer
from cmsmig.ledger.lease import lease
from cmsmig.ledger.rows import Accounting, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import WriteCounter
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import live_paths
from cmsmig.steps.plan.conflicts import (
    adopt_reused,
    item_rows,
)
from cmsmig.steps.plan.drift import Fingerprints
from cmsmig.steps.plan.gone.missing_objects import (
    refuse_gone,
    refuse_partial,
)
from cmsmig.steps.plan.plan import Plan, refuse_drift
from cmsmig.steps.plan.plan_import import PlannedImport
from cmsmig.steps.plan.publication.public_versions import VisitorPages
from cmsmig.steps.plan.publication.publications import Publication
from cmsmig.steps.plan.resources import ObjectProblem
from cmsmig.steps.plan.wanted_stories import find_paths_as_written
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.asset_upload import upload_assets
from cmsmig.steps.write.create_stories import (
    create_stories,
    read_back,
)
from cmsmig.steps.write.deletion import delete_blocking_stories, remove_gone
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.import_setup import ImportSetup, open_import
from cmsmig.steps.write.link_stories import join_languages, link_stories
from cmsmig.steps.write.needed_objects import (
    make_needed_objects,
)
from cmsmig.steps.write.publish_stories import publish_stories, settle_publications
from cmsmig.steps.write.show_versions import put_back_versions

Step = Callable[[ImportJob], Awaitable[None]]


async def _upload_and_read_back(job: ImportJob) -> None:
    """Read the components back while the last files are in flight."""
    await upload_assets(job, partial(read_back, job))


STEPS: dict[str, tuple[Step, ...]] = {
    "prepare": (make_needed_objects, upload_assets),
    "create": (delete_blocking_stories, create_stories, join_languages),
    "link": (link_stories,),
    "publish": (publish_stories, remove_gone),
    "import": (
        make_needed_objects,
        _upload_and_read_back,
        delete_blocking_stories,
        create_stories,
        link_stories,
        join_languages,
        publish_stories,
        remove_gone,
    ),
}
"""What each command does, in order."""


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """How a run ended."""

    plan: Plan
    accounting: Accounting
    writes: int
    """Requests that changed the destination."""
    failed_assets: int
    undecided: tuple[FieldDiff, ...] = ()
    """Fields of components, datasources and folders that wait for a decision."""
    refused: tuple[ObjectProblem, ...] = ()
    """What stories need, and could not be made or brought up to date."""
    gone: tuple[ItemRow, ...] = ()
    """Items that have a story and that the origin no longer gives one."""

    @property
    def publications_waiting(self) -> tuple[FieldDiff, ...]:
        """Return the publications that wait for a decision, by path."""
        conflicts = self.plan.edit_conflicts
        return tuple(each for each in conflicts if each.field == PUBLISHED)

    @property
    def gone_undone(self) -> tuple[ItemRow, ...]:
        """Return those of them about which something else was decided than was
        done."""
        return tuple(row for row in self.gone if row.gone and row.gone.is_pending)

    @property
    def exit_code(self) -> int:
        """Return 1 when something failed, is gone or waits for a decision, and is
        listed, else 0.

        A publication that waits is listed too; all that was wanted of its story is
        written.
        """
        failed = self.accounting.failed or self.failed_assets or self.refused
        undone = failed or self.gone_undone
        waiting = len(self.publications_waiting)
        listed = self.undecided or len(self.plan.edit_conflicts) > waiting
        waits = listed or self.plan.gone.undecided.things or self.plan.checks.refusal
        return 1 if undone or waits else 0


async def run_command(
    command: str,
    project: Project,
    settings: Settings,
    *,
    observer: Observer,
    stop: StopSignal,
    plan_hash: str | None = None,
    dry_run: bool = False,
    recreate: bool = False,
    pilot: Pilot = WHOLE,
    show: Callable[[Plan], None],
) -> ImportOutcome:
    """Run `import` or one of its parts under the lease, and account for it.

    `show` gets the plan before anything is written. With `plan_hash`, raises
    `PlanDriftError` when something moved since that plan. With `recreate`, what an
    import brought and the space no longer has is made again; without, it is listed
    as failed, and `PreflightError` is raised where anything depends on
    it. A stopped or failed run is resumed by running the same command again. Of what
    is selected, only the `pilot` is handled. Raises `CredentialsError` when the token
    lacks a scope that the command needs.
    """
    migration = open_migration(project, settings, pilot=pilot)
    counter = WriteCounter(observer)
    with lease(project.lock, f"cmsmig {command}"):
        await require_same_site(project, settings, observer)
        needing = "plan" if dry_run else command
        setup = ImportSetup(project, settings, migration, counter, stop, needing)
        async with open_import(setup, recreate=recreate) as (job, planned):
            plan, accounting = planned.plan, planned.accounting
            if plan_hash is not None:
                await _refuse_drift(job, plan_hash, plan)
            job.ledger.save_plan(plan.plan_hash, plan.as_stored())
            if dry_run and publish_stories in STEPS[command]:
                shown = await with_changed_fields(job, plan.publications)
                plan = replace(plan, publications=shown)
            show(plan)
            refuse_partial(job.gone, command)
            gone = plan.gone_at_origin
            if not dry_run:
                if plan.checks.refusal:
                    raise PreflightError(plan.checks.refusal)
                await _run_steps(command, job, planned)
                accounting = job.ledger.items.accounting()
                gone = job.ledger.gone.rows()
            return ImportOutcome(
                plan=plan,
                accounting=accounting,
                writes=counter.writes,
                failed_assets=_failed_assets(job),
                undecided=_undecided(job, plan),
                refused=tuple(job.refused.values()),
                gone=gone,
            )


async def _run_steps(command: str, job: ImportJob, planned: PlannedImport) -> None:
    with job.ledger.run(command, planned.plan.plan_hash):
        await _settle(job, planned)
        refuse_gone(job.gone, command)
        for step in STEPS[command]:
            await step(job)


async def _settle(job: ImportJob, planned: PlannedImport) -> None:
    """Settle what a killed run left open, then record what is selected now."""
    migration, ledger, wanted = job.migration, job.ledger, planned.wanted
    ledger.adopt(planned.settled)
    settle_publications(job)
    await put_back_versions(job)
    ledger.items.select(
        item_rows(migration, wanted.conflicts, wanted.offline.reasons()),
        whole=migration.pilot.is_whole,
    )
    ledger.gone.keep_addresses(live_paths(migration.origin).items())
    adopt_reused(ledger, wanted.conflicts)


def _load_plan(ledger: Ledger, plan_hash: str) -> JsonObject:
    stored = ledger.named_plan(plan_hash)
    if stored is None:
        raise UsageError(
            f"No plan `{plan_hash}` is stored in this project; run `cmsmig plan` and "
            "give the hash that it prints."
        )
    return stored


async def _refuse_drift(job: ImportJob, plan_hash: str, plan: Plan) -> None:
    """Raise `PlanDriftError` if something moved since the plan of that hash.

    Costs a call for each story of ours that was saved since.
    """
    stored = _load_plan(job.ledger, plan_hash)
    shown = Fingerprints.from_json(stored.get("fingerprints"))
    paths = plan.fingerprints.edited_since(shown)
    saved = await find_paths_as_written(
        job.reader, job.ledger, job.snapshot.stories, paths
    )
    refuse_drift(stored, plan, saved)


def _failed_assets(job: ImportJob) -> int:
    used = {upload.sha256 for upload in job.migration.files.uploads}
    rows = job.ledger.inventory.assets().values()
    return sum(1 for row in rows if row.has_failed and row.sha256 in used)


def _undecided(job: ImportJob, plan: Plan) -> tuple[FieldDiff, ...]:
    """Return the conflicts in what stories need, by the plan and since.

    A story that has one is counted as failed.
    """
    found = {
        (each.kind, each.what, each.field): each
        for each in (*plan.edit_conflicts, *job.edit_conflicts)
        if each.kind is not ConflictKind.STORY
    }
    return tuple(found.values())


async def plan_only(
    project: Project,
    settings: Settings,
    *,
    observer: Observer,
    recreate: bool = False,
    pilot: Pilot = WHOLE,
    plan_hash: str = "",
) -> Plan:
    """Return the plan and store it under its hash. Writes nothing there.

    With `plan_hash`, raises `PlanDriftError` when something moved since that plan.
    """
    migration = open_migration(project, settings, pilot=pilot)
    await require_same_site(project, settings, observer)
    setup = ImportSetup(project, settings, migration, observer, StopSignal())
    async with open_import(setup, recreate=recreate) as (job, planned):
        plan = planned.plan
        if plan_hash:
            await _refuse_drift(job, plan_hash, plan)
        job.ledger.save_plan(plan.plan_hash, plan.as_stored())
        return plan


async def with_changed_fields(
    job: ImportJob, publications: Sequence[Publication]
) -> tuple[Publication, ...]:
    """Return publications with the fields that change for visitors, where they know
    the page; as they are where the delivery side cannot be read."""
    known = [each for each in publications if not each.is_new]
    if not known:
        return tuple(publications)
    try:
        fields = await _fields(job, known)
    except ServiceError:
        return tuple(publications)
    return tuple(
        replace(each, fields=fields.get(each.full_slug)) for each in publications
    )


async def _fields(
    job: ImportJob, known: Sequence[Publication]
) -> dict[str, tuple[str, ...]]:
    existing, rows = job.existing(), job.ledger.items.all()
    pages = VisitorPages(job.linked(existing), job.public_versions(existing))
    found: dict[str, tuple[str, ...]] = {}
    await job.delivery.renew()
    for at in range(0, len(known), READ_TOGETHER):
        part = {
            story_record.uuid: each
            for each in known[at : at + READ_TOGETHER]
            if (story_record := rows[each.key].story_record) is not None
        }
        there = await job.delivery.published([*part])
        for uuid, story in there.stories.items():
            each = part[uuid]
            unmet = pages.unmet(each.key, story)
            found[each.full_slug] = tuple(field.key for field in unmet)
    return found
