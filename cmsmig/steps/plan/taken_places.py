"""What others have where an import needs a place: the slugs in a folder are shared by
its stories, its start page and the folders in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class TakenPlaces:
    """Who has a place at the destination."""

    stories: Mapping[str, StoryRow]
    starts: Mapping[str, StoryRow]
    """By the path of their folder."""
    folders: Mapping[str, StoryRow]
    slugs_of_starts: Mapping[tuple[str, str], StoryRow]
    """By the path of their folder, and their own slug."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> TakenPlaces:
        """Return who has the places of a space."""
        starts = [row for row in snapshot.stories if row.is_startpage]
        return cls(
            _by_path(snapshot, is_folder=False),
            {row.full_slug.strip("/"): row for row in starts},
            _by_path(snapshot, is_folder=True),
            {(row.full_slug.strip("/"), row.slug): row for row in starts},
        )

    def holder(self, place: Place) -> StoryRow | None:
        """Return what is where a story is to be, if anything is."""
        path = place.full_slug
        if place.start:
            # A folder and its start page share one path.
            return self.starts.get(path)
        return (
            self.stories.get(path)
            or self.folders.get(path)
            or self.slugs_of_starts.get((place.folder, place.slug))
        )


def _by_path(snapshot: Snapshot, *, is_folder: bool) -> dict[str, StoryRow]:
    return {
        row.full_slug.strip("/"): row
        for row in snapshot.stories
        if row.is_folder is is_folder and not row.is_startpage
    }
