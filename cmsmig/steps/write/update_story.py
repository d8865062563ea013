"""One update of a story: compared with the current story, then written.

The state of stories is listed shortly before they are written, some at a time; one
that is not as we left it is read and merged by field. An edit between that list and
the PUT of the same batch is overwritten: docs/ledger.md has the time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    PreflightError,
    RejectedError,
)
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import FOLDER_MISSING, GONE, StoryRecord
from cmsmig.mapping.draft import path_in_language
from cmsmig.reconcile.field_diff import Outcome
from cmsmig.reconcile.resource import compare
from cmsmig.reconcile.rules.publication import hides_edits
from cmsmig.reconcile.rules.story import (
    LastWrite,
    StoryComparison,
    is_as_left,
    story_resource,
    story_to_send,
    written_after,
)
from cmsmig.reconcile.rules.story_fields import (
    GROUP,
    TAGS,
    language_slugs,
    slugs_text,
)
from cmsmig.reconcile.rules.story_hashes import UNDECIDED
from cmsmig.steps.plan.drafts.linked_stories import WantedStory
from cmsmig.steps.plan.gone.missing_objects import REMEDY
from cmsmig.steps.plan.wanted_stories import undecided_sentence
from cmsmig.steps.snapshot import LISTED_TOGETHER
from cmsmig.steps.write.idempotent_write import ATTEMPTS
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.needed_objects import parent_id


@dataclass(frozen=True, slots=True)
class Update:
    """A story as it is wanted, and as it was last written."""

    wanted: WantedStory
    last: LastWrite
    group: str
    """That it shares with the item's other languages, if any."""
    is_shown_apart: bool
    """Whether visitors were given the version that they are to see, which is another
    one than editors see."""

    @property
    def key(self) -> ItemKey:
        """Return the item's key."""
        return self.wanted.key

    @property
    def fields(self) -> JsonObject:
        """Return what is wanted of the story, its group included."""
        group: JsonObject = {GROUP: self.group} if self.group else {}
        return {**self.wanted.fields, **group}

    @property
    def story_record(self) -> StoryRecord:
        """Return the story's record."""
        return self.last.record

    @property
    def shows_older(self) -> bool:
        """Return whether visitors were given another version than editors."""
        return self.is_shown_apart or self.story_record.shows_older


class CurrentRows:
    """The rows of stories as they are, each batch listed when its first is due."""

    def __init__(self, client: DestinationClient, story_ids: Sequence[int]) -> None:
        self._client = client
        self._batches = [
            tuple(story_ids[at : at + LISTED_TOGETHER])
            for at in range(0, len(story_ids), LISTED_TOGETHER)
        ]
        self._batch_of = {
            own: number for number, ids in enumerate(self._batches) for own in ids
        }
        self._listing: dict[int, asyncio.Task[list[StoryRow]]] = {}
        self._asked = Counter[int]()

    async def row(self, story_id: int) -> StoryRow | None:
        """Return a story's row; None for one that is not listed. To be asked once."""
        number = self._batch_of[story_id]
        if number not in self._listing:
            ids = ",".join(map(str, self._batches[number]))
            listing = self._client.stories(by_ids=ids)
            self._listing[number] = asyncio.create_task(listing)
        rows = await asyncio.shield(self._listing[number])
        self._asked[number] += 1
        if self._asked[number] == len(self._batches[number]):
            # All 100,000 need not stay.
            del self._listing[number], self._asked[number]
        return next((row for row in rows if row.story_id == story_id), None)


async def update_story(job: ImportJob, rows: CurrentRows, update: Update) -> None:
    """Write a story as it is wanted, but for the changes of editors.

    Whatever goes wrong with it is in the ledger; raises only what ends a run.
    """
    key, story_record = update.key, update.story_record
    try:
        await _write(job, await rows.row(story_record.story_id), update)
    except NotFoundError:
        fail_update(
            job,
            key,
            GONE,
            f"The story `{story_record.full_slug}` is gone: it was deleted at the "
            f"destination meanwhile; {REMEDY}.",
        )
    except PreflightError as error:
        # The folder that it moves to was not made.
        fail_update(job, key, FOLDER_MISSING, str(error))
    except RejectedError as error:
        fail_update(job, key, "refused", f"{job.migration.called(key)}: {error}")
    except (OutcomeUnknownError, MalformedAnswerError) as error:
        # The intent stays open: the next run looks before it sends.
        job.ledger.items.failed(key, "not_confirmed", str(error))


def fail_update(job: ImportJob, key: ItemKey, reason: str, explanation: str) -> None:
    """Write why a story was not updated."""
    job.ledger.items.failed(key, reason, explanation, "update")


