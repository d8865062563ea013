"""Stories whose items are gone at the origin: unpublished or deleted, as was decided.

Only a story without edits since our last write is taken away. What remains is the time
from the list of a batch to its last request, as for updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cmsmig.counting import counted
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import Noticed, StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import GoneState, Intent
from cmsmig.reconcile.rules.story import edits_without_reading
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.gone.gone_at_origin import (
    GoneRemoval,
    blocking,
    edit_since,
    kept_note,
    to_remove,
)
from cmsmig.steps.worker_pool import work_through, write_ahead
from cmsmig.steps.write.idempotent_write import remove_once
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
    current = CurrentRows(job, [each.story_record.story_id for each in removals])
    await work_through(
        removals,
        write_ahead(job.ledger.intents, _intent, partial(_remove, job, current)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    handled = f"{counted(len(removals), 'story', 'stories')} handled"
    job.observer(StepFinished(STEP, handled))


def _intent(removal: GoneRemoval) -> Intent:
    return Intent(
        removal.intent, str(removal.row.key), removal.story_record.content_hash
    )


async def _remove(job: ImportJob, current: CurrentRows, removal: GoneRemoval) -> None:
    gone, key, story_record = job.ledger.gone, removal.row.key, removal.story_record
    done = _DONE[removal.state]
    try:
        there = await current.row(story_record.story_id)
        if there is not None and (edit := await _edit(job, removal, there)):
            _keep(job, removal, kept_note(edit))
        else:
            changed = await _take_away(job, removal)
            gone.settle(key, done, removal.intent, updated_at=changed)
    except NotFoundError:
        gone.settle(key, done, removal.intent)
    except RejectedError as error:
        _keep(job, removal, str(error))
    except (OutcomeUnknownError, MalformedAnswerError) as error:
        # The intent stays open: the next run looks before it sends.
        gone.doubt(key, str(error))
    job.observer(StepAdvanced(STEP, story_record.full_slug))


def _keep(job: ImportJob, removal: GoneRemoval, note: str) -> None:
    job.ledger.gone.keep(removal.row.key, note, removal.intent)
    job.observer(Noticed(removal.story_record.full_slug, note))


async def _take_away(job: ImportJob, removal: GoneRemoval) -> str:
    """Ask for it; return the change date of the story that stays."""
    story_id = removal.story_record.story_id
    if removal.state is GoneState.TO_UNPUBLISH:
        return (await job.client.unpublish_story(story_id)).row.updated_at
    await remove_once(
        partial(job.client.delete_story, story_id), partial(_is_there, job, story_id)
    )
    return ""


async def _is_there(job: ImportJob, story_id: int) -> bool:
    return await job.client.find_story(story_id) is not None


async def _edit(job: ImportJob, removal: GoneRemoval, there: StoryRow) -> str:
    """Return what an editor changed in a story, as it is now, or empty."""
    last = last_write(job.ledger, removal.row)
    seen: Story | None = job.seen_gone.get(there.story_id)
    if edits_without_reading(there, last) is None and (
        seen is None or seen.row.updated_at != there.updated_at
    ):
        seen = await job.client.story(there.story_id)
    return edit_since(there, seen, last)
