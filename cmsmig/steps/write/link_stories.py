"""Phase two: relations and internal links, now that every UUID is known, and what
changed at the origin or in the decisions since a story was written.

Spec: import rules 3 and 4. A PUT replaces the whole content, so nothing that
changed since our own last write is written over: see `update_story`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    COMPONENT_MISSING,
    FOLDER_MISSING,
    OPTION_MISSING,
    Intent,
    ItemRow,
)
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.rules.story import LastWrite, edited_fields
from cmsmig.reconcile.rules.story_fields import GROUP, START, wanted_fields
from cmsmig.reconcile.rules.update_intents import update_intent
from cmsmig.steps.plan.drafts.linked_stories import DraftLinks, LinkedStories
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.moves import (
    Move,
    existing_stories,
    find_moves,
    in_the_way,
    passing_slug,
)
from cmsmig.steps.plan.wanted_stories import is_asked
from cmsmig.steps.worker_pool import together, work_through, write_ahead
from cmsmig.steps.write.execute import OF_ONE_OBJECT
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.story_needs import StoryNeeds
from cmsmig.steps.write.update_story import (
    CurrentRows,
    Needed,
    Update,
    update_story,
)

STEP = "relations"
_FAILED_HERE = frozenset(
    (
        *("refused", "not_confirmed", "edited_since", "not_drafted"),
        *(COMPONENT_MISSING, OPTION_MISSING, FOLDER_MISSING),
    )
)
"""Why an item failed in this phase."""


async def link_stories(job: ImportJob) -> None:
    """Update every story that is wanted differently from its last write.

    A story that needs nothing is not written. What an editor changed since our own
    write stays as it is; where both sides changed a field, it is listed.
    """
    # Links to a story that moves lead to its new path, whichever is written first.
    moves = find_moves(job.migration, job.ledger, job.snapshot)
    existing = existing_stories(job.migration, job.ledger, moves)
    needed = await _needed(job, existing)
    _settle_open(job, needed)
    job.observer(StepStarted(STEP, len(needed)))
    await free_new_paths(job, moves)
    rows = CurrentRows(job.client, [each.story_record.story_id for each in needed])
    await work_through(
        _updates(job, needed, job.linked(existing), job.groups(job.snapshot.stories)),
        write_ahead(job.ledger.intents, _intent, partial(_update, job, rows)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(
        StepFinished(STEP, f"{counted(len(needed), 'story', 'stories')} handled")
    )


async def _needed(
    job: ImportJob, existing: Mapping[ItemKey, ExistingStory]
) -> tuple[Needed, ...]:
    """Return the updates still needed, and note the items that need none."""
    rows = job.ledger.items.all()
    listed = {row.story_id: row for row in job.snapshot.stories}
    public = job.public_versions(existing).records
    needed: list[Needed] = []
    # What is not hashed says the same of many.
    same: dict[DraftLinks, DraftLinks] = {}
    for key, links in job.links(existing):
        if isinstance(links, DraftLinks) and not links.is_hashed:
            links = same.setdefault(links, links)
        row = rows.get(key)
        story_record = row.own_story if row is not None else None
        if row is None or story_record is None:
            continue
        # One story at a time, so that requests in flight need not wait for all.
        await asyncio.sleep(0)
        if isinstance(links, str):
            job.ledger.items.failed(key, "not_drafted", links)
            continue
        there = listed.get(story_record.story_id)
        asked = any(is_asked(job.migration, job.ledger, row, there))
        if asked or links.is_needed(story_record):
            shown_apart = story_record.public_record == public.get(key)
            needed.append(
                Needed(key, story_record, links, asked, _is_over(row), shown_apart)
            )
            continue
        if row.link_state != links.state:
            job.ledger.items.set_link_state(key, links.state)
        if _is_over(row):
            job.ledger.items.recovered(key)
    return tuple(needed)


def _updates(
    job: ImportJob,
    needed: Sequence[Needed],
    stories: LinkedStories,
    groups: Mapping[ItemKey, str],
) -> Iterator[Update]:
    """Yield the updates with their content, which is read when its turn comes."""
    needs = StoryNeeds.of_updates(job)
    for each in needed:
        update = _update_of(job, needs, each, stories, groups)
        if update is None:
            job.observer(StepAdvanced(STEP, each.story_record.full_slug))
        else:
            yield update


def _update_of(
    job: ImportJob,
    needs: StoryNeeds,
    needed: Needed,
    stories: LinkedStories,
    groups: Mapping[ItemKey, str],
) -> Update | None:
    """Return an update with its content; None where there is none after all, or where
    the space lacks what it needs."""
    key = needed.key
    story = job.migration.story(key, job.context)
    if story is None or isinstance(story, str):
        job.ledger.items.failed(key, "not_drafted", story or "", "update")
        return None
    if (why := needs.unmet(story.draft.shape.used, story.content)) is not None:
        job.ledger.items.failed(key, why.reason, why.text, "update")
        return None
    content = stories.content(story)
    if not needed.links.is_hashed:
        links = stories.hashed(story.draft, needed.links, content)
        needed = replace(needed, links=links)
        if not links.is_needed(needed.story_record) and not needed.is_asked:
            _note_unneeded(job, needed)
            return None
    fields = wanted_fields(story, content)
    group = {GROUP: groups[key]} if groups.get(key) else {}
    written = job.ledger.items.last_written(needed.story_record.story_id)
    last = LastWrite(needed.story_record, written)
    return Update(needed, {**fields, **group}, last)


def _note_unneeded(job: ImportJob, needed: Needed) -> None:
    key = needed.key
    job.ledger.items.set_link_state(key, needed.links.state)
    if needed.is_over:
        job.ledger.items.recovered(key)
    job.ledger.intents.settle("update", str(key), "not_needed")


def _is_over(row: ItemRow) -> bool:
    """Return whether an item failed in this phase for what is no longer so."""
    return row.status == "failed" and row.reason in _FAILED_HERE


def _settle_open(job: ImportJob, needed: Sequence[Needed]) -> None:
    """Close intents of updates that turned out to be written or not needed."""
    opened = [*job.ledger.intents.open("update")]
    if not opened:
        return
    subjects = {str(each.key) for each in needed}
    subjects |= {str(key) for key in job.migration.known.outside}
    for intent in opened:
        if intent.subject not in subjects:
            job.ledger.intents.settle("update", intent.subject, "not_needed")


def _intent(update: Update) -> Intent:
    needed = update.needed
    record = needed.links.record_hash
    return update_intent(str(needed.key), record, update.last, update.fields)


async def _update(job: ImportJob, rows: CurrentRows, update: Update) -> None:
    await update_story(job, rows, update)
    job.observer(StepAdvanced(STEP, update.needed.story_record.full_slug))


async def free_new_paths(job: ImportJob, moves: Mapping[ItemKey, Move]) -> None:
    """Give each story a slug of its own that is at the new path of another one; one
    that is the start page of its folder is an ordinary page then.

    Costs two calls for each. What cannot be freed is refused when the other one moves.
    """
    await together(_free(job, move) for move in in_the_way(moves))


async def _free(job: ImportJob, move: Move) -> None:
    items = job.ledger.items
    row = items.all()[move.key]
    last = last_write(job.ledger, row)
    story_record, written = last.record, last.written
    if written is None:
        return
    slug = passing_slug(job.migration.namespace, move.key, story_record.full_slug)
    passing: JsonObject = {**written.server_values, "slug": slug, START: None}
    written = replace(written, server_values=passing)
    try:
        there = await job.client.story(story_record.story_id)
        is_ours = not edited_fields(there, last)
        # Recorded first: a slug that was not written is still the one that was sent.
        state, origin = row.link_state, row.origin_hash
        items.compared(move.key, story_record, state, origin, written)
        body: JsonObject = {"name": there.row.name, "slug": slug}
        if there.row.parent_id:
            body["parent_id"] = there.row.parent_id
        if there.row.is_startpage:
            body["is_startpage"] = False
        body["content"] = there.content
        story = await job.client.update_story(story_record.story_id, body)
    except OF_ONE_OBJECT:
        return
    # The update need not read it again.
    job.edits = replace(job.edits, seen={**job.edits.seen, move.key: story})
    if is_ours:
        story_record = replace(story_record, updated_at=story.row.updated_at)
        items.compared(move.key, story_record, state, origin, written)
