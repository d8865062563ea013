"""One update of a story: compared with what stands there, then written.

The state of stories is listed shortly before they are written, some at a time; one
that is not as we left it is read and merged by field. What remains is the time from
that list to the last PUT of its batch: docs/ledger.md says how long that is.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    PreflightError,
    RejectedError,
)
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import FOLDER_MISSING, GONE, StoryRecord, WrittenStory
from cmsmig.mapping.draft import path_in_language
from cmsmig.reconcile.rules.story import (
    START,
    TAGS,
    around_content,
    content_of,
    is_as_written,
    is_unmoved,
)
from cmsmig.reconcile.rules.story_hashes import content_hash
from cmsmig.reconcile.rules.story_translations import translations_to_send
from cmsmig.steps.plan.drafts.linked_stories import DraftLinks
from cmsmig.steps.plan.edits.story_edits import UNDECIDED, undecided_sentence
from cmsmig.steps.plan.edits.story_merge import StoryMerge, merge_story, merge_untouched
from cmsmig.steps.plan.gone.recreate import REMEDY
from cmsmig.steps.snapshot import LISTED_TOGETHER
from cmsmig.steps.write.folders import parent_id
from cmsmig.steps.write.idempotent_write import ATTEMPTS
from cmsmig.steps.write.import_job import ImportJob


@dataclass(frozen=True, slots=True)
class Needed:
    """A story that is wanted otherwise; its content stays on disk."""

    key: ItemKey
    home: StoryRecord
    links: DraftLinks
    is_asked: bool
    """Whether it is written whatever its content is."""
    is_over: bool
    """Whether it had failed in this phase for what is no longer so."""
    is_shown_apart: bool = False
    """Whether visitors were given the version that they are to see, which is another
    one than editors see."""


@dataclass(frozen=True, slots=True)
class Update:
    """A story as it is wanted."""

    needed: Needed
    fields: JsonObject
    group: str = ""
    """Shared with the item's other languages; empty without any."""


class CurrentRows:
    """The rows of stories as they stand, each batch listed when its first is due."""

    def __init__(self, job: ImportJob, story_ids: Sequence[int]) -> None:
        self._job = job
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
            listing = self._job.client.stories(by_ids=ids)
            self._listing[number] = asyncio.create_task(listing)
        rows = await asyncio.shield(self._listing[number])
        self._asked[number] += 1
        if self._asked[number] == len(self._batches[number]):
            # All 100,000 need not stay.
            del self._listing[number], self._asked[number]
        return next((row for row in rows if row.story_id == story_id), None)


