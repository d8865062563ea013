"""Objects that are taken away, the same for every kind: by a rollback, and the stories
of items that are gone.

Each is compared once more right before the request, after its intent was recorded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import CmsmigError, NotFoundError
from cmsmig.ledger.intents import Intents
from cmsmig.ledger.rows import Intent
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.worker_pool import Work
from cmsmig.steps.write.execute import attempting
from cmsmig.steps.write.idempotent_write import remove_once

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Removals(Protocol[T_contra]):
    """What is special about objects that are taken away."""

    def intent(self, each: T_contra) -> Intent:
        """Return the intent to record before the request."""

    async def stays(self, each: T_contra) -> bool:
        """Compare an object once more; return whether it stays after all, which is
        noted. Raises `NotFoundError` for one that is gone."""

    async def send(self, each: T_contra) -> str:
        """Ask for it; return the change date of what is left of it, if anything is."""

    def record(self, each: T_contra, updated_at: str) -> None:
        """Write into the ledger that it was taken away, or was gone already."""

    def refuse(self, each: T_contra, error: CmsmigError) -> None:
        """Note that an object stays, or may stay, for an error of its own."""

    def advance(self, each: T_contra) -> None:
        """Report the progress of the step."""


def removing(intents: Intents, removals: Removals[T]) -> Work[T]:
    """Return the work that takes objects away. What is refused is noted, and the rest
    continues; without an answer an intent stays open, so that the next run looks first.
    """

    async def perform(each: T) -> None:
        updated_at = ""
        with suppress(NotFoundError):
            if await removals.stays(each):
                intent = removals.intent(each)
                intents.settle(intent.kind, intent.subject, "not_sent")
                return
            updated_at = await removals.send(each)
        removals.record(each, updated_at)

    work = attempting(intents, removals.intent, perform, removals.refuse)

    async def follow(each: T) -> None:
        await work.perform(each)
        removals.advance(each)

    return replace(work, perform=follow)


async def delete(client: DestinationClient, kind: Kind, number: int) -> None:
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
    look = partial(is_there, client, kind, number)
    await remove_once(partial(sending[kind], number), look)


async def is_there(client: DestinationClient, kind: Kind, number: int) -> bool:
    """Return whether something exists, and is not in the trash. Reads only."""
    reading: dict[Kind, Callable[[int], Awaitable[object]]] = {
        Kind.STORY: client.story,
        Kind.FOLDER: client.story,
        Kind.ASSET: client.asset,
        Kind.DATASOURCE: client.datasource,
        Kind.COMPONENT: client.component,
    }
    if kind is Kind.ASSET_FOLDER:
        folders = await client.asset_folders()
        return any(each.folder_id == number for each in folders)
    with suppress(NotFoundError):
        await reading[kind](number)
        return True
    return False
