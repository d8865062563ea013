"""The removal: one kind after the other, each object after its intent was written.

What others build on goes after them. Before anything is deleted, its state is listed
once more: what was changed since the plan stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby

from cmsmig.errors import CmsmigError, NotFoundError, RejectedError
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import Intent
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.comparison import compare, stamp_of
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import TRASHED, Reason, Reverse, forget_removed
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.steps.rollback.staying import removal_order, stays_sentence
from cmsmig.steps.snapshot import Lists, read_lists
from cmsmig.steps.worker_pool import work_through
from cmsmig.steps.write.deletion import delete, removing
from cmsmig.steps.write.update_story import CurrentRows

_IN_PLACES = (Kind.STORY, Kind.FOLDER)


@dataclass(slots=True)
class Removal:
    """What a rollback has removed so far, and what stayed against its plan."""

    job: RollbackJob
    rows: CurrentRows
    """The stories that are to go."""
    stamps: dict[str, str] = field(default_factory=dict)
    """The state of what was listed once more, by what its intent names."""
    removed: list[Reverse] = field(default_factory=list)
    left: list[Reverse] = field(default_factory=list)

    def intent(self, each: Reverse) -> Intent:
        """Return the intent to delete something."""
        return Intent(DELETE, each.subject, each.stamp)

    async def stays(self, each: Reverse) -> bool:
        """Return whether something was changed since the plan, or is not empty."""
        if each.kind is Kind.FOLDER:
            held = await self._held(each)
            reason, text = Reason.HOLDS, stays_sentence(each, "holds", held)
            stays = held != ""
        else:
            stays = await self._stamp(each) != each.stamp
            reason, text = Reason.EDITED, _MOVED.format(each.called)
        if stays:
            self.keep(each, reason, text)
        return stays

    async def send(self, each: Reverse) -> str:
        """Delete it."""
        await delete(self.job.client, each.kind, each.number)
        return ""

    def record(self, each: Reverse, updated_at: str) -> None:
        """Record that something does not exist any more."""
        forget_removed(self.job.ledger, each)
        self.removed.append(each)

    def refuse(self, each: Reverse, error: CmsmigError) -> None:
        """Note that something stays with the service's reason."""
        refused = isinstance(error, RejectedError)
        reason = Reason.REFUSED if refused else Reason.NOT_CONFIRMED
        self.keep(each, reason, str(error))

    def advance(self, each: Reverse) -> None:
        """Report the progress of the step."""
        self.job.observer(StepAdvanced(_step(each.kind), each.name))

    def keep(self, ours: Reverse, reason: Reason, text: str) -> None:
        """Note that something stays."""
        self.left.append(ours.kept(reason, text))

    async def _stamp(self, each: Reverse) -> str:
        """Return the state of something as far as it was listed once more."""
        if each.kind is not Kind.STORY:
            return self.stamps.get(each.subject, each.stamp)
        row = await self.rows.row(each.number)
        return stamp_of(row or (await self.job.client.story(each.number)).row)

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


async def remove(job: RollbackJob, plan: RollbackPlan) -> Removal:
    """Remove what the plan lists; what cannot go is listed, and the rest continues.

    Where a story stays against the plan, nothing that it may build on is touched.
    """
    ids = [each.number for each in plan.going if each.kind is Kind.STORY]
    removal = Removal(job, CurrentRows(job.client, ids))
    for kind in _IN_PLACES:
        await _remove_kind(removal, plan, kind)
    others = [each for each in plan.going if each.kind not in _IN_PLACES]
    if removal.left:
        for each in others:
            removal.keep(each, Reason.WAITS, _WAITS.format(each.called))
        return removal
    for kind in dict.fromkeys(each.kind for each in others):
        await _remove_kind(removal, plan, kind)
    return removal


async def _remove_kind(removal: Removal, plan: RollbackPlan, kind: Kind) -> None:
    """Remove what is of one kind; of folders the deepest first, for with one goes what
    is in it."""
    job, before = removal.job, len(removal.removed)
    going = [each for each in plan.going if each.kind is kind]
    if not going:
        return
    job.observer(StepStarted(_step(kind), len(going)))
    if kind in (Kind.DATASOURCE, Kind.COMPONENT):
        # These are deleted for good.
        removal.stamps |= await _stamps_now(job, plan, kind, going)
    work = removing(job.ledger.intents, removal)
    ordered = sorted(going, key=removal_order)
    for _, level in groupby(ordered, key=lambda each: removal_order(each)[0]):
        await work_through(level, work, workers=job.settings.in_flight, stop=job.stop)
    number = len(removal.removed) - before
    place = "in the trash" if kind in TRASHED else "deleted"
    job.observer(StepFinished(_step(kind), f"{number} of {len(going)} {place}"))


async def _stamps_now(
    job: RollbackJob, plan: RollbackPlan, kind: Kind, going: Sequence[Reverse]
) -> dict[str, str]:
    """Return the state of objects as it is listed now, by what their intents name."""
    wanted = Lists(
        stories=False,
        components=kind is Kind.COMPONENT,
        slugs=frozenset(each.name for each in going if kind is Kind.DATASOURCE),
    )
    lists = await read_lists(job.client, replace(plan.before, wanted=wanted))
    compared = await compare(job, lists, going)
    return {each.subject: each.stamp for each in compared}


def _step(kind: Kind) -> str:
    return f"remove {kind.noun(2)}"


_MOVED = (
    "The {} was changed in the space while this rollback ran, so it stays; run it "
    "again to see what it would do now."
)
_WAITS = (
    "The {} stays for now: something stayed that may use it; run the rollback again."
)
