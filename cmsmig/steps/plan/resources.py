"""The objects that stories need: design, ledger and snapshot, joined by name; and what
others have where an import needs a place: the slugs in a folder are shared by its
stories, its start page and the folders in it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Asset, AssetFolder, Component, StoryRow
from cmsmig.ledger.rows import AssetRow, Intent, MadeRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.draft import Place
from cmsmig.mapping.propose.component_payloads import (
    ComponentBody,
    DatasourceBody,
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import (
    Comparison,
    Owner,
    Resource,
    Rules,
    compare,
)
from cmsmig.reconcile.rules.asset import asset_resource
from cmsmig.reconcile.rules.asset_folder import ASSET_FOLDERS
from cmsmig.reconcile.rules.component import ComponentRules
from cmsmig.reconcile.rules.datasource import DATASOURCES, StoredDatasource
from cmsmig.reconcile.rules.folder import FOLDERS
from cmsmig.steps.decide.migration import Migration
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


D = TypeVar("D")
A = TypeVar("A")

AnyComparison: TypeAlias = (
    Comparison[ComponentBody, Component]
    | Comparison[DatasourceBody, StoredDatasource]
    | Comparison[FolderPlan, StoryRow]
    | Comparison[str, AssetFolder]
)
_KINDS = (Kind.FOLDER, Kind.DATASOURCE, Kind.COMPONENT, Kind.ASSET_FOLDER)
SCHEMA = (Kind.DATASOURCE, Kind.COMPONENT)
"""Kinds that stories may not fit when someone else created the object."""


@dataclass(frozen=True, slots=True)
class ObjectProblem:
    """An object that stories need and that someone else's is in the way of, or that
    could not be made or brought up to date."""

    kind: str
    """`component`, `datasource`, `datasource entry`, `folder` or `asset folder`."""
    what: str
    text: str
    """Why, and what to do: a sentence for an editor."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` and `import --json` list it."""
        return {"kind": self.kind, "what": self.what, "text": self.text}


