"""What visitors get, read through the delivery side and compared with what they are to
get. Reads only.

The delivery side may answer some seconds behind a write: what differs is read again,
later, before it counts. What is older than the last publication is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import TypeAlias

from cmsmig.counting import counted, first_of
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.reading import parse_time
from cmsmig.destination.typed_records import Story
from cmsmig.errors import ServiceError
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.decisions.conflicts import ConflictKind, Side
from cmsmig.mapping.draft import ExistingStory
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.labels import Labels
from cmsmig.reconcile.rules.publication import (
    DECIDE_PUBLISHED,
    WITHHELD,
    Due,
    decided_public,
)
from cmsmig.reconcile.rules.story import seen_in_story
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.reconcile.value_changes import change_lines
from cmsmig.steps.plan.publication.public_versions import VisitorPages
from cmsmig.steps.plan.publication.publications import public_states
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.steps.worker_pool import Work, work_through
from cmsmig.steps.write.import_job import ImportJob

STEP = "visitors' pages"
LATER = (1.0, 2.0, 4.0, 5.0)
"""Seconds before each time that what differs is read again; together longer than the
delivery side lags behind a write."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Page:
    """A story that visitors are to see."""

    key: ItemKey
    story_record: StoryRecord
    published_at: datetime | None
    """When it was published last, as the management side has it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A page that does not give visitors what they are to get."""

    page: Page
    wanted: VisitorPages
    story: Story | None
    """What they get; None where they get nothing."""
    is_behind: bool
    """Whether it came out of an older version of the space."""
    again: bool
    """Whether it was read again."""

    @property
    def is_current(self) -> bool:
        """Return whether what visitors get is of the last publication, as its date
        shows, so that it does not change by waiting."""
        seen = self._seen
        return seen is not None and seen == self.page.published_at

    @property
    def is_older(self) -> bool:
        """Return whether what visitors get is of an earlier publication.

        Source: delivery, caches: a minimum cache time holds an older version.
        """
        seen, last = self._seen, self.page.published_at
        if seen is None or last is None:
            return self.is_behind
        return seen < last

    @property
    def _seen(self) -> datetime | None:
        return parse_time(self.story.body.get("published_at")) if self.story else None


_Part: TypeAlias = tuple[VisitorPages, Sequence[Page]]


async def compare_public(
    job: ImportJob,
    existing: Mapping[ItemKey, ExistingStory],
    expected: Mapping[ItemKey, StoryRecord],
    found: Verification,
) -> None:
    """Compare what visitors get of each story that is published, as was decided.

    One that is not published was reported already. Where the delivery side cannot be
    read, that is said instead.
    """
    rows = job.ledger.items.all().values()
    migration, versions = job.migration, job.public_versions(existing)
    public = {row.story_id for row in job.snapshot.stories if row.published}
    states = public_states(migration, rows, job.snapshot, versions)
    withheld = {key for key, each in states.items() if each.is_withheld}
    for key in (each for each in states if each in withheld and each in expected):
        text = f"`{states[key].record.full_slug}` {WITHHELD}; {DECIDE_PUBLISHED}."
        found.add(DifferenceCode.NOT_PUBLISHED, key, text, PUBLISHED)
    pages = [
        Page(key, expected[key], found.published_at.get(key))
        for key in job.migration.items
        if key in job.migration.to_publish
        and key in expected
        and expected[key].story_id in public
        and key not in found.waiting
        and key not in withheld
        and not _stays(job, expected[key])
    ]
    if not pages:
        return
    try:
        wanted = VisitorPages(
            job.linked(existing), versions, found.unpublished, found.proven
        )
        due = {key for key, each in states.items() if each.due is Due.YES}
        await _compare(job, wanted, pages, due, found)
    except ServiceError as error:
        found.public_unread = f"What visitors get could not be read: {error}"


async def _compare(
    job: ImportJob,
    wanted: VisitorPages,
    pages: Sequence[Page],
    due: Set[ItemKey],
    found: Verification,
) -> None:
    """Compare pages in each language; what differs is read again until it counts.

    `due` are those that the next import publishes; what visitors get of others was
    published by an editor, or is of a language that is gone at the origin.
    """
    await job.delivery.renew()
    parts = [*_in_languages(job, wanted, pages)]
    read = sum(len(some) for _, some in parts)
    job.observer(StepStarted(STEP, read))
    doubtful = await _look(job, parts)
    job.observer(StepFinished(STEP, counted(read, "page")))
    for seconds in LATER:
        if all(each.again and each.is_current for each in doubtful):
            break
        await job.sleep(seconds)
        await job.delivery.renew()
        doubtful = await _look(job, _by_language(doubtful), again=True)
    older = {each.page for each in doubtful if each.is_older}
    found.public = len(pages) - len(older)
    if older:
        found.public_unread = _older_sentence(older)
    _list_differences([each for each in doubtful if not each.is_older], due, found)


