"""Single deletions: sent, looked for when a reply is lost, never sent blindly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import NotFoundError
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.pieces import Piece
from cmsmig.steps.write.idempotent_write import remove_once


async def delete(client: DestinationClient, piece: Piece) -> None:
    """Delete something, until it is seen to be gone. Raises what the service says."""
    sending: dict[Kind, Callable[[int], Awaitable[object]]] = {
        Kind.STORY: client.delete_story,
        Kind.FOLDER: client.delete_story,
        # One that is in the trash already might be deleted for good.
        Kind.ASSET: partial(client.delete_asset, repeatable=False),
        Kind.ASSET_FOLDER: client.delete_asset_folder,
        Kind.DATASOURCE: client.delete_datasource,
        Kind.COMPONENT: client.delete_component,
    }
    await remove_once(
        partial(sending[piece.kind], piece.own), partial(is_there, client, piece)
    )


async def is_there(client: DestinationClient, piece: Piece) -> bool:
    """Return whether something is there, and not in the trash. Reads only."""
    try:
        match piece.kind:
            case Kind.STORY | Kind.FOLDER:
                await client.story(piece.own)
            case Kind.ASSET:
                await client.asset(piece.own)
            case Kind.COMPONENT:
                await client.component(piece.own)
            case Kind.ASSET_FOLDER:
                folders = await client.asset_folders()
                return any(each.folder_id == piece.own for each in folders)
            case Kind.DATASOURCE:
                sources = await client.datasources()
                return any(each.datasource_id == piece.own for each in sources)
    except NotFoundError:
        return False
    return True
