"""Stories whose items are gone at the origin: unpublished or deleted, as was decided.

Only a story without edits since our last write is taken away. What remains is the time
from the list of a batch to its last request, as for updates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cmsmig.counting import counted
from cmsmig.destination.typed_records import Story
from cmsmig.errors import CmsmigError, RejectedError
from cmsmig.events import Noticed, StepFinished, StepStarted
from cmsmig.ledger.rows import GoneState, ItemRow
from cmsmig.reconcile.resource import Verb
from cmsmig.reconcile.rules.story import edits_without_reading
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.gone.gone_at_origin import blocking, to_remove, why_kept
from cmsmig.steps.plan.recorded import Removal
from cmsmig.steps.worker_pool import work_through
from cmsmig.steps.write.deletion import removing
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.update_story import CurrentRows

STEP = "gone items"


async def delete_blocking_stories(job: ImportJob) -> None:
    """Delete the stories whose places other items take, as was decided."""
    removals = to_remove(job.migration, job.ledger)
    await _remove_all(job, blocking(job.migration, removals))


async def remove_gone(job: ImportJob) -> None:
    """Unpublish or delete the stories of items that are gone, as was decided.

    After phase two, so that no story leads to them any more.
    """
    await _remove_all(job, to_remove(job.migration, job.ledger))


async def _remove_all(job: ImportJob, removals: Sequence[Removal]) -> None:
    if not removals:
        return
    job.observer(StepStarted(STEP, len(removals)))
    current = CurrentRows(job.client, [each.number for each in removals])
    seen = job.planned.seen_gone if job.planned else {}
    gone = _GoneStories(job, current, seen)
    work = removing(
        *(job.client, job.ledger.intents, job.observer, STEP),
        stays=gone.stays,
        record=gone.record,
        refuse=gone.refuse,
    )
    await work_through(removals, work, workers=job.settings.in_flight, stop=job.stop)
    handled = f"{counted(len(removals), 'story', 'stories')} handled"
    job.observer(StepFinished(STEP, handled))


@dataclass(frozen=True, slots=True)
class _GoneStories:
    job: ImportJob
    current: CurrentRows
    seen: Mapping[int, Story]
    """As the plan read them, by id."""

    async def stays(self, each: Removal) -> bool:
        there = await self.current.row(each.number)
        if there is None:
            return False
        row = _row(each)
        last, seen = last_write(self.job.ledger, row), None
        if edits_without_reading(there, last) is None:
            seen = self.seen.get(there.story_id)
            if seen is None or seen.row.updated_at != there.updated_at:
                seen = await self.job.client.story(there.story_id)
        decided = self.job.migration.decisions.conflicts
        if note := why_kept(row, last, there, seen, decided):
            self._keep(each, note)
        return bool(note)

    def record(self, each: Removal, updated_at: str) -> None:
        is_deleted = each.verb is Verb.DELETE
        done = GoneState.DELETED if is_deleted else GoneState.UNPUBLISHED
        kind = each.intent.kind
        self.job.ledger.gone.settle(_row(each).key, done, kind, updated_at=updated_at)

    def refuse(self, each: Removal, error: CmsmigError) -> None:
        if isinstance(error, RejectedError):
            self._keep(each, str(error))
        else:
            self.job.ledger.gone.doubt(_row(each).key, str(error))

    def _keep(self, each: Removal, note: str) -> None:
        self.job.ledger.gone.keep(_row(each).key, note, each.intent.kind)
        self.job.observer(Noticed(each.name, note))


def _row(each: Removal) -> ItemRow:
    assert isinstance(each.row, ItemRow)
    return each.row
