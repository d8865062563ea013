"""Phase one: one create request per story, relations empty.

Spec: import rules 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cmsmig.canonical import fingerprint
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import HomeRow, Intent, LossRow
from cmsmig.mapping.draft import StoryDraft
from cmsmig.mapping.story import story_body
from cmsmig.steps.batches import work_through
from cmsmig.steps.components import check_components
from cmsmig.steps.folders import parent_id
from cmsmig.steps.job import Job
from cmsmig.steps.settling import apply_once, is_taken

STEP = "stories"


async def create_stories(job: Job) -> None:
    """Create the story of every selected item that has none.

    An item that the service refuses is a ledger row with its reason. Raises
    `PreflightError` when the space lacks a component or field that is used.
    """
    await settle_stories(job)
    rows = job.ledger.items.all()
    todo = [
        draft
        for draft in job.drafts()
        if (row := rows.get(draft.key)) is not None
        and row.home is None
        and row.status in ("selected", "failed")
        and draft.key not in job.conflicts
    ]
    _record_losses(job)
    job.observer(StepStarted(STEP, len(todo)))
    if todo:
        await check_components(job)
    await work_through(
        todo,
        intend=lambda batch: _intend(job, batch),
        perform=partial(_create, job),
        abandon=lambda draft: job.ledger.intents.settle(
            "create", str(draft.key), "not_sent"
        ),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(StepFinished(STEP, f"{len(todo)} stories handled"))


def _intend(job: Job, batch: Sequence[StoryDraft]) -> None:
    job.ledger.intents.write(
        [
            Intent("create", str(draft.key), fingerprint(draft.content))
            for draft in batch
        ]
    )


async def _create(job: Job, draft: StoryDraft) -> None:
    body = story_body(draft, parent_id=parent_id(job, draft.place.folder))
    try:
        story = await apply_once(
            partial(job.client.create_story, body), partial(_look, job, draft)
        )
    except RejectedError as error:
        await _refused(job, draft, error)
    except (NotFoundError, MalformedAnswerError, OutcomeUnknownError) as error:
        _fail(job, draft, "not_confirmed", str(error))
    else:
        _house(job, draft, story.row)
    job.observer(StepAdvanced(STEP, draft.place.full_slug))


async def _refused(job: Job, draft: StoryDraft, error: RejectedError) -> None:
    if is_taken(error):
        ours = await _look(job, draft)
        if ours is not None:
            _house(job, draft, ours.row)
            return
        _fail(
            job,
            draft,
            "conflict",
            f"`{draft.place.full_slug}` is taken by a story that this import did not "
            "make; move or rename it there, or decide in decisions/conflicts.yaml.",
        )
        return
    _fail(job, draft, "refused", str(error))


async def _look(job: Job, draft: StoryDraft) -> Story | None:
    """Return the story at the draft's place if its root block is ours."""
    rows = await job.client.stories(with_slug=draft.place.full_slug)
    for row in rows:
        if row.is_folder:
            continue
        story = await job.client.story(row.story_id)
        if story.content.get("_uid") == draft.content["_uid"]:
            return story
    return None


def _house(job: Job, draft: StoryDraft, row: StoryRow) -> None:
    job.ledger.items.housed(
        draft.key,
        HomeRow(
            story_id=row.story_id,
            uuid=row.uuid,
            full_slug=row.full_slug.strip("/"),
            made=True,
            content_hash=fingerprint(draft.content),
            updated_at=row.updated_at,
        ),
        job.migration.origin_hash(draft.key),
        "create",
    )


def _fail(job: Job, draft: StoryDraft, reason: str, explanation: str) -> None:
    job.ledger.items.failed(draft.key, reason, explanation, "create")


def _record_losses(job: Job) -> None:
    for draft in job.drafts():
        job.ledger.findings.save_losses(
            draft.key,
            [LossRow(each.field, each.loss.as_json()) for each in draft.losses],
        )


async def settle_stories(job: Job) -> None:
    """Find out what became of each create that a killed run had intended.

    The survey is younger than those requests: what it does not list was not
    applied, what it lists at our place is ours when its root `_uid` is.
    """
    listed = {
        row.full_slug.strip("/"): row for row in job.survey.stories if not row.is_folder
    }
    drafts = {str(draft.key): draft for draft in job.drafts()}
    for intent in job.ledger.intents.open("create"):
        draft = drafts.get(intent.subject)
        row = None if draft is None else listed.get(draft.place.full_slug)
        if draft is None or row is None:
            job.ledger.intents.settle("create", intent.subject, "absent")
            continue
        story = await job.client.story(row.story_id)
        if story.content.get("_uid") == draft.content["_uid"]:
            _house(job, draft, story.row)
        else:
            job.ledger.intents.settle("create", intent.subject, "foreign")
