"""Stories whose items are gone at the origin: unpublished or deleted, as was decided.

Only a story without edits since our last write is taken away. What remains is the time
from the list of a batch to its last request, as for updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cmsmig.counting import counted
from cmsmig.errors import CmsmigError, RejectedError
from cmsmig.events import Noticed, StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import GoneState, Intent
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.story import edits_without_reading
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.gone.gone_at_origin import (
    GoneRemoval,
    blocking,
    edit_since,
    kept_note,
    to_remove,
)
from cmsmig.steps.worker_pool import work_through
from cmsmig.steps.write.deletion import delete, removing
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.update_story import CurrentRows

STEP = "gone items"
_DONE = {
    GoneState.TO_UNPUBLISH: GoneState.UNPUBLISHED,
    GoneState.TO_DELETE: GoneState.DELETED,
}


async def delete_blocking_stories(job: ImportJob) -> None:
    """Delete the stories whose places other items take, as was decided."""
    removals = to_remove(job.migration, job.ledger)
    await _remove_all(job, blocking(job.migration, removals))


async def remove_gone(job: ImportJob) -> None:
    """Unpublish or delete the stories of items that are gone, as was decided.

    After phase two, so that no story leads to them any more.
    """
    await _remove_all(job, to_remove(job.migration, job.ledger))


async def _remove_all(job: ImportJob, removals: Sequence[GoneRemoval]) -> None:
    if not removals:
        return
    job.observer(StepStarted(STEP, len(removals)))
    ids = [each.story_record.story_id for each in removals]
    gone = _GoneStories(job, CurrentRows(job.client, ids))
    work = removing(job.ledger.intents, gone)
    await work_through(removals, work, workers=job.settings.in_flight, stop=job.stop)
    handled = f"{counted(len(removals), 'story', 'stories')} handled"
    job.observer(StepFinished(STEP, handled))


@dataclass(frozen=True, slots=True)
class _GoneStories:
    job: ImportJob
    current: CurrentRows

    def intent(self, each: GoneRemoval) -> Intent:
        return Intent(each.intent, str(each.row.key), each.story_record.content_hash)

    async def stays(self, each: GoneRemoval) -> bool:
        there = await self.current.row(each.story_record.story_id)
        if there is None:
            return False
        last, seen = last_write(self.job.ledger, each.row), None
        if edits_without_reading(there, last) is None:
            seen = self.job.seen_gone.get(there.story_id)
            if seen is None or seen.row.updated_at != there.updated_at:
                seen = await self.job.client.story(there.story_id)
        if edit := edit_since(there, seen, last):
            self._keep(each, kept_note(edit))
        return bool(edit)

    async def send(self, each: GoneRemoval) -> str:
        own = each.story_record.story_id
        if each.state is GoneState.TO_DELETE:
            await delete(self.job.client, Kind.STORY, own)
            return ""
        return (await self.job.client.unpublish_story(own)).row.updated_at

    def record(self, each: GoneRemoval, updated_at: str) -> None:
        done = _DONE[each.state]
        self.job.ledger.gone.settle(
            each.row.key, done, each.intent, updated_at=updated_at
        )

    def refuse(self, each: GoneRemoval, error: CmsmigError) -> None:
        if isinstance(error, RejectedError):
            self._keep(each, str(error))
        else:
            self.job.ledger.gone.doubt(each.row.key, str(error))

    def advance(self, each: GoneRemoval) -> None:
        self.job.observer(StepAdvanced(STEP, each.story_record.full_slug))

    def _keep(self, each: GoneRemoval, note: str) -> None:
        self.job.ledger.gone.keep(each.row.key, note, each.intent)
        self.job.observer(Noticed(each.story_record.full_slug, note))
