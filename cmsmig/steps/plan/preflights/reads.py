"""What preflights ask of the destination, and no more than that. Reads only.

A folder is read where stories are to be created in it, the webhooks where something is
to be published, the releases always, since editors may add stories to one at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    folder_at,
)
from cmsmig.steps.worker_pool import together


def to_create(
    rows: Mapping[ItemKey, ItemRow],
    snapshot: Snapshot,
    offline: OfflineDrafts,
) -> Iterator[ItemKey]:
    """Yield the items whose stories are to be created."""
    taken = {row.full_slug for row in snapshot.stories if not row.is_folder}
    places = offline.context.places
    for key in offline.stories:
        row = rows.get(key)
        is_new = row is None or row.home is None
        if is_new and places[key].full_slug not in taken:
            yield key


async def read_for_preflights(
    client: DestinationClient,
    ledger: Ledger,
    snapshot: Snapshot,
    offline: OfflineDrafts,
) -> Snapshot:
    """Return the snapshot with the rules of folders, the webhooks and the releases."""
    calls = dict(snapshot.calls)
    rows = ledger.items.all()
    folders = list(_folders(rows, snapshot, offline))
    if folders:
        calls["read_folders"] = len(folders)
    rules = await together(_read_rule(client, each) for each in folders)
    webhooks: tuple[Webhook, ...] | None = ()
    if _publishes(rows, offline):
        calls["read_webhooks"] = 1
        webhooks = await _read_webhooks(client)
    releases, listed = await _read_releases(client, rows)
    calls["read_releases"] = 1
    if listed:
        calls["list_released_stories"] = listed
    return replace(
        snapshot,
        releases=releases,
        folder_rules={rule.path: rule for rule in rules if rule is not None},
        webhooks=webhooks,
        calls=calls,
    )


def _folders(
    rows: Mapping[ItemKey, ItemRow],
    snapshot: Snapshot,
    offline: OfflineDrafts,
) -> Iterator[StoryRow]:
    """Yield the folders that are there and that decide about stories to be created."""
    paths: set[str] = set()
    places = offline.context.places
    for key in to_create(rows, snapshot, offline):
        path = places[key].folder
        while path and path not in paths:
            paths.add(path)
            path = path.rpartition("/")[0]
    for path in sorted(paths):
        if (row := folder_at(snapshot.stories, path)) is not None:
            yield row


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
    own = {row.home.story_id: row.home.full_slug for row in rows.values() if row.home}
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


def _publishes(rows: Mapping[ItemKey, ItemRow], offline: OfflineDrafts) -> bool:
    """Return whether an import would publish anything."""
    for key in offline.migration.to_publish & offline.stories.keys():
        row = rows.get(key)
        if row is None or row.home is None or not row.published:
            return True
        if row.home.made and offline.stories[key].links.is_needed(row.home):
            return True
    return False
