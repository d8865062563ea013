"""Phase two: relations and internal links, now that every UUID is known.

Spec: import rules 3 and 4. A PUT replaces the whole content, so nothing that
changed since our own last write is written over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import GONE, Intent, ItemRow, StoryRecord
from cmsmig.mapping.convert.linking import Linked, link_story
from cmsmig.mapping.convert.story import story_body
from cmsmig.mapping.draft import StoryDraft
from cmsmig.richtext.schema.validate import wrong_document
from cmsmig.steps.plan.recreate import REMEDY
from cmsmig.steps.plan.written_stories import content_hash
from cmsmig.steps.worker_pool import work_through
from cmsmig.steps.write.folders import parent_id
from cmsmig.steps.write.idempotent_write import ATTEMPTS
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.write_ahead import write_ahead

STEP = "relations"


@dataclass(frozen=True, slots=True)
class Update:
    """One story's whole content for phase two."""

    draft: StoryDraft
    home: StoryRecord
    content: JsonObject
    content_hash: str
    link_state: str
    group: str = ""
    """Shared with the item's other languages; empty without any."""


async def link_stories(job: ImportJob) -> None:
    """Update every story that has a relation or an internal link to fill.

    A story that needs nothing is not written. A story that somebody changed
    since our own write becomes a conflict and is left alone.
    """
    async with Listing(job) as listing:
        updates = await _updates_to_send(job, listing)
        _settle_open(job, updates)
        job.observer(StepStarted(STEP, len(updates)))
        rows = await listing.rows()
    groups = job.groups(rows.values())
    updates = tuple(
        replace(each, group=groups.get(each.draft.key, "")) for each in updates
    )
    await work_through(
        updates,
        write_ahead(job.ledger.intents, _intent, partial(_update, job, rows)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(StepFinished(STEP, f"{len(updates)} stories handled"))


class Listing:
    """The rows of all stories; reading starts as soon as one of them is needed."""

    def __init__(self, job: ImportJob) -> None:
        self._job = job
        self._reading: asyncio.Task[list[StoryRow]] | None = None

    def begin(self) -> None:
        """Begin to read; the first call counts."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._job.client.stories())

    async def rows(self) -> dict[int, StoryRow]:
        """Return the rows by story id, none when they were not needed."""
        rows = await self._reading if self._reading else []
        return {row.story_id: row for row in rows}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])


async def _updates_to_send(job: ImportJob, listing: Listing) -> tuple[Update, ...]:
    """Return the updates still needed, and note the items that need none."""
    homes = job.homes()
    rows = job.ledger.items.all()
    updates: list[Update] = []
    for draft in job.drafts():
        row = rows.get(draft.key)
        if row is None or row.home is None or not row.home.made or row.is_gone:
            continue
        # One story at a time, so that the listing under way need not wait for all.
        await asyncio.sleep(0)
        linked = link_story(draft, homes, job.migration.routes)
        state = _link_state(linked)
        hashed = content_hash(linked.content)
        if hashed != row.home.content_hash:
            if wrong := wrong_document(linked.content):
                _invalid(job, draft, wrong)
                continue
            updates.append(Update(draft, row.home, linked.content, hashed, state))
            listing.begin()
            continue
        if row.link_state != state:
            job.ledger.items.set_link_state(draft.key, state)
        if _is_over(job, row):
            job.ledger.items.recovered(draft.key)
    return tuple(updates)


def _is_over(job: ImportJob, row: ItemRow) -> bool:
    """Return whether an item failed in this phase for what is no longer so."""
    if row.status != "failed":
        return False
    return row.reason in (
        "refused",
        "not_confirmed",
        "edited_since",
        "invalid_document",
    )


def _link_state(linked: Linked) -> str:
    if linked.pending:
        return "pending"
    return "linked" if linked.filled or linked.links else "nothing"


def _settle_open(job: ImportJob, updates: Sequence[Update]) -> None:
    """Close intents of updates that turned out to be written or not needed."""
    needed = {str(update.draft.key) for update in updates}
    for intent in job.ledger.intents.open("update"):
        if intent.subject not in needed:
            job.ledger.intents.settle("update", intent.subject, "not_needed")


def _intent(update: Update) -> Intent:
    return Intent("update", str(update.draft.key), update.content_hash)


async def _update(job: ImportJob, rows: Mapping[int, StoryRow], update: Update) -> None:
    try:
        await _write(job, rows.get(update.home.story_id), update)
    except NotFoundError:
        _fail(
            job,
            update.draft.key,
            GONE,
            f"The story `{update.home.full_slug}` is gone: it was deleted at the "
            f"destination meanwhile; {REMEDY}.",
        )
    except RejectedError as error:
        _fail(job, update.draft.key, "refused", str(error))
    except (OutcomeUnknownError, MalformedAnswerError) as error:
        # The intent stays open: the next run looks before it sends.
        job.ledger.items.failed(update.draft.key, "not_confirmed", str(error))
    job.observer(StepAdvanced(STEP, update.home.full_slug))


async def _write(job: ImportJob, row: StoryRow | None, update: Update) -> None:
    seen: Story | None = None
    if row is None or row.updated_at != update.home.updated_at:
        seen = await job.client.story(update.home.story_id)
        if _is_settled(job, update, seen):
            return
    for attempt in range(1, ATTEMPTS + 1):
        try:
            written = await job.client.update_story(
                update.home.story_id, _body(job, update, row, seen)
            )
        except (OutcomeUnknownError, MalformedAnswerError):
            seen = await job.client.story(update.home.story_id)
            if _is_settled(job, update, seen):
                return
            if attempt == ATTEMPTS:
                raise
        else:
            _record_update(job, update, written)
            return


def _is_settled(job: ImportJob, update: Update, seen: Story) -> bool:
    """Return whether the story, looked at, needs no write or must not get one."""
    there = content_hash(seen.content)
    if there == update.content_hash:
        _record_update(job, update, seen)
    elif there != update.home.content_hash:
        _conflict(job, update)
    else:
        return False
    return True


def _body(
    job: ImportJob, update: Update, row: StoryRow | None, seen: Story | None
) -> JsonObject:
    """Return the record to send; a name, place or group that somebody changed stays."""
    if seen is not None and seen.row.updated_at != update.home.updated_at:
        kept: JsonObject = {
            "name": seen.row.name,
            "slug": seen.row.slug,
            "parent_id": seen.row.parent_id,
        }
        if group := _group(update, seen.row, edited=True):
            kept["group_id"] = group
        return {**kept, "content": update.content}
    draft = replace(update.draft, content=update.content)
    return story_body(
        draft,
        parent_id=parent_id(job, draft.place.folder),
        group_id=_group(update, seen.row if seen else row, edited=False),
    )


def _group(update: Update, row: StoryRow | None, *, edited: bool) -> str:
    """Return the group to send; none for a story that is in it, or that somebody
    put into another one."""
    if row is None or row.group_id == update.group:
        return ""
    known = update.home.group_id
    untouched = row.group_id == known if known else not edited
    return update.group if untouched else ""


def _record_update(job: ImportJob, update: Update, story: Story) -> None:
    group = story.row.group_id
    home = replace(
        update.home,
        content_hash=update.content_hash,
        updated_at=story.row.updated_at,
        group_id=group if group == update.group else update.home.group_id,
    )
    job.ledger.items.recovered(update.draft.key)
    job.ledger.items.written(update.draft.key, home, update.link_state)


def _conflict(job: ImportJob, update: Update) -> None:
    _fail(
        job,
        update.draft.key,
        "edited_since",
        f"The story `{update.home.full_slug}` was edited at the destination after this "
        "import wrote it, so its relations and links were not filled; fill them there, "
        "or take that edit back and run this again.",
    )


def _invalid(job: ImportJob, draft: StoryDraft, wrong: str) -> None:
    _fail(
        job,
        draft.key,
        "invalid_document",
        f"The links of {draft.name} were not filled, since {wrong}; report this with "
        "the item's raw record.",
    )


def _fail(job: ImportJob, key: ItemKey, reason: str, explanation: str) -> None:
    job.ledger.items.failed(key, reason, explanation, "update")
