"""A ledger that knows less than the space holds: a new one, or an older copy.

Whoever loses the ledger, or puts an old copy back, and imports again would bring
things a second time, so a few of those that stand in the way are looked at. Reads
only.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import LedgerError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.uids import story_uid
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict, find_conflicts
from cmsmig.steps.snapshot import Snapshot

SAMPLES = 3
"""Stories in the way that are looked at."""


async def refuse_lost_ledger(
    client: DestinationClient,
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
) -> Mapping[str, int]:
    """Raise `LedgerError` when the space holds what an earlier import brought and
    this ledger knows nothing of; return the quota calls that looking took.

    A story is ours by the derived `_uid` of its root block, a file by its external
    id. Where no component of ours is there, nothing is looked at.
    """
    bodies = component_bodies(migration.design)
    if not any(snapshot.component(body.name) for body in bodies):
        return {}
    conflicts = find_conflicts(migration, ledger, snapshot)
    suspects = _suspects(migration, conflicts)[:SAMPLES]
    for conflict in suspects:
        story = await client.find_story(conflict.row.story_id)
        ours = story_uid(migration.namespace, conflict.key)
        if story is not None and story.content.get("_uid") == ours:
            raise _make_error(f"stories, such as `{story.row.full_slug}`", ledger)
    calls = {"look_for_earlier_stories": len(suspects)}
    if upload := _unknown_file(migration, ledger):
        calls["look_for_earlier_files"] = 1
        if await client.assets(ext_id=upload.ext_id):
            raise _make_error(f"files, such as `{upload.name}`", ledger)
    return {name: count for name, count in calls.items() if count}


def _suspects(
    migration: Migration, conflicts: Mapping[ItemKey, Conflict]
) -> list[Conflict]:
    """Return the stories in the way that are of the very type of their items."""
    return [
        conflict
        for key, conflict in sorted(conflicts.items())
        if conflict.action is None
        and (made := migration.design.content_type(key.collection_id)) is not None
        and made.component == conflict.row.content_type
    ]


def _unknown_file(migration: Migration, ledger: Ledger) -> UploadPlan | None:
    """Return the first file that this ledger never asked the destination for."""
    known = ledger.inventory.assets()
    intended = ledger.intents.subjects("sign")
    return next(
        (
            upload
            for upload in migration.files.uploads
            if upload.sha256 not in known and upload.sha256 not in intended
        ),
        None,
    )


def _make_error(what: str, ledger: Ledger) -> LedgerError:
    cure = (
        "bring the ledger of that import back, or run `cmsmig rebuild`"
        if ledger.is_unused()
        else "it is an older copy, so bring the newest one back, or move this one away "
        "and run `cmsmig rebuild`"
    )
    return LedgerError(
        f"The space holds {what}, of an earlier import of this site that this ledger "
        f"does not know; {cure}."
    )
