"""What preflights ask of the destination, and no more than that. Reads only.

A folder is read where stories are to be created in it, the webhooks where something is
to be published, the releases always, since editors may add stories to one at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import StoryRow, Webhook, pages
from cmsmig.errors import CredentialsError, NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.snapshot import (
    FolderRule,
    PendingRelease,
    Snapshot,
)
from cmsmig.steps.worker_pool import together


async def read_folder_rules(
    client: DestinationClient,
    snapshot: Snapshot,
    offline: OfflineDrafts,
    creating: Iterable[ItemKey],
) -> Snapshot:
    """Return the snapshot with the rules of the folders that decide about the stories
    to be created."""
    paths: set[str] = set()
    for key in creating:
        path = offline.context.places[key].folder
        while path and path not in paths:
            paths.add(path)
            path = path.rpartition("/")[0]
    folders = [snapshot.folder(path) for path in sorted(paths)]
    found = [row for row in folders if row is not None]
    rules = await together(_read_rule(client, each) for each in found)
    by_path = {rule.path: rule for rule in rules if rule is not None}
    snapshot = snapshot.with_calls({"read_folders": len(found)})
    return replace(snapshot, folder_rules=by_path)


async def read_hooks(
    client: DestinationClient, ledger: Ledger, snapshot: Snapshot, *, publishes: bool
) -> Snapshot:
    """Return the snapshot with the releases and, if the import `publishes` anything,
    the webhooks."""
    webhooks = await _read_webhooks(client) if publishes else ()
    releases, listed = await _read_releases(client, ledger.items.all())
    calls = {
        "read_webhooks": int(publishes),
        "read_releases": 1,
        "list_released_stories": listed,
    }
    return replace(snapshot.with_calls(calls), webhooks=webhooks, releases=releases)


async def _read_rule(client: DestinationClient, row: StoryRow) -> FolderRule | None:
    story = await client.find_story(row.story_id)
    content = story.content if story is not None else {}
    types = content.get("content_types")
    if not isinstance(types, list) or not types:
        return None
    return FolderRule(
        path=row.full_slug.strip("/"),
        content_types=frozenset(map(str, types)),
        locks_below=content.get("lock_subfolders_content_types") is True,
    )


async def _read_webhooks(client: DestinationClient) -> tuple[Webhook, ...] | None:
    """Return the webhooks; None where the token's role may not see them."""
    try:
        return tuple(await client.webhooks())
    except (CredentialsError, NotFoundError):
        return None


async def _read_releases(
    client: DestinationClient, rows: Mapping[ItemKey, ItemRow]
) -> tuple[tuple[PendingRelease, ...] | None, int]:
    """Return the pending releases, and how many calls listing their stories took; None
    where the token may not see them. A service without releases has none.

    Source: destination, releases: pending is what was not released, and `in_release`
    filters stories.
    """
    own = {
        row.story_record.story_id: row.story_record.full_slug
        for row in rows.values()
        if row.story_record
    }
    found: list[PendingRelease] = []
    calls = 0
    try:
        pending = [each for each in await client.releases() if not each.released]
        for each in pending:
            held: list[StoryRow] = []
            if own:
                held = await client.stories(in_release=each.release_id)
                calls += pages(len(held))
            paths = sorted(own[row.story_id] for row in held if row.story_id in own)
            found.append(PendingRelease(each.name, each.release_at, tuple(paths)))
    except CredentialsError:
        return None, calls
    except NotFoundError:
        return (), calls
    return tuple(found), calls
