"""Stories whose items are gone at the origin: unpublished or deleted, as was decided.

Only what nobody touched since our last write is taken away. What remains is the time
from the list of a batch to its last request, as for updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cmsmig.counting import counted
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import Noticed, StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import GoneState, Intent, ItemRow, StoryRecord
from cmsmig.reconcile.rules.story import edits_without_reading
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.gone.gone_at_origin import (
    REMOVALS,
    edit_since,
    kept_note,
    standing_in_the_way,
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


async def make_room(job: ImportJob) -> None:
    """Delete the stories whose places other items take, as was decided."""
    await _remove_all(job, standing_in_the_way(job.migration, job.ledger))


async def remove_gone(job: ImportJob) -> None:
    """Unpublish or delete the stories of items that are gone, as was decided.

    After phase two, so that no story leads to them any more.
    """
    await _remove_all(job, to_remove(job.ledger))


async def _remove_all(job: ImportJob, rows: Sequence[ItemRow]) -> None:
    if not rows or not job.migration.pilot.is_whole:
        return
    job.observer(StepStarted(STEP, len(rows)))
    current = CurrentRows(job, [_home(row).story_id for row in rows])
    await work_through(
        rows,
        write_ahead(job.ledger.intents, _intent, partial(_remove, job, current)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(
        StepFinished(STEP, f"{counted(len(rows), 'story', 'stories')} handled")
    )


def _home(row: ItemRow) -> StoryRecord:
    assert row.home is not None
    return row.home


def _state(row: ItemRow) -> GoneState:
    assert row.gone is not None
    return row.gone.state


def _intent(row: ItemRow) -> Intent:
    return Intent(REMOVALS[_state(row)], str(row.key), _home(row).content_hash)


async def _remove(job: ImportJob, current: CurrentRows, row: ItemRow) -> None:
    intent = REMOVALS[_state(row)]
    try:
        there = await current.row(_home(row).story_id)
        if there is not None and (edit := await _edit(job, row, there)):
            _keep(job, row, kept_note(edit))
        else:
            await _take_away(job, row)
    except NotFoundError:
        job.ledger.gone.settle(row.key, _DONE[_state(row)], intent)
    except RejectedError as error:
        _keep(job, row, str(error))
    except (OutcomeUnknownError, MalformedAnswerError) as error:
        # The intent stays open: the next run looks before it sends.
        job.ledger.gone.doubt(row.key, str(error))
    job.observer(StepAdvanced(STEP, _home(row).full_slug))


async def _take_away(job: ImportJob, row: ItemRow) -> None:
    """Ask for it, and write that it is done."""
    state = _state(row)
    story_id = _home(row).story_id
    updated_at = ""
    if state is GoneState.TO_DELETE:
        await remove_once(
            partial(job.client.delete_story, story_id),
            partial(_is_there, job, story_id),
        )
    else:
        story = await job.client.unpublish_story(story_id)
        updated_at = story.row.updated_at
    job.ledger.gone.settle(
        row.key, _DONE[state], REMOVALS[state], updated_at=updated_at
    )


async def _is_there(job: ImportJob, story_id: int) -> bool:
    return await job.client.find_story(story_id) is not None


async def _edit(job: ImportJob, row: ItemRow, there: StoryRow) -> str:
    """Return what somebody made of a story, as it stands right now."""
    home, last = _home(row), last_write(job.ledger, row)
    seen: Story | None = job.seen_gone.get(home.story_id)
    if edits_without_reading(there, last) is None and (
        seen is None or seen.row.updated_at != there.updated_at
    ):
        seen = await job.client.story(home.story_id)
    return edit_since(there, seen, last)


def _keep(job: ImportJob, row: ItemRow, note: str) -> None:
    job.ledger.gone.keep(row.key, note, REMOVALS[_state(row)])
    job.observer(Noticed(_home(row).full_slug, note))
