"""Verification of a project: everything is opened, read back and compared."""

from __future__ import annotations

from cmsmig.events import Observer
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import as_begun, open_migration
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.verify.verify import verify
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_setup import ImportSetup, open_job


async def verify_only(
    project: Project, settings: Settings, *, observer: Observer, stop: StopSignal
) -> Verification:
    """Return what a read-back of everything found. Reads only."""
    whole = migration = open_migration(project, settings)
    if project.ledger.is_file():
        with Ledger.open_existing(project.ledger) as ledger:
            migration = as_begun(whole, ledger)
    await require_same_site(project, settings, observer)
    setup = ImportSetup(project, settings, migration, observer, stop, "verify")
    async with open_job(setup) as job:
        found = await verify(job)
        found.not_in_yet = len(whole.items) - len(migration.items)
        return found
