"""Opens an import job: the ledger, the client, and a snapshot of the destination."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import Story
from cmsmig.events import Observer
from cmsmig.ledger.rows import Identity
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_destination
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import find_conflicts, moved_paths
from cmsmig.steps.plan.created_stories import take_up_created
from cmsmig.steps.plan.drafts.foreseen_links import foresee_links
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts, draft_offline
from cmsmig.steps.plan.edits.story_edits import (
    NO_EDITS,
    StoryEdits,
    read_story_edits,
)
from cmsmig.steps.plan.gone.gone_at_origin import (
    NO_STORIES,
    changes_gone,
    compare_with_origin,
    look_at_gone,
    take_up_gone,
)
from cmsmig.steps.plan.gone.missing_objects import Gone, compare, has_files
from cmsmig.steps.plan.gone.recreate import changes, take_up
from cmsmig.steps.plan.ledger_guard import refuse_lost_ledger
from cmsmig.steps.plan.preflights.items import find_refused
from cmsmig.steps.plan.preflights.reads import read_for_preflights
from cmsmig.steps.plan.publication.interrupted_versions import read_interrupted
from cmsmig.steps.snapshot import Lists, Snapshot, read_snapshot, share_texts
from cmsmig.steps.token_check import refuse_missing_scopes
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.asset_upload import arrived_uploads, lost_bytes
from cmsmig.steps.write.import_job import ImportJob


class Purpose(StrEnum):
    """What a job is opened for."""

    IMPORT = "import"
    RECREATE = "recreate"
    """As an import; what is gone from the space is made again."""
    VERIFY = "verify"
    """What an older copy of the ledger lacks is a difference, and no error."""
    REBUILD = "rebuild"
    """The ledger is a new one, to be filled from the destination."""


_PLANNING = frozenset((Purpose.IMPORT, Purpose.RECREATE))


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

    @property
    def identity(self) -> Identity:
        """Return which site goes into which space."""
        return Identity(
            site_id=self.migration.origin.site.site_id,
            base_url=self.settings.destination_base_url,
            space_id=self.settings.space_id,
        )


@asynccontextmanager
async def open_job(
    setup: ImportSetup, purpose: Purpose, ledger: Path | None = None
) -> AsyncIterator[ImportJob]:
    """Give everything a step works with: ledger, client and a fresh snapshot.

    All offline work for the plan is done before the first call. `ledger` is another
    file than the project's own. Raises `LedgerError` when an empty ledger, or an
    older copy of it, meets what an earlier import brought, and `CredentialsError`
    when the token lacks a scope.
    """
    migration, settings = setup.migration, setup.settings
    recreate = purpose is Purpose.RECREATE
    with Ledger.open(ledger or setup.project.ledger, setup.identity) as opened:
        opened.items.recognise(migration.items)
        offline = draft_offline(migration, opened) if purpose in _PLANNING else None
        async with open_destination(settings, setup.observer) as client:
            found, gone = await _look(setup, client, opened, recreate=recreate)
            if offline is not None:
                opened.items.moved(moved_paths(migration.namespace, opened, found))
            conflicts = find_conflicts(migration, opened, found)
            if _is_guarded(purpose, opened):
                looked = await refuse_lost_ledger(
                    client, migration, opened, found, conflicts
                )
                found = _with_calls(found, looked)
            edits, seen_gone = NO_EDITS, NO_STORIES
            if offline is not None:
                again = gone.recreated.keys()
                found = await read_for_preflights(
                    client, migration, opened, found, offline, again
                )
                offline = _without_refused(setup, opened, found, offline)
                found = await read_interrupted(
                    client, migration.namespace, opened, found
                )
                seen_gone, reads = await look_at_gone(client, migration, opened, found)
                offline, edits = await _look_at_edits(
                    setup, client, opened, found, offline, gone, seen_gone
                )
                calls = {
                    "read_interrupted_versions": len(found.interrupted),
                    "read_gone_stories": reads,
                    "read_changed_stories": edits.reads,
                }
                found = _with_calls(found, calls)
            job = ImportJob(
                settings=settings,
                migration=migration,
                client=client,
                ledger=opened,
                snapshot=found,
                conflicts=conflicts,
                observer=setup.observer,
                stop=setup.stop,
                offline=offline,
                edits=edits,
                seen_gone=seen_gone,
                gone=gone,
                recreate=recreate,
            )
            try:
                yield job
            finally:
                job.migration.drafter.store.flush()


def _with_calls(found: Snapshot, calls: Mapping[str, int]) -> Snapshot:
    made = {name: count for name, count in calls.items() if count}
    return replace(found, calls={**found.calls, **made})


async def _look_at_edits(
    setup: ImportSetup,
    client: DestinationClient,
    ledger: Ledger,
    found: Snapshot,
    offline: OfflineDrafts,
    gone: Gone,
    seen_gone: Mapping[int, Story],
) -> tuple[OfflineDrafts, StoryEdits]:
    """Return what the plan is made of, without the stories that will be taken away
    and with those that came back, and what it takes to know of edited ones."""
    migration = setup.migration
    moved = changes(ledger, gone)
    left = compare_with_origin(migration, ledger, found, seen_gone)
    if not moved and not changes_gone(ledger, left) and not found.created:
        return offline, await _read_edits(setup, client, ledger, found, offline)
    with ledger.supposed() as supposed:
        take_up_created(supposed, found.created, migration, offline.context)
        if moved:
            take_up(supposed, gone)
            left = compare_with_origin(migration, supposed, found, seen_gone)
        take_up_gone(supposed, left)
        offline = _without_refused(
            setup, supposed, found, draft_offline(setup.migration, supposed)
        )
        return offline, await _read_edits(setup, client, supposed, found, offline)


async def _read_edits(
    setup: ImportSetup,
    client: DestinationClient,
    ledger: Ledger,
    found: Snapshot,
    offline: OfflineDrafts,
) -> StoryEdits:
    conflicts = find_conflicts(setup.migration, ledger, found)
    foreseen = foresee_links(setup.migration, ledger, found, conflicts, offline)
    return await read_story_edits(client, setup.migration, ledger, foreseen, offline)


def _without_refused(
    setup: ImportSetup, ledger: Ledger, found: Snapshot, offline: OfflineDrafts
) -> OfflineDrafts:
    refused = find_refused(setup.migration, ledger, found, offline)
    return offline.without(refused)


def _is_guarded(purpose: Purpose, ledger: Ledger) -> bool:
    """Return whether a ledger that knows less than the space is refused."""
    if purpose is Purpose.VERIFY:
        return ledger.is_unused()
    return purpose is not Purpose.REBUILD


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
    compared = await compare(client, migration, ledger, listed)
    gone = compared.gone
    if recreate:
        used = {upload.sha256 for upload in migration.files.uploads} - gone.hashes()
        rows = ledger.inventory.assets()
        there = [row for row in rows.values() if row.is_brought and row.sha256 in used]
        lost = await lost_bytes(client, there, workers=workers, stop=stop)
        gone = gone.with_lost_bytes(lost)
    arrived = await arrived_uploads(
        client, migration, ledger, workers=workers, stop=stop
    )
    conflicts = migration.decisions.conflicts
    gone = gone.decided(conflicts, recreate=recreate)
    return replace(compared.snapshot, arrived=arrived), gone
