"""Phase one: one create request per story, relations empty.

Spec: import rules 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial

from cmsmig.counting import counted, first_of
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    PreflightError,
    RejectedError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    FOLDER_MISSING,
    Intent,
    LossRow,
)
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.rules.story import LastWrite, written_story
from cmsmig.reconcile.rules.story_fields import story_to_create
from cmsmig.steps.plan.drafts.linked_stories import WantedStory
from cmsmig.steps.plan.interrupted_stories import create_intent
from cmsmig.steps.plan.recorded_stories import found_write, record_after_write
from cmsmig.steps.worker_pool import work_through, write_ahead
from cmsmig.steps.write.idempotent_write import apply_once, is_taken, poll_until_visible
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.needed_objects import parent_id, read_field_keys
from cmsmig.steps.write.story_needs import StoryNeeds, lacking_fields

STEP = "stories"


async def create_stories(job: ImportJob) -> None:
    """Create the story of every selected item that has none.

    An item that the service refuses, or whose components, fields or folder the space
    lacks, is a ledger row with its reason. Raises `PreflightError` when the space
    lacks what every story needs and nothing of that was refused in this run.
    """
    await read_back(job)
    wanted = job.wanted.creating
    job.observer(StepStarted(STEP, len(wanted)))
    groups = job.groups()
    create = partial(_create, job, groups)
    work = write_ahead(job.ledger.intents, _intent, create)
    await work_through(
        _drafts(job, wanted),
        work,
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(
        StepFinished(STEP, f"{counted(len(wanted), 'story', 'stories')} handled")
    )


async def read_back(job: ImportJob) -> None:
    """Read the components back, if stories are to be created and it was not done yet.

    Raises `PreflightError` when every planned story uses what the space lacks, and
    nothing was refused in this run: the space was not prepared.
    """
    wanted, offline = job.wanted.creating, job.wanted.offline
    if job.field_keys or not wanted:
        return
    job.field_keys = await read_field_keys(job)
    lacking = lacking_fields(job.field_keys, offline.used)
    if not lacking or job.refused:
        return
    shapes, planned = offline.shapes, offline.stories
    numbers = {planned[key].shape for key in wanted}
    if all(lacking_fields(job.field_keys, shapes[each].used) for each in numbers):
        shown = first_of(lacking, 8, "; and ", "; ")
        raise PreflightError(
            f"The space lacks what the stories use ({shown}); run `cmsmig "
            "prepare` again, or correct decisions/design.yaml."
        )


def _drafts(job: ImportJob, wanted: Set[ItemKey]) -> Iterator[WantedStory]:
    """Yield the stories of wanted items, before their links; write what any lost, or
    why there is none."""
    needs, unlinked = StoryNeeds.of_creates(job), job.linked({})
    outdated = frozenset(job.outdated_losses())
    for entry in job.migration.selected:
        key = entry.item.key
        if key not in wanted and key not in outdated:
            continue
        found = unlinked.wanted(key)
        if isinstance(found, WantedStory):
            story = found.story
            losses = [LossRow(each.field, each.loss.as_json()) for each in story.losses]
            job.ledger.findings.save_losses(key, losses)
            if key in wanted:
                why = needs.unmet(found.draft.shape.used, story.content)
                if why is None:
                    yield found
                else:
                    job.ledger.items.failed(key, why.reason, why.text)
        elif found is not None and key in wanted:
            job.ledger.items.failed(key, "not_drafted", found)


def _intent(wanted: WantedStory) -> Intent:
    hashed, record = wanted.content_hash, wanted.record_hash
    return create_intent(wanted.key, hashed, record, wanted.fields)


async def _create(
    job: ImportJob, groups: Mapping[ItemKey, str], wanted: WantedStory
) -> None:
    draft = wanted.story
    group = groups.get(draft.key, "")
    try:
        created = await apply_once(
            partial(_send, job, wanted, group), partial(_look, job, wanted)
        )
    except PreflightError as error:
        # Its folder was not made.
        _fail(job, draft, FOLDER_MISSING, str(error))
    except RejectedError as error:
        await _handle_refusal(job, wanted, error)
    except (NotFoundError, MalformedAnswerError, OutcomeUnknownError) as error:
        # The intent stays open: the next run looks before it sends.
        job.ledger.items.failed(draft.key, "not_confirmed", str(error))
    else:
        _save_record(job, draft.key, created)
    job.observer(StepAdvanced(STEP, draft.place.full_slug))


async def _handle_refusal(
    job: ImportJob, wanted: WantedStory, error: RejectedError
) -> None:
    draft = wanted.story
    if not is_taken(error):
        _fail(job, draft, "refused", f"{job.migration.called(draft.key)}: {error}")
        return
    listed = await poll_until_visible(partial(_list_place, job, draft), job.sleep)
    if listed is None:
        # What took the place is not listed yet and may be ours: the intent of a
        # killed run, or a lost reply. The next run looks before it sends.
        job.ledger.items.failed(draft.key, "not_confirmed", str(error))
    elif (ours := await _ours_of(job, wanted, listed)) is not None:
        _save_record(job, draft.key, ours)
    else:
        _fail(
            job,
            draft,
            "conflict",
            f"`{draft.place.full_slug}` is taken by a story that this import did not "
            "make; choose in notebook 04 whether it is used or left alone, or give it "
            "another slug there.",
        )


async def _send(job: ImportJob, wanted: WantedStory, group: str) -> LastWrite:
    parent = parent_id(job, wanted.story.place.folder)
    body = story_to_create(wanted.fields, parent_id=parent, group_id=group)
    story = await job.client.create_story(body)
    if group:
        job.alternates[wanted.key] = story.alternates
    story_record = record_after_write(story, wanted.record_hash)
    return LastWrite(story_record, written_story(wanted.fields, story))


async def _look(job: ImportJob, wanted: WantedStory) -> LastWrite | None:
    """Return the story record for the draft's place if the story there is ours."""
    listed = await _list_place(job, wanted.story)
    return await _ours_of(job, wanted, listed or ())


async def _list_place(job: ImportJob, draft: StoryDraft) -> Sequence[StoryRow] | None:
    """Return what is listed at the draft's place; None while nothing is."""
    return await job.client.stories(with_slug=draft.place.full_slug) or None


async def _ours_of(
    job: ImportJob, wanted: WantedStory, listed: Sequence[StoryRow]
) -> LastWrite | None:
    for row in listed:
        story = await _ours(job, wanted.key, row)
        if story is not None:
            return found_write(story, wanted.record_hash, wanted.fields)
    return None


async def _ours(job: ImportJob, key: ItemKey, row: StoryRow) -> Story | None:
    """Return the story of a row if its root block carries the item's `_uid`; none for
    one that is in the trash, which a list may still show."""
    if row.is_folder:
        return None
    try:
        story = await job.client.story(row.story_id)
    except NotFoundError:
        return None
    ours = story.content.get("_uid") == story_uid(job.migration.namespace, key)
    return story if ours else None


def _save_record(job: ImportJob, key: ItemKey, created: LastWrite) -> None:
    origin_hash = job.migration.origin_hash(key)
    story_record, written = created.record, created.written
    job.ledger.items.placed(key, story_record, origin_hash, "create", written)


def _fail(job: ImportJob, draft: StoryDraft, reason: str, explanation: str) -> None:
    job.ledger.items.failed(draft.key, reason, explanation, "create")
