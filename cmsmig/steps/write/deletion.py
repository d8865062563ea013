"""Objects that are taken away, the same for every kind: by a rollback, and the stories
of items that are gone, which are unpublished or deleted, as was decided.

Each is compared once more right before the request, after its intent was recorded. Only
a story without edits since our last write is taken away: what remains is the time from
the list of a batch to its last request, as for updates.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TypeVar

from cmsmig.counting import counted
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import Story
from cmsmig.errors import CmsmigError, NotFoundError, RejectedError
from cmsmig.events import Noticed, Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.intents import Intents
from cmsmig.ledger.rows import GoneState, ItemRow
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Verb
from cmsmig.reconcile.rules.story import edits_without_reading
from cmsmig.steps.plan.gone.gone_at_origin import blocking, to_remove, why_kept
from cmsmig.steps.plan.recorded import Recorded, Removal
from cmsmig.steps.plan.recorded_stories import last_write
from cmsmig.steps.worker_pool import Work, work_through
from cmsmig.steps.write.execute import attempting
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.update_story import CurrentRows

R = TypeVar("R", bound=Removal)


def removing(
    client: DestinationClient,
    intents: Intents,
    observer: Observer,
    step: str,
    *,
    stays: Callable[[R], Awaitable[bool]],
    record: Callable[[R, str], None],
    refuse: Callable[[R, CmsmigError], None],
) -> Work[R]:
    """Return the work that takes objects away. What is refused is noted, and the rest
    continues; without an answer an intent stays open, so that the next run looks first.

    `stays` compares an object once more, and returns whether it stays after all, which
    it notes; it raises `NotFoundError` for one that is gone. `record` writes that it
    was taken away, or was gone already; it gets the change date of what is left of it,
    if anything is. `refuse` notes that it stays, or may stay, for an error of its own.
    """

    async def take_away(each: R) -> None:
        updated_at = ""
        with suppress(NotFoundError):
            if await stays(each):
                intents.settle(each.intent.kind, each.intent.subject, "not_sent")
                return
            if each.verb is Verb.DELETE:
                await delete(client, each)
            else:
                hidden = await client.unpublish_story(each.number)
                updated_at = hidden.row.updated_at
        record(each, updated_at)

    async def perform(each: R) -> None:
        try:
            await take_away(each)
        finally:
            observer(StepAdvanced(step, each.name))

    return attempting(intents, attrgetter("intent"), perform, refuse)


async def delete(client: DestinationClient, gone: Recorded) -> None:
    """Delete something. Raises what the client raises."""
    sending: dict[Kind, Callable[[int], Awaitable[object]]] = {
        Kind.STORY: client.delete_story,
        Kind.FOLDER: client.delete_story,
        # One that is in the trash already might be deleted for good.
        Kind.ASSET: partial(client.delete_asset, repeatable=False),
        Kind.ASSET_FOLDER: client.delete_asset_folder,
        Kind.DATASOURCE: client.delete_datasource,
        Kind.COMPONENT: client.delete_component,
    }

    async def is_gone() -> bool | None:
        return None if await is_there(client, gone) else True

    with suppress(NotFoundError):
        await apply_once(partial(sending[gone.kind], gone.number), is_gone)


async def is_there(client: DestinationClient, ours: Recorded) -> bool:
    """Return whether something exists, and is not in the trash. Reads only."""
    reading: dict[Kind, Callable[[int], Awaitable[object]]] = {
        Kind.STORY: client.story,
        Kind.FOLDER: client.story,
        Kind.ASSET: client.asset,
        Kind.DATASOURCE: client.datasource,
        Kind.COMPONENT: client.component,
    }
    if ours.kind is Kind.ASSET_FOLDER:
        folders = await client.asset_folders()
        return any(each.folder_id == ours.number for each in folders)
    with suppress(NotFoundError):
        await reading[ours.kind](ours.number)
        return True
    return False


STEP = "gone items"


async def delete_blocking_stories(job: ImportJob) -> None:
    """Delete the stories whose places other items take, as was decided."""
    removals = to_remove(job.migration, job.ledger)
    await _remove_all(job, blocking(job.migration, removals))


async def remove_gone(job: ImportJob) -> None:
    """Unpublish or delete the stories of items that are gone, as was decided.

    After phase two, so that no story leads to them any more.
    """
    await _remove_all(job, to_remove(job.migration, job.ledger))


async def _remove_all(job: ImportJob, removals: Sequence[Removal]) -> None:
    if not removals:
        return
    job.observer(StepStarted(STEP, len(removals)))
    current = CurrentRows(job.client, [each.number for each in removals])
    seen = job.planned.seen_gone if job.planned else {}
    gone = _GoneStories(job, current, seen)
    work = removing(
        *(job.client, job.ledger.intents, job.observer, STEP),
        stays=gone.stays,
        record=gone.record,
        refuse=gone.refuse,
    )
    await work_through(removals, work, workers=job.settings.in_flight, stop=job.stop)
    handled = f"{counted(len(removals), 'story', 'stories')} handled"
    job.observer(StepFinished(STEP, handled))


@dataclass(frozen=True, slots=True)
class _GoneStories:
    job: ImportJob
    current: CurrentRows
    seen: Mapping[int, Story]
    """As the plan read them, by id."""

    async def stays(self, each: Removal) -> bool:
        there = await self.current.row(each.number)
        if there is None:
            return False
        row = _row(each)
        last, seen = last_write(self.job.ledger, row), None
        if edits_without_reading(there, last) is None:
            seen = self.seen.get(there.story_id)
            if seen is None or seen.row.updated_at != there.updated_at:
                seen = await self.job.client.story(there.story_id)
        decided = self.job.migration.decisions.conflicts
        if note := why_kept(row, last, there, seen, decided):
            self._keep(each, note)
        return bool(note)

    def record(self, each: Removal, updated_at: str) -> None:
        is_deleted = each.verb is Verb.DELETE
        done = GoneState.DELETED if is_deleted else GoneState.UNPUBLISHED
        kind = each.intent.kind
        self.job.ledger.gone.settle(_row(each).key, done, kind, updated_at=updated_at)

    def refuse(self, each: Removal, error: CmsmigError) -> None:
        if isinstance(error, RejectedError):
            self._keep(each, str(error))
        else:
            self.job.ledger.gone.doubt(_row(each).key, str(error))

    def _keep(self, each: Removal, note: str) -> None:
        self.job.ledger.gone.keep(_row(each).key, note, each.intent.kind)
        self.job.observer(Noticed(each.name, note))


def _row(each: Removal) -> ItemRow:
    assert isinstance(each.row, ItemRow)
    return each.row
