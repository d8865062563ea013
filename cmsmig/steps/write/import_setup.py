"""Opens an import job: the ledger, the client, and a snapshot of the destination."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cmsmig.destination.client import DestinationClient
from cmsmig.events import Observer
from cmsmig.ledger.rows import Identity
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_delivery, open_destination
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import refuse_lost_ledger
from cmsmig.steps.plan.drafts.offline_drafts import draft_offline
from cmsmig.steps.plan.gone.missing_objects import Gone, find_missing, has_files
from cmsmig.steps.plan.plan_import import PlannedImport, plan_import
from cmsmig.steps.snapshot import Lists, Snapshot, read_snapshot, share_texts
from cmsmig.steps.story_reader import StoryReader
from cmsmig.steps.token_check import refuse_missing_scopes
from cmsmig.steps.worker_pool import StopSignal, ending_waits
from cmsmig.steps.write.asset_upload import arrived_uploads, lost_bytes
from cmsmig.steps.write.import_job import ImportJob


@dataclass(frozen=True, slots=True)
class ImportSetup:
    """The inputs of an import job, before the ledger and the client are opened."""

    project: Project
    settings: Settings
    migration: Migration
    observer: Observer
    stop: StopSignal
    command: str = "plan"
    """The command that the token needs scopes for."""


@asynccontextmanager
async def open_job(
    setup: ImportSetup, fresh: Path | None = None
) -> AsyncIterator[ImportJob]:
    """Give what a step that reads works with: ledger, client and a fresh snapshot.

    `fresh` is a new ledger, to be filled from the destination. Raises `LedgerError`
    when the project's own is empty and meets what an earlier import brought, and
    `CredentialsError` when the token lacks a scope.
    """
    with _ledger(setup, fresh or setup.project.ledger) as ledger:
        async with _connect(setup, ledger) as job:
            if fresh is None and ledger.is_unused():
                await refuse_lost_ledger(
                    job.client, job.migration, ledger, job.snapshot
                )
            yield job


@asynccontextmanager
async def open_import(
    setup: ImportSetup, *, recreate: bool = False
) -> AsyncIterator[tuple[ImportJob, PlannedImport]]:
    """Give what an import works with, and its plan; with `recreate`, what is gone from
    the space is made again.

    All offline work for the plan is done before the first call. Raises what `open_job`
    raises, and `LedgerError` for an older copy of the ledger.
    """
    with _ledger(setup, setup.project.ledger) as ledger:
        offline = draft_offline(setup.migration, ledger)
        async with _connect(setup, ledger, recreate=recreate) as job:
            planned = await plan_import(
                job.reader,
                job.migration,
                ledger,
                job.snapshot,
                job.settings,
                offline,
                job.gone,
                recreate=recreate,
            )
            job.snapshot, job.planned = planned.wanted.snapshot, planned
            job.edits = planned.edits
            yield job, planned


@contextmanager
def _ledger(setup: ImportSetup, path: Path) -> Iterator[Ledger]:
    migration, settings = setup.migration, setup.settings
    identity = Identity(
        site_id=migration.origin.site.site_id,
        base_url=settings.destination_base_url,
        space_id=settings.space_id,
    )
    with Ledger.open(path, identity) as ledger:
        ledger.items.recognise(migration.items)
        yield ledger


@asynccontextmanager
async def _connect(
    setup: ImportSetup, ledger: Ledger, *, recreate: bool = False
) -> AsyncIterator[ImportJob]:
    settings, observer = setup.settings, ending_waits(setup.observer, setup.stop)
    async with open_destination(settings, observer) as client:
        found, gone = await _look(setup, client, ledger, recreate=recreate)
        async with open_delivery(settings, found.space, observer) as delivery:
            try:
                yield ImportJob(
                    settings=settings,
                    migration=setup.migration,
                    client=client,
                    delivery=delivery,
                    reader=StoryReader(client, delivery, found.space, observer),
                    ledger=ledger,
                    snapshot=found,
                    observer=observer,
                    stop=setup.stop,
                    gone=gone,
                )
            finally:
                setup.migration.drafter.store.flush()


def _publishes(migration: Migration, ledger: Ledger) -> bool:
    """Return whether stories are to be published, or may have to be unpublished."""
    rows = ledger.items.all().values()
    return bool(migration.to_publish) or any(row.published for row in rows)


async def _look(
    setup: ImportSetup, client: DestinationClient, ledger: Ledger, *, recreate: bool
) -> tuple[Snapshot, Gone]:
    """Return the snapshot with what its lists lacked, and what is gone.

    Whether files still have their bytes is looked at only to `recreate` them.
    """
    migration, stop, workers = setup.migration, setup.stop, setup.settings.in_flight
    sharing = share_texts(ledger.items.all(), migration.places.places)
    accept = partial(
        refuse_missing_scopes,
        space_id=setup.settings.space_id,
        command=setup.command,
        publishes=_publishes(migration, ledger),
    )
    wanted = Lists.for_import(migration.design, assets=has_files(ledger))
    listed = await read_snapshot(client, wanted, sharing=sharing, accept=accept)
    found, gone = await find_missing(client, migration, ledger, listed)
    if recreate:
        used = {upload.sha256 for upload in migration.files.uploads} - gone.keys(
            Kind.ASSET
        )
        rows = ledger.inventory.assets()
        there = [row for row in rows.values() if row.is_uploaded and row.sha256 in used]
        lost = await lost_bytes(client, there, workers=workers, stop=stop)
        gone = gone.with_lost_bytes(lost)
    arrived = await arrived_uploads(
        client, migration, ledger, workers=workers, stop=stop
    )
    conflicts = migration.decisions.conflicts
    gone = gone.decided(conflicts, recreate=recreate)
    return replace(found, arrived=arrived), gone
