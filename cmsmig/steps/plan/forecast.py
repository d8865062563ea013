"""What an import will ask of the destination, to the call. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.foreseen_links import LISTED_TOGETHER, ForeseenLinks
from cmsmig.steps.plan.edits.story_edits import StoryEdits
from cmsmig.steps.plan.edits.written_stories import to_publish, to_unpublish
from cmsmig.steps.plan.gone.gone_at_origin import removal_calls
from cmsmig.steps.plan.moves import in_the_way
from cmsmig.steps.plan.publication.public_versions import PublicVersions
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.snapshot import Snapshot

_ALWAYS = ("sign_uploads", "create_stories", "update_stories")
"""Calls that a plan names although there are none."""
_OBJECT_CALLS = (
    "create_datasources",
    "compare_datasources",
    "compare_datasource_entries",
    "delete_datasource_entries",
    "update_datasources",
    "update_datasource_entries",
    "create_datasource_entries",
    "create_components",
    "compare_components",
    "update_components",
    "create_folders",
    "compare_folders",
    "rename_folders",
    "update_folders",
    "create_asset_folders",
)
"""Calls for the objects that stories need, in the order they are made."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What both phases will do with the stories."""

    creating: frozenset[ItemKey]
    needed: int
    """Stories that are there, or will be, and are wanted otherwise."""
    updates: int
    """Those of them that are written."""
    links: int
    links_left: Mapping[str, int]
    """Links into the old site that stay, by cause."""
    publishing: frozenset[ItemKey]
    """Items whose stories are published, in one version or in two."""
    versions: int
    """Those of them that get what visitors see, and above it what editors see."""
    unpublishes: int
    freed: int
    """Stories that get another slug before others move to their path."""


def foresee(
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
    foreseen: ForeseenLinks,
    edits: StoryEdits,
    versions: PublicVersions,
) -> Outlook:
    """Return what an import will do with the stories that are foreseen."""
    rows = ledger.items.all()
    left: Counter[str] = Counter()
    links = 0
    for link in foreseen.links.values():
        links += link.links
        left.update(link.left)
    # What was published before is published again, as it is then.
    written = {key for key in foreseen.needed if edits.writes(key)}
    listed = {each.story_id: each for each in snapshot.stories} if edits.merges else {}
    coming = foreseen.creating
    publishing = _publishes(
        migration,
        snapshot,
        (
            _after(_shown(row, snapshot), edits, listed, is_written=key in written)
            for key, row in rows.items()
        ),
        coming,
        versions,
    )
    return Outlook(
        creating=foreseen.creating,
        needed=len(foreseen.needed),
        updates=len(written),
        links=links,
        links_left=dict(sorted(left.items())),
        publishing=publishing,
        versions=len(publishing & versions.links.keys()),
        unpublishes=_unpublishes(migration, snapshot, rows),
        freed=len(in_the_way(foreseen.moves)),
    )


def _publishes(
    migration: Migration,
    snapshot: Snapshot,
    rows: Iterable[ItemRow],
    coming: Set[ItemKey],
    versions: PublicVersions,
) -> frozenset[ItemKey]:
    """Return what is published, `rows` being as they are after all updates."""
    decided, public = migration.decisions.conflicts, versions.records
    there = to_publish(migration.to_publish, rows, snapshot.stories, decided, public)
    due = {row.key for row in there} | (migration.to_publish & coming)
    return frozenset(due - versions.failed.keys())


def _unpublishes(
    migration: Migration, snapshot: Snapshot, rows: Mapping[ItemKey, ItemRow]
) -> int:
    decided = migration.decisions.conflicts
    unwanted = migration.items.keys() - migration.to_publish
    return len(to_unpublish(unwanted, rows.values(), snapshot.stories, decided))


def _shown(row: ItemRow, snapshot: Snapshot) -> ItemRow:
    """Return the row once it is noted what a killed run gave visitors."""
    home = row.home
    if home is not None and home.story_id in snapshot.hidden:
        return replace(row, home=replace(home, left_public=True))
    found = snapshot.interrupted.get(home.story_id) if home else None
    if home is None or found is None or not found.public_record:
        return row
    shown = replace(home, left_public=True, public_record=found.public_record)
    return replace(row, home=shown, published=row.published or home.updated_at)


def _after(
    row: ItemRow,
    edits: StoryEdits,
    listed: Mapping[int, StoryRow],
    *,
    is_written: bool,
) -> ItemRow:
    """Return the row after an update: what is published of it is older then."""
    home = row.home
    if not is_written and row.key not in edits.merges:
        # As it is, and as nearly all are when little changed.
        return row
    if home:
        there = None if is_written else listed.get(home.story_id)
        changed = there.updated_at if there else ""
        home = replace(home, kept_edits=edits.keeps(row.key), updated_at=changed)
    return replace(row, published="" if is_written else row.published, home=home)


def calls_of(
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
    settings: Settings,
    outlook: Outlook,
    resources: Resources,
) -> dict[str, int]:
    """Return the quota calls by name, in the order they are made."""
    objects = resources.calls()
    calls = {
        **snapshot.calls,
        "settle_versions": len(snapshot.interrupted),
        "put_back_versions": sum(e.put_back for e in snapshot.interrupted.values()),
        **{name: objects[name] for name in _OBJECT_CALLS},
        **_upload_calls(migration, ledger, snapshot, settings),
        "compare_assets": objects["compare_assets"],
        "update_assets": objects["update_assets"],
        "read_back_components": 1 if outlook.creating else 0,
        "create_stories": len(outlook.creating),
        "free_slugs": 2 * outlook.freed,
        "compare_stories": -(-outlook.needed // LISTED_TOGETHER),
        "update_stories": outlook.updates,
        "publish_stories": len(outlook.publishing) - outlook.versions,
        "read_versions": outlook.versions,
        "show_versions": 2 * outlook.versions,
        "unpublish_stories": outlook.unpublishes,
    }
    for name, count in removal_calls(migration, ledger).items():
        calls[name] = calls.get(name, 0) + count
    return {name: count for name, count in calls.items() if count or name in _ALWAYS}


def no_calls(snapshot: Snapshot) -> dict[str, int]:
    """Return the calls of an import that looks and is refused then."""
    return {**snapshot.calls, **dict.fromkeys(_ALWAYS, 0)}


def _upload_calls(
    migration: Migration, ledger: Ledger, snapshot: Snapshot, settings: Settings
) -> dict[str, int]:
    assets = ledger.inventory.assets()
    open_ones = {
        upload.sha256
        for upload in migration.files.uploads
        if (row := assets.get(upload.sha256)) is None or not row.is_brought
    }
    return {
        "settle_uploads": len(ledger.intents.open("sign")),
        "sign_uploads": len(open_ones - snapshot.arrived),
        "finish_uploads": len(open_ones) if settings.finish_uploads else 0,
    }