def _in_languages(
    job: ImportJob, wanted: VisitorPages, pages: Sequence[Page]
) -> Iterator[_Part]:
    """Yield what is to be compared: each language with the pages that have it."""
    yield wanted, pages
    for locale in job.migration.decisions.collections.translations:
        there = replace(wanted, language=locale.code)
        yield there, [each for each in pages if there.has_language(each.key)]


def _by_language(
    doubtful: Iterable[Doubt],
) -> Iterator[_Part]:
    for _, found in groupby(doubtful, key=lambda each: each.wanted.language):
        same = [*found]
        yield same[0].wanted, [each.page for each in same]


async def _look(
    job: ImportJob,
    compared: Iterable[_Part],
    *,
    again: bool = False,
) -> list[Doubt]:
    """Return the pages that do not give visitors what they are to get."""
    doubtful: dict[tuple[str, Page], Doubt] = {}
    order: list[tuple[str, Page]] = []

    async def look(part: _Part) -> None:
        wanted, pages = part
        uuids = [each.story_record.uuid for each in pages]
        there = await job.delivery.published(uuids, wanted.language)
        for page in pages:
            story = there.stories.get(page.story_record.uuid)
            if (
                story is None
                or not wanted.is_met(page.key, story)
                or wanted.differs_from_draft(page.key, story)
            ):
                at = wanted.language, page
                behind = there.is_older
                doubtful[at] = Doubt(page, wanted, story, is_behind=behind, again=again)
            if not again:
                job.observer(StepAdvanced(STEP, ""))

    parts: list[_Part] = []
    for wanted, pages in compared:
        order += [(wanted.language, each) for each in pages]
        parts += [
            (wanted, pages[at : at + READ_TOGETHER])
            for at in range(0, len(pages), READ_TOGETHER)
        ]
    await work_through(
        parts,
        Work(look),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    return [doubtful[at] for at in order if at in doubtful]


def _older_sentence(older: Set[Page]) -> str:
    named = first_of(sorted(each.story_record.full_slug for each in older), _NAMED)
    return (
        "What visitors get could not be compared yet: it is older than the last "
        f"publication of {counted(len(older), 'story', 'stories')} ({named}); run "
        "`cmsmig verify` again in a minute."
    )


def _list_differences(
    doubtful: Iterable[Doubt], due: Set[ItemKey], found: Verification
) -> None:
    listed: set[tuple[str, str]] = {(each.subject, each.where) for each in found.found}
    edited = {subject for subject, _ in listed}
    for doubt in doubtful:
        key = doubt.page.key
        differences = [
            *_differences(
                doubt.wanted,
                doubt.page,
                doubt.story,
                found.labels,
                is_edited=str(key) in edited,
                is_due=key in due,
            )
        ]
        fresh = [
            each for each in differences if (each.subject, each.where) not in listed
        ]
        found.note(fresh)
        listed.update((each.subject, each.where) for each in fresh)


def _differences(
    wanted: VisitorPages,
    page: Page,
    story: Story | None,
    labels: Labels,
    *,
    is_edited: bool,
    is_due: bool,
) -> Iterator[Difference]:
    """Yield what visitors do not get as they are to, field by field. That they get
    something else than editors have is known where it `is_edited`."""
    what, key = page.story_record.full_slug, str(page.key)
    if story is None:
        text = f"Visitors get nothing at `{what}`, which was to be published."
        yield Difference(DifferenceCode.NOT_PUBLISHED, key, PUBLISHED, text)
        return
    then = "Run `cmsmig publish`" if is_due else "It was published so, and it stays"
    if wanted.differs_from_draft(page.key, story) and not is_edited:
        whose = then if is_due else "An editor saved it, and it stays"
        text = f"What is published of `{what}` is older than the draft. {whose}."
        yield Difference(DifferenceCode.NOT_PUBLISHED, key, PUBLISHED, text, not is_due)
    decided = wanted.stories.migration.decisions.conflicts
    decide = partial(decided.side, ConflictKind.STORY, what)
    for each in wanted.unmet(page.key, story):
        seen = seen_in_story(each.there)
        if decide(each.name, seen) is Side.THEIRS:
            continue
        where = f" in {wanted.language}" if wanted.language else ""
        ref = Ref(Kind.STORY, what)
        lines = change_lines(labels, ref, each.name, each.wanted, each.there)
        text = f"{'; '.join(lines)} (wanted -> what visitors get{where}). {then}."
        yield Difference(
            DifferenceCode.PUBLIC_VALUE, key, each.key, text, is_kept=not is_due
        )


def _stays(job: ImportJob, story_record: StoryRecord) -> bool:
    """Return whether a decision keeps a story as an editor published it."""
    decided = job.migration.decisions.conflicts
    return any(
        decided_public(story_record, decided, is_public=is_public) is Side.THEIRS
        for is_public in (True, False)
    )
