"""Publishes the stories of collections that were decided to be published, and takes
back what was decided not to be public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from cmsmig.counting import counted
from cmsmig.destination.schema import Story
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import Intent, ItemRow, StoryRecord, WrittenStory
from cmsmig.steps.plan.story_fields import around_content, dates_of
from cmsmig.steps.plan.written_stories import (
    already_public,
    content_hash,
    to_publish,
    to_unpublish,
)
from cmsmig.steps.worker_pool import work_through
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.write_ahead import write_ahead

STEP = "publish"
_UNPUBLISH = "unpublish"
"""The kind of its intents."""
_OF_ONE_STORY = (
    NotFoundError,
    RejectedError,
    OutcomeUnknownError,
    MalformedAnswerError,
)
"""Errors that end no run: the story is listed with its reason."""


async def publish_stories(job: ImportJob) -> None:
    """Publish the stories of items whose collection was decided to be published.

    Only items that are live at the origin, and never folders. What is public and
    not to be is taken from visitors where that was decided.
    """
    _forget_unwanted(job)
    rows = job.ledger.items.all().values()
    listed, decided = job.survey.stories, job.migration.decisions.conflicts
    wanted = job.migration.to_publish
    await _unpublish_all(
        job, to_unpublish(job.migration.items.keys() - wanted, rows, listed, decided)
    )
    _note_public(job)
    todo = to_publish(wanted, rows, listed, decided)
    job.observer(StepStarted(STEP, len(todo)))
    await work_through(
        todo,
        write_ahead(job.ledger.intents, _intent, partial(_publish, job)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(
        StepFinished(STEP, f"{counted(len(todo), 'story', 'stories')} handled")
    )


async def _unpublish_all(job: ImportJob, rows: Sequence[ItemRow]) -> None:
    subjects = {str(row.key) for row in rows}
    for intent in job.ledger.intents.open(_UNPUBLISH):
        if intent.subject not in subjects:
            job.ledger.intents.settle(_UNPUBLISH, intent.subject, "not_needed")
    await work_through(
        rows,
        write_ahead(job.ledger.intents, _intent_to_hide, partial(_unpublish, job)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )


def _intent_to_hide(row: ItemRow) -> Intent:
    return Intent(_UNPUBLISH, str(row.key), row.origin_hash)


async def _unpublish(job: ImportJob, row: ItemRow) -> None:
    assert row.home is not None
    try:
        # What is not public stays so: a lost reply is repeated.
        story = await job.client.unpublish_story(row.home.story_id)
    except _OF_ONE_STORY as error:
        job.ledger.items.failed(row.key, "not_unpublished", str(error), _UNPUBLISH)
    else:
        if row.reason == "not_unpublished":
            job.ledger.items.recovered(row.key)
        job.ledger.items.unpublished(row.key, _hidden(row.home, story))


def _forget_unwanted(job: ImportJob) -> None:
    """Give items their status back that failed at what is no longer asked for."""
    for key, row in job.ledger.items.all().items():
        if key in job.migration.known.outside:
            continue
        wanted = key in job.migration.to_publish
        if row.reason == ("not_unpublished" if wanted else "not_published"):
            job.ledger.items.recovered(key)


def _note_public(job: ImportJob) -> None:
    """Count as published what somebody published before us, as we wrote it."""
    rows = job.ledger.items.all().values()
    wanted, listed = job.migration.to_publish, job.survey.stories
    for row, home, there in already_public(wanted, rows, listed):
        public = replace(home, left_public=True)
        job.ledger.items.recovered(row.key)
        job.ledger.items.published(row.key, public, there.updated_at, None)


def _intent(row: ItemRow) -> Intent:
    return Intent("publish", str(row.key), row.origin_hash)


def _home_after(home: StoryRecord, story: Story) -> StoryRecord:
    """Return the story record after its publication.

    Where somebody edited it since our write, no change date is taken as ours, so
    that the next write looks at it first.
    """
    ours = home.kept_edits or content_hash(story.content) == home.content_hash
    changed = story.row.updated_at if ours else ""
    return replace(home, updated_at=changed, left_public=True)


def _written_after(job: ImportJob, story: Story) -> WrittenStory | None:
    """Return what was written with the dates that publication may have set."""
    written = job.ledger.items.last_written(story.row.story_id)
    if written is None:
        return None
    dates = dates_of(around_content(story))
    return replace(written, stood={**written.stood, **dates})


def _hidden(home: StoryRecord, story: Story) -> StoryRecord:
    """Return the story record after it was taken from visitors."""
    ours = content_hash(story.content) == home.content_hash and not home.kept_edits
    changed = story.row.updated_at if ours else home.updated_at
    return replace(home, updated_at=changed, left_public=False)


async def _publish(job: ImportJob, row: ItemRow) -> None:
    assert row.home is not None
    try:
        # Publishing what is published changes nothing, so a lost reply is repeated.
        story = await job.client.publish_story(row.home.story_id)
    except _OF_ONE_STORY as error:
        job.ledger.items.failed(row.key, "not_published", str(error), "publish")
    else:
        job.ledger.items.recovered(row.key)
        job.ledger.items.published(
            row.key,
            _home_after(row.home, story),
            story.row.updated_at,
            _written_after(job, story),
        )
    job.observer(StepAdvanced(STEP, row.full_slug))
