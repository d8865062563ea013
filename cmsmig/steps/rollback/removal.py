"""The removal: one kind after the other, each object after its intent was written.

What others build on goes after them. Before anything is deleted, its state is listed
once more: what was changed since the plan stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby

from cmsmig.errors import CmsmigError, NotFoundError, RejectedError
from cmsmig.events import StepFinished, StepStarted
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.comparison import stamp_of
from cmsmig.steps.rollback.reverse import (
    TRASHED,
    Reason,
    Reverse,
    RollbackJob,
    forget_removed,
)
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.steps.rollback.staying import removal_order, stays_sentence
from cmsmig.steps.snapshot import Listed, Lists, read_lists
from cmsmig.steps.worker_pool import work_through
from cmsmig.steps.write.deletion import Removals, removing
from cmsmig.steps.write.update_story import CurrentRows

_IN_PLACES = (Kind.STORY, Kind.FOLDER)


@dataclass(slots=True)
class RollbackRemovals(Removals[Reverse]):
    """What a rollback has removed so far, and what stayed against its plan."""

    job: RollbackJob
    rows: CurrentRows
    """The stories that are to go."""
    listed: Mapping[tuple[Kind, int], Listed] = field(default_factory=dict)
    """What was listed once more."""
    removed: list[Reverse] = field(default_factory=list)
    left: list[Reverse] = field(default_factory=list)

    async def stays(self, each: Reverse) -> bool:
        """Return whether something was changed since the plan, or is not empty."""
        if each.kind is Kind.FOLDER:
            if held := await self._held(each):
                self.keep(each, Reason.HOLDS, stays_sentence(each, "holds", held))
            return bool(held)
        there = self.listed.get((each.kind, each.number))
        if each.kind is Kind.STORY:
            row = await self.rows.row(each.number)
            there = row or (await self.job.client.story(each.number)).row
        moved = there is not None and stamp_of(there) != each.intent.request_hash
        if moved:
            self.keep(each, Reason.EDITED, _MOVED.format(each.called))
        return moved

    def record(self, each: Reverse, updated_at: str) -> None:
        """Record that something does not exist any more."""
        forget_removed(self.job.ledger, each)
        self.removed.append(each)

    def refuse(self, each: Reverse, error: CmsmigError) -> None:
        """Note that something stays with the service's reason."""
        refused = isinstance(error, RejectedError)
        reason = Reason.REFUSED if refused else Reason.NOT_CONFIRMED
        self.keep(each, reason, str(error))

    def keep(self, ours: Reverse, reason: Reason, text: str) -> None:
        """Note that something stays."""
        self.left.append(ours.kept(reason, text))

    async def _held(self, folder: Reverse) -> str:
        """Return the path of something in a folder, as it is now; empty without any."""
        removed = {each.number for each in self.removed if each.kind in _IN_PLACES}
        for row in await self.job.client.stories(with_parent=folder.number):
            if row.story_id in removed:
                continue
            # A list may lag behind what an earlier run deleted.
            with suppress(NotFoundError):
                return (await self.job.client.story(row.story_id)).row.full_slug
        return ""


async def remove(job: RollbackJob, plan: RollbackPlan) -> RollbackRemovals:
    """Remove what the plan lists; what cannot go is listed, and the rest continues.

    Where a story stays against the plan, nothing that it may build on is touched.
    """
    ids = [each.number for each in plan.going if each.kind is Kind.STORY]
    removals = RollbackRemovals(job, CurrentRows(job.client, ids))
    for kind in _IN_PLACES:
        await _remove_kind(removals, plan, kind)
    others = [each for each in plan.going if each.kind not in _IN_PLACES]
    if removals.left:
        for each in others:
            removals.keep(each, Reason.WAITS, _WAITS.format(each.called))
    else:
        for kind in dict.fromkeys(each.kind for each in others):
            await _remove_kind(removals, plan, kind)
    return removals


async def _remove_kind(
    removals: RollbackRemovals, plan: RollbackPlan, kind: Kind
) -> None:
    """Remove what is of one kind; of folders the deepest first, for with one goes what
    is in it."""
    job, before = removals.job, len(removals.removed)
    going = [each for each in plan.going if each.kind is kind]
    if not going:
        return
    step = f"remove {kind.noun(2)}"
    job.observer(StepStarted(step, len(going)))
    if kind in (Kind.DATASOURCE, Kind.COMPONENT):
        # These are deleted for good.
        names = frozenset(each.name for each in going if kind is Kind.DATASOURCE)
        wanted = Lists(stories=False, components=not names, slugs=names)
        lists = await read_lists(job.client, replace(plan.before, wanted=wanted))
        removals.listed = lists.objects()
    work = removing(job.client, job.ledger.intents, job.observer, step, removals)
    ordered = sorted(going, key=removal_order)
    for _, level in groupby(ordered, key=lambda each: removal_order(each)[0]):
        await work_through(level, work, workers=job.settings.in_flight, stop=job.stop)
    number = len(removals.removed) - before
    place = "in the trash" if kind in TRASHED else "deleted"
    job.observer(StepFinished(step, f"{number} of {len(going)} {place}"))


_MOVED = (
    "The {} was changed in the space while this rollback ran, so it stays; run it "
    "again to see what it would do now."
)
_WAITS = (
    "The {} stays for now: something stayed that may use it; run the rollback again."
)
