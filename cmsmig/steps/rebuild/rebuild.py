"""A new ledger from the destination, after the old one was lost. Writes nothing
there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from cmsmig.errors import LedgerDamagedError, UsageError
from cmsmig.events import Observer
from cmsmig.ledger.lease import lease
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.rebuild.recovery import Rebuilt, find_again
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_setup import ImportSetup, open_job


async def rebuild(
    project: Project, settings: Settings, *, observer: Observer
) -> Rebuilt:
    """Make a new ledger from the objects of the space, which is only read.

    A damaged ledger is put aside. The new one takes its place when it is whole.
    Raises `UsageError` when the ledger is whole and in use.
    """
    migration = open_migration(project, settings)
    await require_same_site(project, settings, observer)
    with lease(project.lock, "cmsmig rebuild"):
        _refuse_whole(project.ledger)
        fresh = project.ledger.with_name(f"{project.ledger.name}.new")
        for path in _with_logs(fresh):
            path.unlink(missing_ok=True)
        setup = ImportSetup(
            project, settings, migration, observer, StopSignal(), "rebuild"
        )
        async with open_job(setup, fresh) as job:
            with job.ledger.run("rebuild"):
                found = await find_again(job)
        found.aside = _put_aside(project.ledger)
        os.replace(fresh, project.ledger)
    return found


def _refuse_whole(path: Path) -> None:
    if not path.exists():
        return
    try:
        with Ledger.open_existing(path) as ledger:
            unused = ledger.is_unused()
    except LedgerDamagedError:
        return
    if not unused:
        raise UsageError(
            f"{path} is undamaged and in use, so no rebuild is needed; run `cmsmig "
            "import` to continue, or move that file away to have another one made."
        )


def _put_aside(path: Path) -> str:
    if not any(each.exists() for each in _with_logs(path)):
        return ""
    aside = next(
        name
        for number in count(1)
        if not (name := path.with_name(f"{path.name}.old-{number}")).exists()
    )
    for old, new in zip(_with_logs(path), _with_logs(aside), strict=True):
        with suppress(FileNotFoundError):
            old.rename(new)
    return aside.name


def _with_logs(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(path.name + end) for end in ("", "-wal", "-shm"))
