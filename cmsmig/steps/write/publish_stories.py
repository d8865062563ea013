"""Publishes the stories of collections that were decided to be published, and takes
back what was decided not to be public."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from cmsmig.counting import counted
from cmsmig.destination.typed_records import Story
from cmsmig.events import Noticed, StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.intents import Intents
from cmsmig.ledger.rows import Intent, ItemRow, StoryRecord
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.reconcile.rules.publication import DECIDE_PUBLISHED, Due, PublicState
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edited_fields,
    is_content,
    with_publication,
)
from cmsmig.steps.plan.publication.public_versions import PublicVersions
from cmsmig.steps.plan.publication.publications import public_states
from cmsmig.steps.plan.publication.version_pair import SHOW
from cmsmig.steps.plan.recorded_stories import last_write
from cmsmig.steps.plan.wanted_stories import NO_EDITS
from cmsmig.steps.worker_pool import Work, work_through, write_ahead
from cmsmig.steps.write.execute import OF_ONE_OBJECT
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.show_versions import show_versions

STEP = "publish"
_PUBLISH, _UNPUBLISH = "publish", "unpublish"
"""The kinds of its intents."""
_IN_DOUBT = (
    "was being published when a run was broken off, and is not public now: it was "
    "never published, or an editor unpublished it since; to publish it, "
)


async def publish_stories(job: ImportJob) -> None:
    """Publish the stories of items whose collection was decided to be published.

    What others refer to goes first, and never folders. Where editors are to see
    another version than visitors, both are written. What is public and not to be is
    taken from visitors where that was decided.
    """
    # No update is to come in this run: what stories hold counts.
    job.edits = NO_EDITS
    _forget_unwanted(job)
    versions, rows = job.public_versions(job.existing()), job.ledger.items.all()
    found = public_states(job.migration, rows.values(), job.snapshot, versions)
    states = found.values()
    await _unpublish_all(job, [each.row for each in states if each.is_hidden])
    _note_public(job, versions, states)
    due = [each.row for each in states if each.due is Due.YES]
    # What one of them holds is not known: the next run puts it back first.
    doubtful = job.ledger.intents.subjects(SHOW)
    todo = {row.key: row for row in due if str(row.key) not in doubtful}
    job.observer(StepStarted(STEP, len(todo)))
    for key in versions.failed.keys() & todo.keys():
        job.ledger.items.failed(key, "not_published", versions.failed[key])
        del todo[key]
    work = Work(partial(_publish, job, versions))
    for wave in publication_waves(todo, _targets(job, todo)):
        await work_through(
            [todo[key] for key in wave],
            work,
            workers=job.settings.in_flight,
            stop=job.stop,
        )
    job.observer(StepFinished(STEP, f"{counted(len(due), 'story', 'stories')} handled"))


def settle_publications(job: ImportJob) -> None:
    """Settle the publications that a killed run sent: a story that is not public stays
    so until it is decided, since an editor may have unpublished it."""
    for intent, row in job.ledger.intended(_PUBLISH):
        story_record = row.story_record if row is not None else None
        if (
            row is not None
            and story_record
            and story_record.story_id in job.snapshot.hidden
        ):
            public = replace(story_record, left_public=True)
            job.ledger.items.published(row.key, public, row.published)
            job.observer(Noticed(row.full_slug, f"{_IN_DOUBT}{DECIDE_PUBLISHED}"))
        else:
            job.ledger.intents.settle(_PUBLISH, intent.subject, "seen")


def _targets(
    job: ImportJob, todo: Mapping[ItemKey, ItemRow]
) -> dict[ItemKey, tuple[ItemKey, ...]]:
    """Return the items that each refers to, of those that are to be published."""
    found: dict[ItemKey, tuple[ItemKey, ...]] = {}
    for key in todo:
        item = job.migration.items.get(key)
        draft = job.migration.item_draft(item, job.context) if item else None
        if isinstance(draft, ItemDraft):
            found[key] = tuple(
                target
                for use in draft.relations
                for target in use.targets
                if target in todo
            )
    return found


async def _unpublish_all(job: ImportJob, rows: Sequence[ItemRow]) -> None:
    subjects = {str(row.key) for row in rows}
    for intent in job.ledger.intents.open(_UNPUBLISH):
        if intent.subject not in subjects:
            job.ledger.intents.settle(_UNPUBLISH, intent.subject, "not_needed")
    await work_through(
        rows,
        write_ahead(job.ledger.intents, _intent_to_hide, partial(_unpublish, job)),
        workers=job.settings.in_flight,
        stop=job.stop,
    )


def _intent_to_hide(row: ItemRow) -> Intent:
    return Intent(_UNPUBLISH, str(row.key), row.origin_hash)


async def _unpublish(job: ImportJob, row: ItemRow) -> None:
    assert row.story_record is not None
    try:
        # What is not public stays so: a lost reply is repeated.
        story = await job.client.unpublish_story(row.story_record.story_id)
    except OF_ONE_OBJECT as error:
        job.ledger.items.failed(row.key, "not_unpublished", str(error), _UNPUBLISH)
    else:
        if row.reason == "not_unpublished":
            job.ledger.items.recovered(row.key)
        job.ledger.items.unpublished(
            row.key, _hidden(last_write(job.ledger, row), story)
        )


def _forget_unwanted(job: ImportJob) -> None:
    """Give items their status back that failed at what is no longer asked for."""
    for key, row in job.ledger.items.all().items():
        if key in job.migration.known.outside:
            continue
        wanted = key in job.migration.to_publish
        if row.reason == ("not_unpublished" if wanted else "not_published"):
            job.ledger.items.recovered(key)


def _note_public(
    job: ImportJob, versions: PublicVersions, states: Iterable[PublicState]
) -> None:
    """Count as published what an editor published before us, as we wrote it."""
    for each in states:
        key, record = each.row.key, each.record
        if each.due is Due.SHOWN and each.there and key not in versions.failed:
            public = replace(record, left_public=True, public_record=record.record_hash)
            job.ledger.items.recovered(key)
            job.ledger.items.published(key, public, each.there.updated_at, None)


async def _publish(job: ImportJob, versions: PublicVersions, row: ItemRow) -> None:
    """Publish a story: what it holds, or what visitors are to see. What goes wrong
    with it is in the ledger."""
    if row.key in versions.records:
        await _publish_below(job, versions, row)
    else:
        await _publish_as_it_is(job, row)
    job.observer(StepAdvanced(STEP, row.full_slug))


async def _publish_below(
    job: ImportJob, versions: PublicVersions, row: ItemRow
) -> None:
    try:
        why = await show_versions(job, versions, row)
    except OF_ONE_OBJECT as error:
        why = f"{job.migration.called(row.key)}: {error}"
    if why:
        job.ledger.items.failed(row.key, "not_published", why)


def _record_after(last: LastWrite, story: Story) -> StoryRecord:
    """Return the story record after its publication.

    Where an editor changed it since our write, no change date is taken as ours, so that
    the next write looks at it first.
    """
    story_record, edited = last.record, edited_fields(story, last)
    is_known = not edited or story_record.kept_edits
    shows_ours = not any(map(is_content, edited))
    return replace(
        story_record,
        updated_at=story.row.updated_at if is_known else "",
        unpublished_edits=False,
        left_public=True,
        public_record=""
        if story_record.kept_edits or not shows_ours
        else story_record.record_hash,
    )


def _hidden(last: LastWrite, story: Story) -> StoryRecord:
    """Return the story record after it was taken from visitors."""
    story_record = last.record
    changed = (
        story_record.updated_at if edited_fields(story, last) else story.row.updated_at
    )
    return replace(
        story_record, updated_at=changed, left_public=False, public_record=""
    )


@dataclass(slots=True)
class _Sending:
    """Keeps the intent to publish a story open while one of its tries may have been
    taken. Only then a story that is not public may be one that an editor took back."""

    intents: Intents
    intent: Intent
    tries: int = 0

    def __call__(self, begins: bool) -> None:
        self.tries += 1 if begins else -1
        if begins:
            self.intents.write([self.intent])
        elif not self.tries:
            self.intents.settle(_PUBLISH, self.intent.subject, "not_taken")


async def _publish_as_it_is(job: ImportJob, row: ItemRow) -> None:
    assert row.story_record is not None
    intent = Intent(_PUBLISH, str(row.key), row.origin_hash)
    try:
        # Publishing what is published changes nothing, so a lost reply is repeated.
        story = await job.client.publish_story(
            row.story_record.story_id, _Sending(job.ledger.intents, intent)
        )
    except OF_ONE_OBJECT as error:
        job.ledger.items.failed(row.key, "not_published", str(error), _PUBLISH)
    else:
        last = last_write(job.ledger, row)
        last = replace(last, written=with_publication(last.written, story))
        job.ledger.items.recovered(row.key)
        job.ledger.items.published(
            row.key, _record_after(last, story), story.row.updated_at, last.written
        )


_Graph: TypeAlias = "dict[ItemKey, list[ItemKey]]"


def publication_waves(
    keys: Iterable[ItemKey], targets: Mapping[ItemKey, Sequence[ItemKey]]
) -> Iterator[tuple[ItemKey, ...]]:
    """Yield the stories in waves: each refers to stories of waves before it, as far as
    no circle of references keeps it from that.

    `targets` are the stories that each refers to. The order within a wave is that of
    `keys`. Keys in cycles, or between cycles, are one wave.
    """
    rank = {key: number for number, key in enumerate(keys)}
    graph = _among(rank, targets)
    while graph:
        for wave in _waves(graph):
            yield tuple(sorted(wave, key=rank.__getitem__))
            for key in wave:
                del graph[key]
        if circles := _circles(graph):
            yield tuple(circles)
            graph = _among([key for key in graph if key not in circles], graph)


def _among(
    keys: Iterable[ItemKey], targets: Mapping[ItemKey, Sequence[ItemKey]]
) -> _Graph:
    """Return what each of the keys refers to among the others."""
    known = dict.fromkeys(keys)
    return {
        key: [each for each in targets.get(key, ()) if each in known and each != key]
        for key in known
    }


def _waves(graph: _Graph) -> Iterator[tuple[ItemKey, ...]]:
    """Yield the waves up to the first circle."""
    sorter = TopologicalSorter(graph)
    with suppress(CycleError):
        sorter.prepare()
    while wave := sorter.get_ready():
        yield wave
        sorter.done(*wave)


def _circles(graph: _Graph) -> dict[ItemKey, None]:
    """Return what is left once all is gone that nothing else refers to."""
    referrers: _Graph = {key: [] for key in graph}
    for key, found in graph.items():
        for each in found:
            if each in referrers:
                referrers[each].append(key)
    left = dict.fromkeys(graph)
    for wave in _waves(referrers):
        for key in wave:
            del left[key]
    return left
