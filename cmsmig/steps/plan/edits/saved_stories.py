"""Stories that an editor saved since a plan without an edit. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.rules.story import edited_fields
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.worker_pool import together


async def find_saved(
    client: DestinationClient,
    ledger: Ledger,
    listed: Iterable[StoryRow],
    paths: frozenset[str],
) -> frozenset[str]:
    """Return those paths whose stories hold just what we last wrote.

    Costs a call for each path.
    """
    if not paths:
        return frozenset()
    rows = {row.home.story_id: row for row in ledger.items.all().values() if row.home}

    async def saved(path: str, there: StoryRow, item: ItemRow) -> str:
        with suppress(NotFoundError):
            seen = await client.story(there.story_id)
            if not edited_fields(seen, last_write(ledger, item)):
                return path
        return ""

    looks = (
        saved(path, there, rows[there.story_id])
        for there in listed
        if (path := there.full_slug.strip("/")) in paths and there.story_id in rows
    )
    return frozenset(filter(None, await together(looks)))
