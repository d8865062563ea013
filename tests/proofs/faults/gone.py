"""A space that was emptied, or given anew, after an import: it is filled again.

Everything that an import brought is lost in one of two ways; then an import that may
make it again goes wrong, and its reruns have to leave what the first import left.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cmsmig.sandbox.destination.assets.asset_routes import remove
from cmsmig.sandbox.destination.space import Space
from tests.proofs.faults.site import Prepared
from tests.proofs.faults.world import Whole, World, world

RECREATE = "recreate"
_RECORDS = ("stories", "by_uuid", "places", "children", "alternates", "components",
            "assets", "by_key", "asset_folders", "datasources", "entries")  # fmt: skip


def emptied(space: Space) -> None:
    """Delete everything, as a person does: stories are in the trash then."""
    for story in list(space.stories.values()):
        space.displace(story)
        story.deleted_at = space.now()
    for asset in list(space.assets.values()):
        remove(space, asset)
    for name in ("components", "asset_folders", "datasources", "entries"):
        getattr(space, name).clear()


def restarted(space: Space) -> None:
    """Give the space anew: nothing is known, and old numbers are given again."""
    for name in _RECORDS:
        getattr(space, name).clear()
    space.last_id = 0


LOSSES = {"emptied": emptied, "restarted": restarted}


def lose(one: World, how: str) -> str:
    """Import, lose everything, and begin the history anew; return what went wrong."""
    told = [one.run()]
    LOSSES[how](one.space)
    # Nobody has said yet that it is to be made again: it is told, nothing is written.
    written = len(one.entries)
    told.append(one.run())
    if any(entry.method != "GET" for entry in one.entries[written:]):
        return f"nobody asked for it, and yet something was written: {told}"
    if [code for code, _ in told] != [0, 1] or "--recreate" not in told[1][1]:
        return f"what is gone was not told: {told}"
    one.entries.clear()
    one.codes.clear()
    one.hooks.seen = 0
    return ""


def whole_recreation(prepared: Prepared, work: Path, whole: Whole) -> Whole:
    """Return a recreation that nothing happens to; it leaves what an import left."""
    with world(prepared, work) as one:
        if problem := lose(one, "emptied"):
            sys.exit(problem)
        code, said = one.run(RECREATE)
        again = Whole(list(one.entries), one.comparable(), one.facts())
        if code != 0 or (again.space, again.ledger) != (whole.space, whole.ledger):
            sys.exit(f"The undisturbed recreation went wrong: {said}")
        return again
