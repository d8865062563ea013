"""What visitors get, read through the delivery side and compared with what they are to
get. Reads only.

The delivery side may answer some seconds behind a write: what differs is read once
more, later, before it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cmsmig.destination.delivery import READ_TOGETHER, DeliveryClient
from cmsmig.destination.schema import Story
from cmsmig.errors import ServiceError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.decisions.conflicts import ConflictKind, Side
from cmsmig.mapping.draft import ExistingStory
from cmsmig.steps.connect import open_delivery
from cmsmig.steps.plan.edits.edit_conflicts import seen_of, shown_value, story_side
from cmsmig.steps.plan.edits.written_stories import PUBLISHED
from cmsmig.steps.plan.publication.visitor_pages import VisitorPages
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.steps.worker_pool import Work, work_through
from cmsmig.steps.write.import_job import ImportJob

DECIDE_PUBLISHED = (
    "; decide `ours` or `theirs` for its field `published` under `edits` in "
    "decisions/conflicts.yaml"
)
LATER = 3.0
"""Seconds before what differs is read once more."""


@dataclass(frozen=True, slots=True)
class Page:
    """A story that visitors are to see."""

    key: ItemKey
    home: StoryRecord


async def compare_public(
    job: ImportJob,
    existing: Mapping[ItemKey, ExistingStory],
    expected: Mapping[ItemKey, StoryRecord],
    found: Verification,
) -> None:
    """Compare what visitors get of each story that is published, as was decided.

    One that is not published was told already. Where the delivery side cannot be read,
    that is said instead.
    """
    public = {row.story_id for row in job.survey.stories if row.published}
    pages = [
        Page(key, expected[key])
        for key in job.migration.items
        if key in job.migration.to_publish
        and key in expected
        and expected[key].story_id in public
        and not _stays(job, expected[key])
    ]
    if not pages:
        return
    try:
        async with open_delivery(job.settings, job.client, job.observer) as delivery:
            wanted = VisitorPages(
                job.migration,
                job.context,
                existing,
                job.public_versions(existing),
                found.unpublished,
            )
            await _compare(job, delivery, wanted, pages, found)
    except ServiceError as error:
        found.public_unread = f"What visitors get could not be read: {error}"


async def _compare(
    job: ImportJob,
    delivery: DeliveryClient,
    wanted: VisitorPages,
    pages: Sequence[Page],
    found: Verification,
) -> None:
    await delivery.renew()
    found.public = len(pages)
    await _compare_in(job, delivery, wanted, pages, found)
    for locale in job.migration.decisions.collections.translations:
        there = replace(wanted, language=locale.code)
        translated = [each for each in pages if there.has_language(each.key)]
        await _compare_in(job, delivery, there, translated, found)


async def _compare_in(
    job: ImportJob,
    delivery: DeliveryClient,
    wanted: VisitorPages,
    pages: Sequence[Page],
    found: Verification,
) -> None:
    """Compare what visitors get in one language."""
    doubtful = await _look(job, delivery, wanted, pages)
    if doubtful:
        await job.sleep(LATER)
        await delivery.renew()
        again = await _look(job, delivery, wanted, [*doubtful])
        told = {(each.subject, each.where) for each in found.differences}
        for page, story in again.items():
            found.differences.extend(
                each
                for each in _differences(wanted, page, story)
                if (each.subject, each.where) not in told
            )


async def _look(
    job: ImportJob,
    delivery: DeliveryClient,
    wanted: VisitorPages,
    pages: Sequence[Page],
) -> dict[Page, Story | None]:
    """Return the stories of which visitors do not get what they are to get."""
    doubtful: dict[Page, Story | None] = {}

    async def look(part: Sequence[Page]) -> None:
        uuids = [each.home.uuid for each in part]
        there = await delivery.published(uuids, wanted.language)
        for page in part:
            story = there.get(page.home.uuid)
            if (
                story is None
                or not wanted.is_met(page.key, story)
                or wanted.is_older(page.key, story)
            ):
                doubtful[page] = story

    parts = (
        pages[at : at + READ_TOGETHER] for at in range(0, len(pages), READ_TOGETHER)
    )
    await work_through(
        parts,
        Work(lambda batch: None, look, lambda part: None),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    return {page: doubtful[page] for page in pages if page in doubtful}


def _differences(
    wanted: VisitorPages, page: Page, story: Story | None
) -> Iterator[Difference]:
    """Yield what visitors do not get as they are to, field by field."""
    what, key = page.home.full_slug, str(page.key)
    if story is None:
        text = f"Visitors get nothing at `{what}`, which was to be published."
        yield Difference(DifferenceCode.NOT_PUBLISHED, key, PUBLISHED, text)
        return
    if wanted.is_older(page.key, story):
        text = (
            f"What is published of `{what}` is older than what stands "
            f"there{DECIDE_PUBLISHED}."
        )
        yield Difference(DifferenceCode.NOT_PUBLISHED, key, PUBLISHED, text)
    decided = wanted.migration.decisions.conflicts
    for each in wanted.unmet(page.key, story):
        if story_side(decided, what, each.name, each.there) is Side.THEIRS:
            continue
        where = f" in `{wanted.language}`" if wanted.language else ""
        text = (
            f"Visitors{where} get {shown_value(each.there)} in the field `{each.key}` "
            f"of `{what}`; wanted is {shown_value(each.wanted)}. Run `cmsmig publish`."
        )
        yield Difference(DifferenceCode.PUBLIC_VALUE, key, each.key, text)


def _stays(job: ImportJob, home: StoryRecord) -> bool:
    """Return whether it was decided that a story stays as somebody published it."""
    decided = job.migration.decisions.conflicts
    return any(
        decided.side(ConflictKind.STORY, home.full_slug, PUBLISHED, seen_of(is_public))
        is Side.THEIRS
        for is_public in (True, False)
    )
