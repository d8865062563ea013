"""Objects that are taken away, the same for every kind: by a rollback, and the stories
of items that are gone.

Each is compared once more right before the request, after its intent was recorded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import CmsmigError, NotFoundError
from cmsmig.events import Observer, StepAdvanced
from cmsmig.ledger.intents import Intents
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Verb
from cmsmig.steps.plan.recorded import Recorded, Removal
from cmsmig.steps.worker_pool import Work
from cmsmig.steps.write.execute import attempting
from cmsmig.steps.write.idempotent_write import remove_once

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
    look = partial(is_there, client, gone)
    await remove_once(partial(sending[gone.kind], gone.number), look)


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
