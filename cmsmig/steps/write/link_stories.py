"""Phase two: relations and internal links, now that every UUID is known.

Spec: import rules 3 and 4. A PUT replaces the whole content, so nothing that
changed since our own last write is written over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
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
from cmsmig.mapping.convert.linking import link_story
from cmsmig.mapping.convert.story import story_body
from cmsmig.mapping.draft import ExistingStory, StoryDraft
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


@dataclass(frozen=True, slots=True)
class Needed:
    """A story that holds something else than it should; its content stays on disk."""

    key: ItemKey
    home: StoryRecord
    content_hash: str
    link_state: str


async def link_stories(job: ImportJob) -> None:
    """Update every story that has a relation or an internal link to fill.

    A story that needs nothing is not written. A story that somebody changed
    since our own write becomes a conflict and is left alone.
    """
    homes = job.homes()
    async with Listing(job) as listing:
        needed = await _needed(job, homes, listing)
        _settle_open(job, needed)
        job.observer(StepStarted(STEP, len(needed)))
        rows = await listing.rows()
    await work_through(
        _updates(job, needed, homes, job.groups(rows.values())),
        write_ahead(job.ledger.intents, _intent, partial(_update, job, rows)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(
        StepFinished(STEP, f"{counted(len(needed), 'story', 'stories')} handled")
    )


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


async def _needed(
    job: ImportJob, homes: Mapping[ItemKey, ExistingStory], listing: Listing
) -> tuple[Needed, ...]:
    """Return the updates still needed, and note the items that need none."""
    rows = job.ledger.items.all()
    needed: list[Needed] = []
    for key, links in job.links(homes):
        row = rows.get(key)
        if row is None or row.home is None or not row.home.made or row.is_gone:
            continue
        # One story at a time, so that the listing under way need not wait for all.
        await asyncio.sleep(0)
        if isinstance(links, str):
            job.ledger.items.failed(key, "not_drafted", links)
            continue
        if links.linked_hash != row.home.content_hash:
            needed.append(Needed(key, row.home, links.linked_hash, links.state))
            listing.begin()
            continue
        if row.link_state != links.state:
            job.ledger.items.set_link_state(key, links.state)
        if _is_over(job, row):
            job.ledger.items.recovered(key)
    return tuple(needed)


def _updates(
    job: ImportJob,
    needed: Sequence[Needed],
    homes: Mapping[ItemKey, ExistingStory],
    groups: Mapping[ItemKey, str],
) -> Iterator[Update]:
    """Yield the updates with their content, which is read when its turn comes."""
    for each in needed:
        draft = job.draft(job.migration.items[each.key])
        if not isinstance(draft, StoryDraft):
            job.ledger.items.failed(each.key, "not_drafted", draft or "", "update")
            job.observer(StepAdvanced(STEP, each.home.full_slug))
            continue
        content = link_story(draft, homes, job.migration.routes).content
        if wrong := wrong_document(content):
            _invalid(job, draft, wrong)
            job.observer(StepAdvanced(STEP, each.home.full_slug))
            continue
        yield Update(
            draft=draft,
            home=each.home,
            content=content,
            content_hash=each.content_hash,
            link_state=each.link_state,
            group=groups.get(each.key, ""),
        )


def _is_over(job: ImportJob, row: ItemRow) -> bool:
    """Return whether an item failed in this phase for what is no longer so."""
    if row.status != "failed":
        return False
    return row.reason in (
        "refused",
        "not_confirmed",
        "edited_since",
        "invalid_document",
        "not_drafted",
    )


def _settle_open(job: ImportJob, needed: Sequence[Needed]) -> None:
    """Close intents of updates that turned out to be written or not needed."""
    subjects = {str(each.key) for each in needed}
    for intent in job.ledger.intents.open("update"):
        if intent.subject not in subjects:
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
