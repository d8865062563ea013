"""The changes of a project: everything is opened and compared."""

from __future__ import annotations

from cmsmig.events import Observer
from cmsmig.settings import Project, Settings
from cmsmig.steps.changes.changes import Change, find_changes
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_setup import ImportSetup, open_job


async def changes_of(
    project: Project, settings: Settings, *, observer: Observer, stop: StopSignal
) -> tuple[Change, ...]:
    """Return what moved since the last import. Writes nothing to either service."""
    migration = open_migration(project, settings)
    await require_same_site(project, settings, observer)
    setup = ImportSetup(project, settings, migration, observer, stop, "changes")
    async with open_job(setup) as job:
        return await find_changes(job)
