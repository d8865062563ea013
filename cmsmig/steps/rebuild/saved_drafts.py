"""Published stories whose unpublished changes change nothing. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cmsmig.destination.delivery import READ_TOGETHER, DeliveryClient
from cmsmig.destination.schema import Story
from cmsmig.errors import ServiceError
from cmsmig.item_key import ItemKey
from cmsmig.steps.connect import open_delivery
from cmsmig.steps.plan.publication.visitor_pages import delivered_print, visible_prints
from cmsmig.steps.write.import_job import ImportJob


async def without_saves(
    job: ImportJob, stories: Mapping[ItemKey, Story]
) -> dict[ItemKey, Story]:
    """Return the stories, without the mark of unpublished changes where an editor only
    saved since the publication.

    Costs a call of the delivery side for 25 published stories with unpublished
    changes. Where that side cannot be read, all of them count as changed.
    """
    changed = {
        key: story
        for key, story in stories.items()
        if story.row.published and story.row.unpublished_changes
    }
    if not changed:
        return {**stories}
    try:
        async with open_delivery(
            job.settings, job.survey.space, job.observer
        ) as delivery:
            await delivery.renew()
            saved = await _saved(job, delivery, changed)
    except ServiceError:
        saved = {}
    return {**stories, **saved}


async def _saved(
    job: ImportJob, delivery: DeliveryClient, stories: Mapping[ItemKey, Story]
) -> dict[ItemKey, Story]:
    """Return those whose draft visitors get, in every language."""
    languages = job.migration.decisions.collections.translations
    found = dict(stories)
    for code in ("", *(each.code for each in languages)):
        keys = [*found]
        for at in range(0, len(keys), READ_TOGETHER):
            part = keys[at : at + READ_TOGETHER]
            uuids = [found[key].row.uuid for key in part]
            there = (await delivery.published(uuids, code)).stories
            for key in part:
                shown = there.get(found[key].row.uuid)
                own = visible_prints(found[key], code)
                if not shown or delivered_print(shown, code) not in own:
                    del found[key]
    return {
        key: replace(story, row=replace(story.row, unpublished_changes=False))
        for key, story in found.items()
    }
