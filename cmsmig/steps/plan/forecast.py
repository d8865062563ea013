"""What an import will ask of the destination, to the call. Reads only."""

from __future__ import annotations

from collections.abc import Sequence

from cmsmig.ledger.store import Ledger
from cmsmig.settings import Settings
from cmsmig.steps.plan.edits.story_edits import StoryEdits
from cmsmig.steps.plan.gone.gone_at_origin import removal_calls
from cmsmig.steps.plan.moves import in_the_way
from cmsmig.steps.plan.publication.public_versions import Publication
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


def calls_of(
    wanted: WantedStories,
    ledger: Ledger,
    settings: Settings,
    edits: StoryEdits,
    publications: Sequence[Publication],
    resources: Resources,
    hidden: int,
) -> dict[str, int]:
    """Return the quota calls by name, in the order they are made; `hidden` stories are
    unpublished by decision."""
    migration, snapshot = wanted.migration, wanted.snapshot
    versions = sum(each.below_edits for each in publications)
    objects = resources.calls()
    calls = {
        **snapshot.calls,
        "settle_versions": len(snapshot.interrupted),
        "put_back_versions": sum(e.put_back for e in snapshot.interrupted.values()),
        **{name: objects[name] for name in _OBJECT_CALLS},
        **_upload_calls(resources, ledger, settings),
        "compare_assets": objects["compare_assets"],
        "update_assets": objects["update_assets"],
        "read_back_components": 1 if wanted.creating else 0,
        "create_stories": len(wanted.creating),
        "free_slugs": 2 * len(in_the_way(wanted.moves)),
        "compare_stories": -(-len(wanted.needed) // LISTED_TOGETHER),
        "update_stories": sum(map(edits.writes, wanted.needed)),
        "publish_stories": len(publications) - versions,
        "read_versions": versions,
        "show_versions": 2 * versions,
        "unpublish_stories": hidden,
    }
    for name, count in removal_calls(migration, ledger).items():
        calls[name] = calls.get(name, 0) + count
    return {name: count for name, count in calls.items() if count or name in _ALWAYS}


def no_calls(snapshot: Snapshot) -> dict[str, int]:
    """Return the calls of an import that looks and is refused then."""
    return {**snapshot.calls, **dict.fromkeys(_ALWAYS, 0)}


def _upload_calls(
    resources: Resources, ledger: Ledger, settings: Settings
) -> dict[str, int]:
    open_ones = {each.sha256 for each in resources.to_upload()}
    return {
        "settle_uploads": len(ledger.intents.open("sign")),
        "sign_uploads": len(open_ones - resources.snapshot.arrived),
        "finish_uploads": len(open_ones) if settings.finish_uploads else 0,
    }