@dataclass(frozen=True)
class Resources:
    """What stories need, as the ledger and the space were when this was made.

    Reads nothing.
    """

    migration: Migration
    snapshot: Snapshot
    made: Mapping[Kind, Mapping[str, MadeRow]]
    files: Mapping[str, AssetRow]
    intents: Mapping[Kind, Mapping[str, Intent]]
    used: Mapping[str, Set[str]] = field(default_factory=dict)
    """Field keys that stories use, by component."""

    @classmethod
    def of(
        cls,
        migration: Migration,
        ledger: Ledger,
        snapshot: Snapshot,
        used: Mapping[str, Set[str]] | None = None,
    ) -> Resources:
        """Return them for the ledger as it is now."""
        opened = {kind: ledger.intents.open(kind) for kind in _KINDS}
        return cls(
            migration,
            snapshot,
            {kind: ledger.inventory.made(kind) for kind in _KINDS},
            ledger.inventory.assets(),
            {kind: {each.subject: each for each in opened[kind]} for kind in _KINDS},
            used or {},
        )

    def folders(self) -> Iterator[Resource[FolderPlan, StoryRow]]:
        """Yield the folders of the design that are there or can be made, parents
        first, wherever an editor moved them."""
        for plan in self.migration.places.folders:
            made = self.made[Kind.FOLDER].get(plan.path)
            if plan.path in self.taken_folders:
                continue
            there = self.snapshot.folder(plan.path, made)
            yield self._join(Ref(Kind.FOLDER, plan.path), plan, there, FOLDERS)

    @cached_property
    def taken_folders(self) -> Mapping[str, TakenFolder]:
        """Return the folders that a page keeps from being made, by path."""
        folders, made = self.migration.places.folders, self.made[Kind.FOLDER]
        return taken_folders(folders, made, self.snapshot)

    def datasources(self) -> Iterator[Resource[DatasourceBody, StoredDatasource]]:
        """Yield the datasources of the design."""
        for wanted in datasource_bodies(self.migration.design):
            there = self.snapshot.stored_datasource(wanted.slug)
            ref = Ref(Kind.DATASOURCE, wanted.slug)
            yield self._join(ref, wanted, there, DATASOURCES)

    def components(self) -> Iterator[Resource[ComponentBody, Component]]:
        """Yield the components of the design."""
        rules = ComponentRules(self.used)
        for wanted in component_bodies(self.migration.design):
            there = self.snapshot.component(wanted.name)
            ref = Ref(Kind.COMPONENT, wanted.name)
            yield self._join(ref, wanted, there, rules)

    def asset_folders(self) -> Iterator[Resource[str, AssetFolder]]:
        """Yield the asset folders that the design names for files."""
        listed = self.snapshot.asset_folders
        for name in self.migration.asset_folders:
            there = next((each for each in listed if each.name == name), None)
            ref = Ref(Kind.ASSET_FOLDER, name)
            yield self._join(ref, name, there, ASSET_FOLDERS)

    def to_upload(self) -> Iterator[UploadPlan]:
        """Yield the files that are not uploaded yet, in the order of the import."""
        for upload in self.migration.files.uploads:
            row = self.files.get(upload.sha256)
            if row is None or not row.is_uploaded:
                yield upload

    def files_there(self) -> Iterator[tuple[UploadPlan, AssetRow, Asset]]:
        """Yield the uploaded files whose records are in the space's list and ours."""
        for upload in self.migration.files.uploads:
            row = self.files.get(upload.sha256)
            there = self.snapshot.assets.get(row.asset_id or 0) if row else None
            if row and row.is_uploaded and there and there.ext_id == row.ext_id:
                yield upload, row, there

    def assets(self) -> Iterator[Comparison[UploadPlan, Asset]]:
        """Yield the comparison of the record of each file that is there."""
        decided = self.migration.decisions.conflicts
        for upload, row, there in self.files_there():
            yield compare(asset_resource(row, there, upload), decided)

    @cached_property
    def compared(self) -> tuple[AnyComparison, ...]:
        """Return the comparison of each: datasources, components, folders,
        asset folders."""
        decided = self.migration.decisions.conflicts
        return (
            *(compare(each, decided) for each in self.datasources()),
            *(compare(each, decided) for each in self.components()),
            *(compare(each, decided) for each in self.folders()),
            *(compare(each, decided) for each in self.asset_folders()),
        )

    def in_the_way(self) -> Iterator[ObjectProblem]:
        """Yield what must not be overwritten and was not decided to be reused."""
        for each in sorted(self.compared, key=lambda each: each.ref.kind):
            if each.in_the_way and each.ref.kind in SCHEMA:
                kind, what = ConflictKind(each.ref.kind), each.ref.key
                yield ObjectProblem(kind, what, _describe(kind, what, each.owner))

    def _join(
        self, ref: Ref, desired: D, actual: A | None, rules: Rules[D, A]
    ) -> Resource[D, A]:
        row = self.made[ref.kind].get(ref.key)
        intent = self.intents[ref.kind].get(ref.key)
        return Resource(ref, desired, row, actual, rules, intent)


def needed_keys(migration: Migration) -> Mapping[Kind, Container[object]]:
    """Return what the migration has a place for, by kind, as the ledger knows it."""
    design = migration.design
    return {
        Kind.STORY: migration.items,
        Kind.ASSET: {upload.sha256 for upload in migration.files.uploads},
        Kind.FOLDER: {plan.path for plan in migration.places.folders},
        Kind.COMPONENT: {each.name for each in component_bodies(design)},
        Kind.DATASOURCE: {each.slug for each in datasource_bodies(design)},
        Kind.ASSET_FOLDER: {*migration.asset_folders},
    }


def _describe(kind: ConflictKind, what: str, owner: Owner) -> str:
    if owner is Owner.LEFT:
        return (
            f"The {kind} `{what}` is ours, and this ledger does not hold what was last "
            "written of it, so it is not written over; make it as the design says "
            f"there, or decide `reuse` for this {kind} in decisions/conflicts.yaml, "
            "which leaves it as it is."
        )
    if kind is ConflictKind.DATASOURCE:
        return (
            f"The space already has a datasource `{what}` that lacks entries of the "
            "design, and it was not made by this import, so it is left alone; give the "
            "field another datasource in decisions/design.yaml."
        )
    return (
        f"The space already has a component `{what}` that differs from the "
        "design, and it was not made by this import, so it is left alone; give the "
        "content type another component name in decisions/design.yaml."
    )
