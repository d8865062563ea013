"""Frees the slugs of stories that move to where others move away: two that exchange
theirs could not be written one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.item_key import ItemKey
from cmsmig.reconcile.rules.story import edited_fields
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.moves import Move, in_the_way, passing_slug
from cmsmig.steps.worker_pool import together
from cmsmig.steps.write.import_job import ImportJob

_OF_ONE_STORY = (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)


async def free_slugs(job: ImportJob, moves: Mapping[ItemKey, Move]) -> None:
    """Give each story a slug of its own that is at the new path of another one.

    Costs two calls for each. What cannot be freed is refused when the other one moves.
    """
    await together(_free(job, move) for move in in_the_way(moves))


async def _free(job: ImportJob, move: Move) -> None:
    items = job.ledger.items
    row = items.all()[move.key]
    last = last_write(job.ledger, row)
    home, written = last.record, last.written
    if written is None:
        return
    slug = passing_slug(job.migration.namespace, move.key, home.full_slug)
    written = replace(written, stood={**written.stood, "slug": slug})
    try:
        there = await job.client.story(home.story_id)
        is_ours = not edited_fields(there, last)
        # Recorded first: a slug that was not written is still the one that was sent.
        state, origin = row.link_state, row.origin_hash
        items.compared(move.key, home, state, origin, written)
        body: JsonObject = {"name": there.row.name, "slug": slug}
        if there.row.parent_id:
            body["parent_id"] = there.row.parent_id
        body["content"] = there.content
        story = await job.client.update_story(home.story_id, body)
    except _OF_ONE_STORY:
        return
    # The update need not read it again.
    job.edits = replace(job.edits, seen={**job.edits.seen, move.key: story})
    if is_ours:
        home = replace(home, updated_at=story.row.updated_at)
        items.compared(move.key, home, state, origin, written)