async def update_story(job: ImportJob, rows: CurrentRows, update: Update) -> None:
    """Write a story as it is wanted, but for what somebody else made of it.

    Whatever goes wrong with it is in the ledger; raises only what ends a run.
    """
    key, home = update.needed.key, update.needed.home
    try:
        await _write(job, await rows.row(home.story_id), update)
    except NotFoundError:
        fail_update(
            job,
            key,
            GONE,
            f"The story `{home.full_slug}` is gone: it was deleted at the "
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
    home = update.needed.home
    last = job.ledger.items.last_written(home.story_id)
    seen: Story | None = None
    if (
        row is None
        or not (is_as_written(row, home) and is_unmoved(row, last))
        or _unknown_tags(update, last)
    ):
        seen = await _read(job, update.needed, row)
    for attempt in range(1, ATTEMPTS + 1):
        merge = _merge(job, update, last, row, seen)
        if not merge.written:
            if seen is not None and merge.agreed:
                _save_written(job, update, merge, last, seen)
            else:
                _save_compared(job, update, merge, last, seen)
            return
        try:
            body = _body(job, update, merge, row, seen)
            stood = around_content(seen) if seen else (last.stood if last else {})
            if sent := translations_to_send(merge.values, merge.written, stood):
                body["translated_slugs_attributes"] = sent
            if START in merge.written:
                body["is_startpage"] = bool(merge.values.get(START))
            if TAGS in merge.written:
                body["tag_list"] = merge.values[TAGS]
            written = await job.client.update_story(home.story_id, body)
        except (OutcomeUnknownError, MalformedAnswerError):
            # It may have been applied: then nothing of ours is left to write.
            seen = await job.client.story(home.story_id)
            if attempt == ATTEMPTS:
                raise
        else:
            _save_written(job, update, merge, last, written)
            return


def _unknown_tags(update: Update, last: WrittenStory | None) -> bool:
    """Return whether tags are sent to a story of which nobody kept those it has."""
    return TAGS in update.fields and last is not None and TAGS not in last.stood


async def _read(job: ImportJob, needed: Needed, row: StoryRow | None) -> Story:
    """Return a story as it stands; as the plan read it, if nothing moved since."""
    seen = job.edits.seen.get(needed.key)
    if seen is not None and row is not None and seen.row.updated_at == row.updated_at:
        return seen
    return await job.client.story(needed.home.story_id)


def _merge(
    job: ImportJob,
    update: Update,
    last: WrittenStory | None,
    row: StoryRow | None,
    seen: Story | None,
) -> StoryMerge:
    home = update.needed.home
    decided = job.migration.decisions.conflicts
    if seen is not None:
        return merge_story(home, last, update.fields, seen, decided)
    slug = row.slug if row else ""
    return merge_untouched(home, last, update.fields, slug, decided)


def _body(
    job: ImportJob,
    update: Update,
    merge: StoryMerge,
    row: StoryRow | None,
    seen: Story | None,
) -> JsonObject:
    """Return the record to send; what somebody changed stays as it is there."""
    there = seen.row if seen else row
    values = merge.values
    body: JsonObject = {"name": values["name"], "slug": values["slug"]}
    if "folder" in merge.kept or any(
        each.field == "folder" for each in merge.undecided
    ):
        body["parent_id"] = there.parent_id if there else 0
    elif parent := parent_id(job, str(values.get("folder", ""))):
        body["parent_id"] = parent
    elif there is not None and there.parent_id:
        body["parent_id"] = 0
    for name in ("position", "first_published_at", "sort_by_date"):
        if name in merge.written and name in values:
            body[name] = values[name]
    if group := _group(update, there, edited=seen is not None):
        body["group_id"] = group
    body["content"] = merge.content
    return body


def _group(update: Update, row: StoryRow | None, *, edited: bool) -> str:
    """Return the group to send; none for a story that is in it, or that somebody
    put into another one."""
    if row is None or row.group_id == update.group:
        return ""
    known = update.needed.home.group_id
    untouched = row.group_id == known if known else not edited
    return update.group if untouched else ""


def _save_written(
    job: ImportJob,
    update: Update,
    merge: StoryMerge,
    last: WrittenStory | None,
    story: Story,
) -> None:
    needed = update.needed
    group = story.row.group_id
    home = replace(
        _home_after(needed, merge),
        full_slug=story.row.full_slug.strip("/"),
        updated_at=story.row.updated_at,
        group_id=group if group == update.group else needed.home.group_id,
    )
    stood = _stood_after(merge, last, story)
    written = WrittenStory(merge.sent, stood)
    origin = job.migration.origin_hash(needed.key)
    job.ledger.items.written(
        needed.key,
        home,
        needed.links.state,
        origin,
        written,
        still_public=needed.is_shown_apart,
        left=_left_paths(job, needed, last, story),
    )
    _list_undecided(job, update, merge)


def _left_paths(
    job: ImportJob, needed: Needed, last: WrittenStory | None, story: Story
) -> dict[ItemKey, str]:
    """Return the paths that a story's pages in other languages have no longer."""
    before, after = last.stood if last else {}, around_content(story)
    left: dict[ItemKey, str] = {}
    for each in job.migration.items[needed.key].languages:
        name = f"slug in {each.code}"
        old, new = (str(side.get(name) or "") for side in (before, after))
        path = path_in_language(needed.home.full_slug, each.code, old)
        if old and path != path_in_language(story.row.full_slug, each.code, new):
            left[each.key] = path
    return left


def _save_compared(
    job: ImportJob,
    update: Update,
    merge: StoryMerge,
    last: WrittenStory | None,
    seen: Story | None,
) -> None:
    """Write that nothing is left to send: all of it is there, is kept, or waits."""
    needed = update.needed
    home = _home_after(needed, merge)
    stood: JsonObject = dict(last.stood) if last else {}
    if seen is not None:
        home = replace(home, updated_at=seen.row.updated_at)
        stood = _stood_after(merge, last, seen)
    written = WrittenStory(merge.sent, stood)
    origin = job.migration.origin_hash(needed.key)
    job.ledger.items.compared(needed.key, home, needed.links.state, origin, written)
    _list_undecided(job, update, merge)


def _home_after(needed: Needed, merge: StoryMerge) -> StoryRecord:
    waits = bool(merge.undecided)
    # Without such a field, what counts as sent is just what is wanted.
    sent = content_hash(content_of(merge.sent)) if waits else needed.links.linked_hash
    return replace(
        needed.home,
        content_hash=sent,
        record_hash=UNDECIDED if waits else needed.links.record_hash,
        kept_edits=waits or merge.keeps_edits,
    )


def _stood_after(
    merge: StoryMerge, last: WrittenStory | None, story: Story
) -> JsonObject:
    """Return the fields around the content as they stand for what we wrote: one that
    keeps somebody's value stays told from ours."""
    theirs = merge.kept | {each.field for each in merge.undecided}
    stood = around_content(story)
    before = last.stood if last else {}
    for name in theirs & stood.keys():
        stood[name] = before.get(name)
    return stood


def _list_undecided(job: ImportJob, update: Update, merge: StoryMerge) -> None:
    if merge.undecided:
        key = update.needed.key
        job.ledger.items.failed(key, "edited_since", undecided_sentence(merge))
