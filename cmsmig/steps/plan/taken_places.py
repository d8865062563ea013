"""What others have where an import needs a place: the slugs in a folder are shared by
its stories, its start page and the folders in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.destination.typed_records import StoryRow
from cmsmig.ledger.rows import MadeRow
from cmsmig.mapping.draft import Place
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.steps.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TakenFolder:
    """A folder of the design that cannot be made."""

    path: str
    """Its own, or that of the folder above it whose path is taken."""
    page: StoryRow
    """The story that has this path."""

    @property
    def sentence(self) -> str:
        """Return what is in the way, and what to do."""
        return (
            f"`{self.path}` is the page {self.page.name} (story {self.page.story_id}), "
            "so the folder of this path cannot be made; move or rename the page there, "
            "or choose under `conflicts` in decisions/conflicts.yaml another slug for "
            "the folder (`kind: folder`, `action: rename`), or in notebook 04 that "
            "nothing is imported into it."
        )


def taken_folders(
    folders: Sequence[FolderPlan],
    made: Mapping[str, MadeRow],
    snapshot: Snapshot,
) -> dict[str, TakenFolder]:
    """Return the folders that a page keeps from being made, by path. `folders` are in
    the order of the design, parents first; `made` are those that the ledger records."""
    pages = _by_path(snapshot, is_folder=False)
    found: dict[str, TakenFolder] = {}
    for plan in folders:
        if snapshot.folder(plan.path, made.get(plan.path)) is not None:
            continue
        if plan.parent in found:
            found[plan.path] = found[plan.parent]
        elif (page := pages.get(plan.path)) is not None:
            found[plan.path] = TakenFolder(plan.path, page)
    return found


def place_holders(snapshot: Snapshot) -> Callable[[Place], StoryRow | None]:
    """Return what tells who has a place at the destination, if anyone does."""
    pages = _by_path(snapshot, is_folder=False)
    folders = _by_path(snapshot, is_folder=True)
    starts = {
        row.full_slug.strip("/"): row for row in snapshot.stories if row.is_startpage
    }

    def holder(place: Place) -> StoryRow | None:
        path, start = place.full_slug, starts.get(place.folder)
        if place.start:
            # A folder and its start page share one path.
            return starts.get(path)
        is_taken = start is not None and start.slug == place.slug
        return pages.get(path) or folders.get(path) or (start if is_taken else None)

    return holder


def _by_path(snapshot: Snapshot, *, is_folder: bool) -> dict[str, StoryRow]:
    return {
        row.full_slug.strip("/"): row
        for row in snapshot.stories
        if row.is_folder is is_folder and not row.is_startpage
    }
