"""The removal: one kind after the other, each object after its intent was written.

What others build on goes after them. Before anything is deleted, its state is listed
once more: what was changed since the plan stays.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from cmsmig.errors import CmsmigError, NotFoundError, RejectedError
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import Intent
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.comparison import compare, story_stamp
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import TRASHED, Reason, Reverse, delete, forget
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.steps.rollback.staying import deepest_first, holds_sentence
from cmsmig.steps.snapshot import LISTED_TOGETHER, Lists, read_lists
from cmsmig.steps.worker_pool import Work, WorkerPool, batches
from cmsmig.steps.write.execute import attempting

_LISTED = (Kind.STORY, Kind.FOLDER)
Perform = Callable[[Reverse], Awaitable[None]]


@dataclass(slots=True)
class Removal:
    """What a rollback has removed so far, and what stayed against its plan."""

    job: RollbackJob
    removed: list[Reverse] = field(default_factory=list)
    left: list[Reverse] = field(default_factory=list)

    def done(self, gone: Reverse) -> None:
        """Record that something does not exist any more."""
        forget(self.job.ledger, gone)
        self.removed.append(gone)

    def keep(self, ours: Reverse, reason: Reason, text: str) -> None:
        """Note that something stays."""
        self.left.append(ours.kept(reason, text))

    def refuse(self, ours: Reverse, error: CmsmigError) -> None:
        """Note that something stays with the service's reason."""
        refused = isinstance(error, RejectedError)
        reason = Reason.REFUSED if refused else Reason.NOT_CONFIRMED
        self.keep(ours, reason, str(error))
        self.advance(ours)

    def advance(self, ours: Reverse) -> None:
        """Report the progress of the step."""
        self.job.observer(StepAdvanced(_step(ours.kind), ours.name))

    def work(self, perform: Perform) -> Work[Reverse]:
        """Return work whose intents are recorded before any of a batch is deleted."""
        return attempting(self.job.ledger.intents, _intent, perform, self.refuse)


async def remove(job: RollbackJob, plan: RollbackPlan) -> Removal:
    """Remove what the plan lists; what cannot go is listed, and the rest continues.

    Where a story stays against the plan, nothing that it may build on is touched.
    """
    removal = Removal(job)
    going = {kind: [each for each in plan.going if each.kind is kind] for kind in Kind}
    await _remove_stories(removal, going[Kind.STORY])
    await _remove_folders(removal, going[Kind.FOLDER])
    others = [kind for kind in Kind if kind not in _LISTED]
    if removal.left:
        for each in (each for kind in others for each in going[kind]):
            removal.keep(each, Reason.WAITS, _waits(each))
        return removal
    for kind in others:
        if kind in TRASHED or kind is Kind.ASSET_FOLDER:
            unmoved = going[kind]
        else:
            unmoved = await _unmoved(removal, plan, kind, going[kind])
        async with _pool(removal, kind, unmoved) as pool:
            await pool.take(removal.work(partial(_remove, removal)), unmoved)
    return removal


async def _remove_stories(removal: Removal, stories: Sequence[Reverse]) -> None:
    work = removal.work(partial(_remove, removal))
    async with _pool(removal, Kind.STORY, stories) as pool:
        for due in batches(stories, LISTED_TOGETHER):
            if pool.ending:
                break
            await pool.take(work, await _as_planned(removal, due))


async def _as_planned(removal: Removal, due: Sequence[Reverse]) -> list[Reverse]:
    """Return the stories that are as the plan found them; the others stay."""
    client = removal.job.client
    listed = await client.stories(by_ids=",".join(str(each.number) for each in due))
    rows = {row.story_id: row for row in listed}
    found: list[Reverse] = []
    for each in due:
        row = rows.get(each.number)
        try:
            row = row or (await client.story(each.number)).row
        except NotFoundError:
            removal.done(each)
            continue
        if story_stamp(row) == each.stamp:
            found.append(each)
        else:
            removal.keep(each, Reason.EDITED, _moved(each))
    return found


async def _remove_folders(removal: Removal, folders: Sequence[Reverse]) -> None:
    """Remove folders that are empty, the deepest first: with one goes what is in it."""
    work = removal.work(partial(_remove_folder, removal))
    ordered = deepest_first(folders)
    async with _pool(removal, Kind.FOLDER, folders) as pool:
        for _, level in groupby(ordered, key=lambda each: each.name.count("/")):
            await pool.take(work, level)
            await pool.done()


async def _remove_folder(removal: Removal, folder: Reverse) -> None:
    held = await _held(removal, folder)
    if not held:
        await _remove(removal, folder)
        return
    removal.keep(folder, Reason.HOLDS, holds_sentence(folder, held))
    removal.job.ledger.intents.settle(DELETE, folder.subject, "not_sent")


async def _held(removal: Removal, folder: Reverse) -> str:
    """Return the path of something in a folder, as it is now; empty without any."""
    client = removal.job.client
    removed = {each.number for each in removal.removed if each.kind in _LISTED}
    for row in await client.stories(with_parent=folder.number):
        if row.story_id in removed:
            continue
        # A list may lag behind what an earlier run deleted.
        with suppress(NotFoundError):
            return (await client.story(row.story_id)).row.full_slug
    return ""


async def _remove(removal: Removal, going: Reverse) -> None:
    await delete(removal.job.client, going)
    removal.done(going)
    removal.advance(going)


async def _unmoved(
    removal: Removal, plan: RollbackPlan, kind: Kind, going: Sequence[Reverse]
) -> list[Reverse]:
    """Return what is unchanged of what is deleted permanently; the rest is kept."""
    if not going:
        return []
    wanted = Lists(
        stories=False,
        components=kind is Kind.COMPONENT,
        slugs=frozenset(each.name for each in going if kind is Kind.DATASOURCE),
    )
    lists = await read_lists(removal.job.client, replace(plan.before, wanted=wanted))
    compared = await compare(removal.job, lists, going)
    for each in compared.gone:
        removal.done(each)
    stamps = {each.number: each.stamp for each in going}
    found: list[Reverse] = []
    for each in compared.there:
        if each.stamp == stamps[each.number]:
            found.append(each)
        else:
            removal.keep(each, Reason.EDITED, _moved(each))
    return found


def _intent(going: Reverse) -> Intent:
    return Intent(DELETE, going.subject, going.stamp)


@asynccontextmanager
async def _pool(
    removal: Removal, kind: Kind, going: Sequence[Reverse]
) -> AsyncIterator[WorkerPool]:
    """Give a pool for one kind, and report progress; without any, an idle one."""
    job, before = removal.job, len(removal.removed)
    if going:
        job.observer(StepStarted(_step(kind), len(going)))
    async with WorkerPool(job.settings.in_flight, job.stop) as pool:
        yield pool
    if going:
        number = len(removal.removed) - before
        place = "in the trash" if kind in TRASHED else "deleted"
        text = f"{number} of {len(going)} {place}"
        job.observer(StepFinished(_step(kind), text))


def _step(kind: Kind) -> str:
    return f"remove {kind.noun(2)}"


def _moved(ours: Reverse) -> str:
    return (
        f"The {ours.called} was changed in the space while this rollback ran, so it "
        "stays; run it again to see what it would do now."
    )


def _waits(ours: Reverse) -> str:
    return (
        f"The {ours.called} stays for now: something stayed that may use it; run the "
        "rollback again."
    )
