"""Stories that a killed run was creating or publishing, in one version or in two: what
editors see has to be put back where it wrote only what visitors see. Reads only."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.rules.story import edited_fields
from cmsmig.steps.plan.created_stories import find_created
from cmsmig.steps.plan.edits.written_stories import hidden_since, last_write
from cmsmig.steps.plan.publication.version_pair import SHOW, open_pairs
from cmsmig.steps.snapshot import Interrupted, Snapshot


async def read_interrupted(
    client: DestinationClient, namespace: str, ledger: Ledger, found: Snapshot
) -> Snapshot:
    """Return the snapshot with the stories that it created, those that an editor took
    from visitors since, and those of two versions as they will be once theirs is put
    back.

    Costs a call for each story that is read.
    """
    pairs = open_pairs(ledger)
    items = ledger.items.all().values()
    publishing = pairs.keys() | {e.subject for e in ledger.intents.open("publish")}
    hidden = hidden_since(items, found.stories, publishing)
    records = {each.subject: each.request_hash for each in ledger.intents.open(SHOW)}
    interrupted: dict[int, Interrupted] = {}
    rows: list[StoryRow] = []
    for row in items if pairs else ():
        pair, home = pairs.get(str(row.key)), row.standing_home
        if pair is None or home is None:
            continue
        with suppress(NotFoundError):
            story = await client.story(home.story_id)
            after = pair.after(story)
            record = records[str(row.key)] if pair.is_shown(story) else ""
            interrupted[home.story_id] = Interrupted(after is not story, record)
            rows.append(_row_after(ledger, row, after))
    found = found.with_rows(rows) if rows else found
    created, reads = await find_created(client, namespace, ledger, found.stories)
    found = found.with_calls({"settle_stories": reads})
    return replace(found, created=created, interrupted=interrupted, hidden=hidden)


def _row_after(ledger: Ledger, item: ItemRow, after: Story) -> StoryRow:
    """Return a story's row; with the date of our last write, if it holds just that."""
    last = last_write(ledger, item)
    if edited_fields(after, last):
        return after.row
    return replace(after.row, updated_at=last.record.updated_at)
