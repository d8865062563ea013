"""What visitors get of published stories, compared with what they hold: whether their
unpublished changes change anything, and which version is shown. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.errors import ServiceError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.rules.visible_prints import delivered_print, visible_prints
from cmsmig.steps.plan.publication.public_versions import PublicVersions, VisitorPages
from cmsmig.steps.worker_pool import batches
from cmsmig.steps.write.import_job import ImportJob


async def find_saved_only(
    job: ImportJob, stories: Mapping[ItemKey, Story]
) -> frozenset[ItemKey]:
    """Return those of the stories with unpublished changes that an editor only saved
    since the publication.

    Costs a call of the delivery side for 25 published stories with unpublished
    changes, in each language. Where that side cannot be read, all of them count as
    changed.
    """
    changed = {
        key: each for key, each in stories.items() if each.row.unpublished_changes
    }
    delivered = await _delivered(job, [each.row for each in changed.values()])
    return frozenset(
        key
        for key, story in changed.items()
        if delivered
        and all(
            (there := shown.get(story.row.uuid)) is not None
            and delivered_print(there, code) in visible_prints(story, code)
            for code, shown in delivered.items()
        )
    )


async def find_shown(
    job: ImportJob,
    rows: Mapping[ItemKey, StoryRow],
    existing: Mapping[ItemKey, ExistingStory],
    versions: PublicVersions,
) -> frozenset[ItemKey]:
    """Return the items whose visitors get the version that they are to see, below what
    editors have.

    Costs a call of the delivery side for 25 of those, in each language. Where that side
    cannot be read, there are none.
    """
    apart = {key: rows[key] for key in versions.records if key in rows}
    delivered = await _delivered(job, apart.values())
    pages = VisitorPages(job.linked(existing), versions)
    return frozenset(
        key
        for key, row in apart.items()
        if delivered
        and all(
            (there := shown.get(row.uuid)) is not None
            and replace(pages, language=code).is_met(key, there)
            for code, shown in delivered.items()
        )
    )


async def _delivered(
    job: ImportJob, rows: Iterable[StoryRow]
) -> Mapping[str, Mapping[str, Story]]:
    """Return what visitors get of those that are published, by language and UUID; empty
    where it cannot be read."""
    uuids = [row.uuid for row in rows if row.published]
    if not uuids:
        return {}
    languages = job.migration.decisions.collections.translations
    found: dict[str, dict[str, Story]] = {}
    try:
        await job.delivery.renew()
        for code in ("", *(each.code for each in languages)):
            shown = found.setdefault(code, {})
            for part in batches(uuids, READ_TOGETHER):
                shown.update((await job.delivery.published(part, code)).stories)
    except ServiceError:
        return {}
    return found
