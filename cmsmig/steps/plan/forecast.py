"""What an import will ask of the destination, to the call. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.settings import Settings
from cmsmig.steps.plan.edits.story_edits import StoryEdits
from cmsmig.steps.plan.edits.written_stories import to_publish, to_unpublish
from cmsmig.steps.plan.gone.gone_at_origin import removal_calls
from cmsmig.steps.plan.moves import in_the_way
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.snapshot import LISTED_TOGETHER, Snapshot

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


def find_publishing(wanted: WantedStories, edits: StoryEdits) -> frozenset[ItemKey]:
    """Return the items whose stories an import publishes, in one version or in two:
    what was published before is published again, as it is after all updates."""
    migration, snapshot = wanted.migration, wanted.snapshot
    listed = {each.story_id: each for each in snapshot.stories} if edits.found else {}
    rows = (
        _after(
            _shown(row, snapshot),
            edits,
            listed,
            is_written=key in wanted.needed and edits.writes(key),
        )
        for key, row in wanted.rows.items()
    )
    decided, public = migration.decisions.conflicts, wanted.versions.records
    there = to_publish(migration.to_publish, rows, snapshot.stories, decided, public)
    due = {row.key for row in there} | (migration.to_publish & wanted.creating)
    return frozenset(due - wanted.versions.failed.keys())


def _shown(row: ItemRow, snapshot: Snapshot) -> ItemRow:
    """Return the row once it is noted what a killed run gave visitors."""
    story_record = row.story_record
    if story_record is not None and story_record.story_id in snapshot.hidden:
        return replace(row, story_record=replace(story_record, left_public=True))
    found = snapshot.interrupted.get(story_record.story_id) if story_record else None
    if story_record is None or found is None or not found.public_record:
        return row
    shown = replace(story_record, left_public=True, public_record=found.public_record)
    return replace(
        row, story_record=shown, published=row.published or story_record.updated_at
    )


def _after(
    row: ItemRow,
    edits: StoryEdits,
    listed: Mapping[int, StoryRow],
    *,
    is_written: bool,
) -> ItemRow:
    """Return the row after an update: what is published of it is older then, and what
    failed before has not any more."""
    story_record, edit = row.story_record, edits.found.get(row.key)
    if not is_written and edit is None:
        # As it is, and as nearly all are when little changed.
        return row
    if edit is None or not edit.undecided:
        row = replace(row, status="created", reason="")
    if story_record:
        there = None if is_written else listed.get(story_record.story_id)
        changed = there.updated_at if there else ""
        story_record = replace(
            story_record, kept_edits=edits.keeps(row.key), updated_at=changed
        )
    is_older = is_written or (edit is not None and edit.is_agreed)
    return replace(
        row, published="" if is_older else row.published, story_record=story_record
    )


def calls_of(
    wanted: WantedStories,
    ledger: Ledger,
    settings: Settings,
    edits: StoryEdits,
    publishing: Set[ItemKey],
    resources: Resources,
) -> dict[str, int]:
    """Return the quota calls by name, in the order they are made."""
    migration, snapshot = wanted.migration, wanted.snapshot
    unwanted = migration.items.keys() - migration.to_publish
    hidden = to_unpublish(
        unwanted, wanted.rows.values(), snapshot.stories, migration.decisions.conflicts
    )
    versions = len(publishing & wanted.versions.links.keys())
    objects = resources.calls()
    calls = {
        **snapshot.calls,
        "settle_versions": len(snapshot.interrupted),
        "put_back_versions": sum(e.put_back for e in snapshot.interrupted.values()),
        **{name: objects[name] for name in _OBJECT_CALLS},
        **_upload_calls(wanted, ledger, settings),
        "compare_assets": objects["compare_assets"],
        "update_assets": objects["update_assets"],
        "read_back_components": 1 if wanted.creating else 0,
        "create_stories": len(wanted.creating),
        "free_slugs": 2 * len(in_the_way(wanted.moves)),
        "compare_stories": -(-len(wanted.needed) // LISTED_TOGETHER),
        "update_stories": sum(map(edits.writes, wanted.needed)),
        "publish_stories": len(publishing) - versions,
        "read_versions": versions,
        "show_versions": 2 * versions,
        "unpublish_stories": len(hidden),
    }
    for name, count in removal_calls(migration, ledger).items():
        calls[name] = calls.get(name, 0) + count
    return {name: count for name, count in calls.items() if count or name in _ALWAYS}


def no_calls(snapshot: Snapshot) -> dict[str, int]:
    """Return the calls of an import that looks and is refused then."""
    return {**snapshot.calls, **dict.fromkeys(_ALWAYS, 0)}


def _upload_calls(
    wanted: WantedStories, ledger: Ledger, settings: Settings
) -> dict[str, int]:
    assets = ledger.inventory.assets()
    open_ones = {
        upload.sha256
        for upload in wanted.migration.files.uploads
        if (row := assets.get(upload.sha256)) is None or not row.is_brought
    }
    return {
        "settle_uploads": len(ledger.intents.open("sign")),
        "sign_uploads": len(open_ones - wanted.snapshot.arrived),
        "finish_uploads": len(open_ones) if settings.finish_uploads else 0,
    }
