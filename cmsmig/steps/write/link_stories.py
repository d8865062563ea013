"""Phase two: relations and internal links, now that every UUID is known, and what
changed at the origin or in the decisions since a story was written; and the stories of
one item that the service did not bring together when they were made.

Spec: import rules 3 and 4. A PUT replaces the whole content, so nothing that
changed since our own last write is written over: see `update_story`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.errors import CmsmigError
from cmsmig.events import Noticed, StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import (
    COMPONENT_MISSING,
    FOLDER_MISSING,
    OPTION_MISSING,
    Intent,
    ItemRow,
    StoryRecord,
)
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.rules.story import LastWrite, edited_fields
from cmsmig.reconcile.rules.story_fields import (
    GROUP,
    START,
)
from cmsmig.reconcile.rules.update_intents import update_intent
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories, WantedStory
from cmsmig.steps.plan.recorded_stories import (
    Move,
    existing_stories,
    in_the_way,
    last_write,
    passing_slug,
)
from cmsmig.steps.worker_pool import together, work_through, write_ahead
from cmsmig.steps.write.alternates import group_languages
from cmsmig.steps.write.execute import OF_ONE_OBJECT
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.story_needs import StoryNeeds
from cmsmig.steps.write.update_story import (
    CurrentRows,
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
    """Update every story that the plan wants differently from its last write.

    A story that needs nothing is not written. What an editor changed since our own
    write stays as it is; where both sides changed a field, it is listed.
    """
    # Links to a story that moves lead to its new path, whichever is written first.
    moves = job.wanted.moves
    existing = existing_stories(job.migration, job.ledger, moves)
    needed = [*_needed(job)]
    _settle_open(job, needed)
    job.observer(StepStarted(STEP, len(needed)))
    await free_new_paths(job, moves)
    rows = CurrentRows(job.client, [record.story_id for _, record in needed])
    await work_through(
        _updates(job, needed, existing),
        write_ahead(job.ledger.intents, _intent, partial(_update, job, rows)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    job.observer(
        StepFinished(STEP, f"{counted(len(needed), 'story', 'stories')} handled")
    )


def _needed(job: ImportJob) -> Iterator[tuple[ItemKey, StoryRecord]]:
    """Yield the stories to update, and note the items that need none."""
    rows, wanted = job.ledger.items.all(), job.wanted
    for key, why in wanted.offline.failed.items():
        if rows[key].own_story is not None:
            job.ledger.items.failed(key, "not_drafted", why)
    for key, planned in wanted.planned.items():
        row, record = rows[key], rows[key].own_story
        if record is None:
            continue
        if key in wanted.needed:
            yield key, record
            continue
        if row.link_state != planned.link_state:
            job.ledger.items.set_link_state(key, planned.link_state)
        if _is_over(row):
            job.ledger.items.recovered(key)


def _updates(
    job: ImportJob,
    needed: Iterable[tuple[ItemKey, StoryRecord]],
    existing: Mapping[ItemKey, ExistingStory],
) -> Iterator[Update]:
    """Yield the updates with their content, which is read when its turn comes."""
    needs, stories = StoryNeeds.of_updates(job), job.linked(existing)
    groups = job.groups()
    public = job.public_versions(existing).records
    for key, record in needed:
        wanted = _wanted(job, needs, key, record, stories)
        if wanted is None:
            job.observer(StepAdvanced(STEP, record.full_slug))
            continue
        last = LastWrite(record, job.ledger.items.last_written(record.story_id))
        is_shown_apart = record.public_record == public.get(key)
        yield Update(wanted, last, groups.get(key, ""), is_shown_apart)


def _wanted(
    job: ImportJob,
    needs: StoryNeeds,
    key: ItemKey,
    record: StoryRecord,
    stories: LinkedStories,
) -> WantedStory | None:
    """Return what is wanted of a story; None where it is so already, or where the space
    lacks what it needs."""
    wanted = stories.wanted(key)
    if wanted is None or isinstance(wanted, str):
        job.ledger.items.failed(key, "not_drafted", wanted or "", "update")
        return None
    why = needs.unmet(wanted.draft.shape.used, wanted.story.content)
    if why is not None:
        job.ledger.items.failed(key, why.reason, why.text, "update")
        return None
    if wanted.record_hash == record.record_hash and key not in job.wanted.asked:
        _note_unneeded(job, wanted)
        return None
    return wanted


def _note_unneeded(job: ImportJob, wanted: WantedStory) -> None:
    key = wanted.key
    job.ledger.items.set_link_state(key, wanted.links.state)
    if _is_over(job.ledger.items.all()[key]):
        job.ledger.items.recovered(key)
    job.ledger.intents.settle("update", str(key), "not_needed")


def _is_over(row: ItemRow) -> bool:
    """Return whether an item failed in this phase for what is no longer so."""
    return row.status == "failed" and row.reason in _FAILED_HERE


def _settle_open(job: ImportJob, needed: Iterable[tuple[ItemKey, StoryRecord]]) -> None:
    """Close intents of updates that turned out to be written or not needed."""
    opened = [*job.ledger.intents.open("update")]
    if not opened:
        return
    subjects = {str(key) for key, _ in needed}
    subjects |= {str(key) for key in job.migration.known.outside}
    for intent in opened:
        if intent.subject not in subjects:
            job.ledger.intents.settle("update", intent.subject, "not_needed")


def _intent(update: Update) -> Intent:
    subject, wanted = str(update.key), update.wanted
    return update_intent(
        subject, wanted.record_hash, update.last, update.fields, wanted.text
    )


async def _update(job: ImportJob, rows: CurrentRows, update: Update) -> None:
    await update_story(job, rows, update)
    job.observer(StepAdvanced(STEP, update.story_record.full_slug))


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


async def join_languages(job: ImportJob) -> None:
    """Send the group once more for stories that this run made and that neither their
    create nor an update brought together: two calls for each, which no plan foresees.
    """
    groups, answered = job.groups(), job.alternates
    rows = job.ledger.items.all()
    apart: list[ItemKey] = []
    for languages in group_languages(groups).values():
        ids = {
            key: row.story_record.story_id
            for key in languages
            if (row := rows.get(key)) is not None and row.story_record is not None
        }
        made = [key for key in languages if key in answered]
        # Of two stories, the one that was written later shows the earlier one.
        if len(ids) > 1 and not any(answered[key] & {*ids.values()} for key in made):
            # What failed since is sent its group with the update of the next run.
            apart += [key for key in made if rows[key].status == "created"]
    await together(map(partial(_join, job, groups), apart))


async def _join(job: ImportJob, groups: Mapping[ItemKey, str], key: ItemKey) -> None:
    row = job.ledger.items.all()[key]
    last = last_write(job.ledger, row)
    try:
        there = await job.client.story(last.record.story_id)
        body: JsonObject = {
            "name": there.row.name,
            "slug": there.row.slug,
            "content": there.content,
            GROUP: groups[key],
        }
        story = await job.client.update_story(last.record.story_id, body)
    except OF_ONE_OBJECT as error:
        job.observer(Noticed(row.full_slug, _said(error)))
        return
    # The next write reads a story first that an editor changed since it was made.
    is_edited = edited_fields(story, last)
    record = replace(
        last.record,
        updated_at="" if is_edited else story.row.updated_at,
        group_id=story.row.group_id,
    )
    job.ledger.items.placed(key, record, row.origin_hash, "create", last.written)


def _said(error: CmsmigError) -> str:
    return f"it is not among the languages of its item yet: {error}"
