"""An empty ledger before a space that an earlier import has filled.

Whoever loses the ledger and imports again would bring everything a second time, so
a few of the things that stand in the way are looked at. Reads only.
"""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.destination.client import DestinationClient
from cmsmig.errors import LedgerError, NotFoundError
from cmsmig.itemkey import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.components import component_bodies
from cmsmig.mapping.uids import story_uid
from cmsmig.steps.conflicts import Conflict
from cmsmig.steps.migration import Migration
from cmsmig.steps.survey import Survey

SAMPLES = 3
"""Stories in the way that are looked at."""


async def refuse_lost_ledger(
    client: DestinationClient,
    migration: Migration,
    ledger: Ledger,
    survey: Survey,
    conflicts: Mapping[ItemKey, Conflict],
) -> Mapping[str, int]:
    """Raise `LedgerError` when the space holds what an earlier import brought and an
    empty ledger knows nothing of; return the quota calls that looking took.

    A story is ours by the derived `_uid` of its root block, a file by its external
    id. Where no component of ours is there, nothing is looked at.
    """
    if not ledger.is_unused():
        return {}
    bodies = component_bodies(migration.design)
    if not any(survey.component(body.name) for body in bodies):
        return {}
    for key in sorted(conflicts)[:SAMPLES]:
        try:
            story = await client.story(conflicts[key].row.story_id)
        except NotFoundError:
            continue
        if story.content.get("_uid") == story_uid(migration.namespace, key):
            raise _lost(f"stories, such as `{story.row.full_slug}`")
    calls = {"look_for_earlier_stories": min(len(conflicts), SAMPLES)}
    for upload in migration.uploads[:1]:
        calls["look_for_earlier_files"] = 1
        if await client.assets(ext_id=upload.ext_id):
            raise _lost(f"files, such as `{upload.name}`")
    return {name: count for name, count in calls.items() if count}


def _lost(what: str) -> LedgerError:
    return LedgerError(
        f"The space holds {what}, of an earlier import of this site that this ledger "
        "does not know; bring the ledger of that import back, or run `cmsmig rebuild`."
    )
