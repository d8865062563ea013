"""The open intents of killed runs, looked up before a rollback.

An import that was killed may have created things that the ledger has no record of;
a rollback that was killed may have deleted things that it still has. Writes only the
ledger.
"""

from __future__ import annotations

from cmsmig.ledger.intents import DELETE
from cmsmig.reconcile.rules.asset import signed_row
from cmsmig.steps.plan.interrupted_stories import find_created, settle_creates
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import created, forget, is_there
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import together
from cmsmig.steps.write.idempotent_write import ONCE_MORE
from cmsmig.steps.write.settle import settle_objects

_MAKING = ("create", "component", "folder", "asset_folder", "datasource", "sign")


async def let_lists_settle(job: RollbackJob) -> None:
    """Wait a moment when a killed run may have written something just now: lists
    may lag behind."""
    if any(job.ledger.intents.open(kind) for kind in (*_MAKING, DELETE)):
        await job.sleep(max(ONCE_MORE))


async def settle(job: RollbackJob, lists: Snapshot) -> None:
    """Record what killed runs created without a record, and what they deleted."""
    await _settle_deletions(job)
    await _settle_creates(job, lists)
    if job.subset.is_all:
        settle_objects(job.ledger, lists)
        _settle_signings(job, lists)


async def _settle_deletions(job: RollbackJob) -> None:
    """Forget what a killed rollback did delete; each is looked at singly."""
    known = {each.subject: each for each in created(job.ledger)}

    async def look(subject: str) -> None:
        ours = known.get(subject)
        if ours is None:
            job.ledger.intents.settle(DELETE, subject, "done")
        elif await is_there(job.client, ours):
            job.ledger.intents.settle(DELETE, subject, "not_applied")
        else:
            forget(job.ledger, ours)

    await together(look(each.subject) for each in job.ledger.intents.open(DELETE))


async def _settle_creates(job: RollbackJob, lists: Snapshot) -> None:
    """Give items the stories that a killed import created for them."""
    ledger = job.ledger
    found, _ = await find_created(job.client, job.namespace, ledger, lists.stories)
    hashes = {key: row.origin_hash for key, row in ledger.items.all().items()}
    settle_creates(ledger, found, lambda key: None, hashes.__getitem__)


def _settle_signings(job: RollbackJob, lists: Snapshot) -> None:
    """Give files the asset records that a killed import signed, by external id."""
    known = job.ledger.inventory.assets()
    for intent in job.ledger.intents.open("sign"):
        row = signed_row(intent, lists.assets.values(), known.get(intent.subject))
        if row is None:
            job.ledger.intents.settle("sign", intent.subject, "absent")
        else:
            job.ledger.inventory.save_asset(row, intent_outcome="done")
