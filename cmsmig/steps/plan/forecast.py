"""What an import will ask of the destination, call by call: the sum of its actions, and
the lists that are read meanwhile. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.resource import Action
from cmsmig.steps.plan.gone.gone_at_origin import blocking, to_remove
from cmsmig.steps.plan.moves import in_the_way
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.snapshot import LISTED_TOGETHER, Snapshot

_ALWAYS = ("sign_uploads", "create_stories", "update_stories")
"""Calls that a plan names although there are none."""
_ORDER = (
    "settle_versions",
    "put_back_versions",
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
    "settle_uploads",
    "sign_uploads",
    "finish_uploads",
    "compare_assets",
    "update_assets",
    "read_back_components",
    "create_stories",
    "free_slugs",
    "compare_stories",
    "update_stories",
    "publish_stories",
    "read_versions",
    "show_versions",
    "unpublish_stories",
    "compare_gone_stories",
    "delete_stories",
)
"""The calls after those of the snapshot, in the order in which they are made."""


def calls_of(
    wanted: WantedStories, ledger: Ledger, actions: Iterable[Action]
) -> dict[str, int]:
    """Return the quota calls by name, in the order in which they are made."""
    snapshot = wanted.snapshot
    removals = to_remove(wanted.migration, ledger)
    # Those whose places others take go before anything is put there.
    first = len(blocking(wanted.migration, removals))
    calls = Counter(
        settle_versions=len(snapshot.interrupted),
        put_back_versions=sum(e.put_back for e in snapshot.interrupted.values()),
        settle_uploads=len(ledger.intents.open("sign")),
        read_back_components=int(bool(wanted.creating)),
        free_slugs=2 * len(in_the_way(wanted.moves)),
        compare_stories=_lists(len(wanted.needed)),
        compare_gone_stories=_lists(first) + _lists(len(removals) - first),
    )
    for each in actions:
        calls.update(each.calls)
    made = {name: calls[name] for name in _ORDER if calls[name] or name in _ALWAYS}
    return {**snapshot.calls, **made}


def no_calls(snapshot: Snapshot) -> dict[str, int]:
    """Return the calls of an import that looks and is refused then."""
    return {**snapshot.calls, **dict.fromkeys(_ALWAYS, 0)}


def _lists(stories: int) -> int:
    return -(-stories // LISTED_TOGETHER)