async def _write(job: ImportJob, row: StoryRow | None, update: Update) -> None:
    there: Story | StoryRow
    if row is None or not is_as_left(row, update.last) or _unknown_tags(update):
        there = await _read(job, update, row)
    else:
        there = row
    # Asked before the first request: what it writes is unpublished, too.
    update = _noticing_edits(update, there)
    known: Set[tuple[str, str]] = frozenset()
    for attempt in range(1, ATTEMPTS + 1):
        resource = story_resource(update.last, there, update.fields, update.wanted.text)
        compared = compare(resource, job.migration.decisions.conflicts)
        edits = {(each.field, each.seen) for each in compared.diff.edits}
        if attempt > 1 and edits - known:
            # Made while our request was on its way.
            update = _noticing_edits(update, there)
        known = edits
        if compared.verb is None:
            _save_compared(job, update, compared)
            return
        try:
            body = story_to_send(update.last, compared, partial(parent_id, job))
            written = await job.client.update_story(update.story_record.story_id, body)
        except (OutcomeUnknownError, MalformedAnswerError):
            # It may have been applied: then nothing of ours is left to write.
            there = await job.client.story(update.story_record.story_id)
            if attempt == ATTEMPTS:
                raise
        else:
            _save_written(job, update, compared, written)
            return


def _noticing_edits(update: Update, there: Story | StoryRow) -> Update:
    """Return the update of a story that visitors may lack an edit of."""
    last, record = update.last, update.story_record
    record = replace(record, unpublished_edits=hides_edits(there, record))
    return replace(update, last=replace(last, record=record))


def _unknown_tags(update: Update) -> bool:
    """Return whether tags are sent to a story whose own tags are unknown."""
    is_known = update.last.written is None or TAGS in update.last.answered
    return TAGS in update.wanted.fields and not is_known


async def _read(job: ImportJob, update: Update, row: StoryRow | None) -> Story:
    """Return a story as it is; as the plan read it, if nothing moved since."""
    seen = job.edits.seen.get(update.key)
    if seen is not None and row is not None and seen.row.updated_at == row.updated_at:
        return seen
    return await job.client.story(update.story_record.story_id)


def _save_written(
    job: ImportJob, update: Update, compared: StoryComparison, story: Story
) -> None:
    group = story.row.group_id
    if update.key in job.alternates:
        job.alternates[update.key] = story.alternates
    story_record = replace(
        _record_after(update, compared),
        full_slug=story.row.full_slug.strip("/"),
        updated_at=story.row.updated_at,
        group_id=group if group == update.group else update.story_record.group_id,
        slugs=slugs_text(story),
    )
    job.ledger.items.written(
        update.key,
        story_record,
        update.wanted.links.state,
        job.migration.origin_hash(update.key),
        written_after(update.last, compared, story),
        still_public=update.is_shown_apart,
        left=_left_paths(job, update, story),
    )
    _list_undecided(job, update, compared)


def _left_paths(job: ImportJob, update: Update, story: Story) -> dict[ItemKey, str]:
    """Return the paths that a story's pages in other languages have no longer."""
    before, after = update.story_record.language_slugs, language_slugs(story)
    left: dict[ItemKey, str] = {}
    for each in job.migration.items[update.key].languages:
        old, new = before.get(each.code, ""), after.get(each.code, "")
        path = path_in_language(update.story_record.full_slug, each.code, old)
        if old and path != path_in_language(story.row.full_slug, each.code, new):
            left[each.key] = path
    return left


def _save_compared(job: ImportJob, update: Update, compared: StoryComparison) -> None:
    """Write that nothing is left to send: all of it is there, is kept, or waits."""
    actual = compared.resource.actual
    if isinstance(actual, Story) and compared.diff.of(Outcome.AGREE):
        _save_written(job, update, compared, actual)
        return
    story_record = _record_after(update, compared)
    if isinstance(actual, Story):
        story_record = replace(
            story_record,
            updated_at=actual.row.updated_at,
            slugs=slugs_text(actual),
        )
    if story_record.public_record and not update.shows_older:
        # Nothing was sent that visitors lack.
        record = story_record.record_hash
        story_record = replace(story_record, public_record=record)
    written = written_after(update.last, compared)
    origin = job.migration.origin_hash(update.key)
    job.ledger.items.compared(
        update.key, story_record, update.wanted.links.state, origin, written
    )
    _list_undecided(job, update, compared)


def _record_after(update: Update, compared: StoryComparison) -> StoryRecord:
    # Unless a field waits, what counts as sent is just what is wanted.
    record = UNDECIDED if compared.diff.waiting else update.wanted.record_hash
    edited, before = bool(compared.diff.edits), update.story_record
    return replace(
        before,
        record_hash=record,
        kept_edits=edited,
        unpublished_edits=edited and before.unpublished_edits,
    )


def _list_undecided(job: ImportJob, update: Update, compared: StoryComparison) -> None:
    if undecided := compared.diff.conflicts:
        key, why = update.key, undecided_sentence(undecided)
        job.ledger.items.failed(key, "edited_since", why)
