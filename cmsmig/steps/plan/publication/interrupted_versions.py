"""Stories of which a killed run was writing two versions: what editors see has to be
put back where it wrote only what visitors see. Reads only."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.rows import StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.steps.plan.destination_survey import Interrupted, Survey
from cmsmig.steps.plan.edits.story_fields import holds_written
from cmsmig.steps.plan.publication.version_pair import SHOW, open_pairs


async def read_interrupted(
    client: DestinationClient, ledger: Ledger, found: Survey
) -> Survey:
    """Return the survey with these stories as they will be once that is put back.

    Costs a call for each of them.
    """
    pairs = open_pairs(ledger)
    if not pairs:
        return found
    records = {each.subject: each.request_hash for each in ledger.intents.open(SHOW)}
    interrupted: dict[int, Interrupted] = {}
    rows: list[StoryRow] = []
    for row in ledger.items.all().values():
        pair, home = pairs.get(str(row.key)), row.standing_home
        if pair is None or home is None:
            continue
        with suppress(NotFoundError):
            story = await client.story(home.story_id)
            after = pair.after(story)
            record = records[str(row.key)] if pair.is_shown(story) else ""
            interrupted[home.story_id] = Interrupted(after is not story, record)
            rows.append(_row_after(ledger, home, after))
    return replace(found.with_rows(rows), interrupted=interrupted)


def _row_after(ledger: Ledger, home: StoryRecord, after: Story) -> StoryRow:
    """Return a story's row; with the date of our last write, if it holds just that."""
    if holds_last_written(ledger, home, after):
        return replace(after.row, updated_at=home.updated_at)
    return after.row


def holds_last_written(ledger: Ledger, home: StoryRecord, story: Story) -> bool:
    """Return whether a story holds what we wrote last of it, and nothing else."""
    written = ledger.items.last_written(home.story_id)
    if written is None or home.kept_edits:
        return False
    is_named = story.row.name == written.sent.get("name")
    is_placed = story.row.full_slug.strip("/") == home.full_slug
    is_content = holds_written(home, written, story.content)
    return is_named and is_placed and is_content
