"""What visitors get of published stories, compared with what they hold: whether their
unpublished changes change anything, and which version is shown. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.typed_records import Story
from cmsmig.errors import ServiceError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.rules.visible_prints import delivered_print, visible_prints
from cmsmig.steps.plan.publication.public_versions import PublicVersions, VisitorPages
from cmsmig.steps.write.import_job import ImportJob


async def find_saved_only(
    job: ImportJob, changed: Mapping[ItemKey, Story]
) -> frozenset[ItemKey]:
    """Return those of the stories with unpublished changes that an editor only saved
    since the publication.

    Costs a call of the delivery side for 25 published stories with unpublished
    changes, in each language. Where that side cannot be read, all of them count as
    changed.
    """
    delivered = await _delivered(job, changed)
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
    stories: Mapping[ItemKey, Story],
    existing: Mapping[ItemKey, ExistingStory],
    versions: PublicVersions,
) -> frozenset[ItemKey]:
    """Return the items whose visitors get the version that they are to see, below what
    editors have.

    Costs a call of the delivery side for 25 of those, in each language. Where that side
    cannot be read, there are none.
    """
    apart = {key: stories[key] for key in versions.links if key in stories}
    delivered = await _delivered(job, apart)
    pages = VisitorPages(job.linked(existing), versions)
    return frozenset(
        key
        for key, story in apart.items()
        if delivered
        and all(
            (there := shown.get(story.row.uuid)) is not None
            and replace(pages, language=code).is_met(key, there)
            for code, shown in delivered.items()
        )
    )


async def _delivered(
    job: ImportJob, stories: Mapping[ItemKey, Story]
) -> Mapping[str, Mapping[str, Story]]:
    """Return what visitors get of those that are published, by language and UUID; empty
    where it cannot be read."""
    uuids = [each.row.uuid for each in stories.values() if each.row.published]
    if not uuids:
        return {}
    languages = job.migration.decisions.collections.translations
    found: dict[str, dict[str, Story]] = {}
    try:
        await job.delivery.renew()
        for code in ("", *(each.code for each in languages)):
            shown = found.setdefault(code, {})
            for at in range(0, len(uuids), READ_TOGETHER):
                part = await job.delivery.published(
                    uuids[at : at + READ_TOGETHER], code
                )
                shown.update(part.stories)
    except ServiceError:
        return {}
    return found
