"""What has to hold of the things that stories use: assets, and their component."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.proofs.machine import components
from tests.proofs.machine.book import Days
from tests.proofs.machine.broken import insist
from tests.proofs.machine.decided import DESTINATION, RECREATE
from tests.proofs.machine.seen import Seen, Space
from tests.proofs.world.world import World


def files_of(world: World) -> dict[int, str]:
    """Return the names of the assets that are there, by their numbers."""
    assets = world.space.assets.items()
    return {own: each.key.rpartition("/")[2] for own, each in assets}


def is_blocking(days: Days) -> bool:
    """Return whether nothing can be imported: a new ledger does not know a file that
    is there and wanted since."""
    unknown = days.book.unknown_files & {*files_of(days.world).values()}
    return bool(unknown & days.book.files(days.world.setup))


def brought(days: Days, before: Mapping[int, str]) -> None:
    """Insist that an import brings each file once, and only what items show."""
    book, after = days.book, files_of(days.world)
    wanted = book.files(days.world.setup)
    new = {name for own, name in after.items() if own not in before}
    insist("only wanted files are brought", new <= wanted, new - wanted)
    twice = [name for name, count in Counter(after.values()).items() if count > 1]
    insist("one asset for each file", not twice, twice)
    for name in new & book.deleted_files:
        again = book.decisions.action(DESTINATION, name) == RECREATE
        insist("a deleted file is not brought again", again, name)
    # What no item shows any more is forgotten.
    book.deleted_files &= wanted - new


def named(days: Days, differences: list[Mapping[str, Any]]) -> None:
    """Insist that a verification names each wanted file that an editor deleted."""
    wanted = days.book.deleted_files & days.book.files(days.world.setup)
    missing = wanted - {*files_of(days.world).values()}
    found = {each["subject"] for each in differences}
    insist("a deleted file is named", missing <= found, missing - found)


def are_there(days: Days, stories: Iterator[Seen]) -> None:
    """Insist that stories show assets that are there."""
    assets = files_of(days.world)
    for seen in stories:
        insist("a picture is there", seen.asset_ids <= assets.keys(), seen)


def rolled_back(
    days: Days,
    before: Mapping[int, str],
    parts: Mapping[str, Any] | None,
    left: Space,
) -> None:
    """Insist that a rollback leaves what stories use that stay, and nothing else."""
    book, after = days.book, files_of(days.world)
    stories = [each for each in left.values() if not each.trashed]
    used = {own for each in stories for own in each.asset_ids}
    kept = {own for own in before if own in used}
    insist("a file that is shown stays", kept <= after.keys(), kept)
    fine = after.keys() <= used or book.rebuilt
    insist("a rollback leaves no file", fine, after)
    if parts is not None and len(book.bases[0]) == len(parts):
        stays = bool(stories) or components.is_kept(book, parts)
        found = components.parts_of(days.world) is not None
        insist("a component stays while it is used or edited", found == stays, parts)
