"""Stories of one item that the service did not bring together when they were made.

Sources disagree about the place of `group_id`, inside the story or next to it; a create
sends it inside, an update in both. Only alternates prove its effect. Source:
destination, update a story.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.errors import CmsmigError
from cmsmig.events import Noticed
from cmsmig.item_key import ItemKey
from cmsmig.reconcile.rules.story import edited_fields
from cmsmig.reconcile.rules.story_fields import GROUP
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.worker_pool import together
from cmsmig.steps.write.alternates import group_languages
from cmsmig.steps.write.execute import OF_ONE_OBJECT
from cmsmig.steps.write.import_job import ImportJob


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
