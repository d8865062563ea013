"""The stories at the places of items, and a ledger that knows less than the space.

An import without the ledger, or with an old copy of it, would create things a second
time, so a few of the stories in the way are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import StoryRow
from cmsmig.errors import LedgerError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import LEFT_OUT, GoneState, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
    ConflictKind,
)
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.rules.story_fields import slugs_text
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.preflights.findings import Refusal
from cmsmig.steps.plan.recorded_stories import passing_slug, record_after_write
from cmsmig.steps.plan.resources import TakenFolder, place_holders, taken_folders
from cmsmig.steps.snapshot import Snapshot, story_kind
from cmsmig.steps.story_reader import StoryReader


@dataclass(frozen=True, slots=True)
class Conflict:
    """A story or folder at the place of an item that has no story yet, or a story that
    keeps its folder from being made."""

    key: ItemKey
    row: StoryRow
    action: ConflictAction | None
    """What was decided about it; None while nothing is."""
    holder: ItemRow | None = None
    """The other item whose story it is, if this ledger has it."""
    folder: TakenFolder | None = None
    """The folder of the item's place, where the story has its path."""

    what: str = ""
    """What is decided about: the path that is taken."""

    @property
    def who(self) -> str:
        """Return who has the place, with its number."""
        row = self.row
        called = "folder" if row.is_folder else "page"
        if row.is_startpage:
            called = "start page"
        return f"the {called} {row.name} ({row.story_id})"

    @property
    def can_be_used(self) -> bool:
        """Return whether it may be used as what is to be made: a page is no folder, and
        a folder is no page."""
        return not (self.folder or self.row.is_folder)

    @property
    def kind(self) -> ConflictKind:
        """Return the kind of what cannot be made there."""
        return ConflictKind.FOLDER if self.folder else ConflictKind.STORY

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it."""
        return {
            "item": str(self.key),
            "full_slug": self.row.full_slug,
            "story_id": self.row.story_id,
            "name": self.row.name,
            "is": str(story_kind(self.row)),
            "kind": str(self.kind),
            "what": self.what,
            "decided": str(self.action) if self.action else None,
        }


def find_conflicts(
    migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> dict[ItemKey, Conflict]:
    """Return the items whose place, or whose folder's, is taken. Reads only.

    A place with an open intent may hold our own story, so it is no conflict.
    """
    holder_of, made = place_holders(snapshot), ledger.inventory.made("folder")
    folders = taken_folders(migration.places.folders, made, snapshot)
    rows = ledger.items.all()
    intended = ledger.intents.subjects("create")
    holders = {
        each.story_record.story_id: each
        for each in rows.values()
        if each.story_record is not None
    }
    # The place of an item that has a story is not decided again.
    placed = {key for key, each in rows.items() if each.story_record is not None}
    conflicts: dict[ItemKey, Conflict] = {}
    for key in migration.items:
        place = migration.places.places[key]
        folder = folders.get(place.folder)
        row = folder.page if folder else holder_of(place)
        if row is None or key in placed:
            continue
        may_be_ours = folder is None and row.full_slug.strip("/") == place.full_slug
        if may_be_ours and not row.is_folder and str(key) in intended:
            continue
        holder = holders.get(row.story_id)
        gone = holder.gone if holder else None
        if gone and gone.state is GoneState.TO_DELETE and migration.pilot.is_whole:
            # It makes room before anything is put there.
            continue
        found = Conflict(
            key, row, None, holder, folder, folder.path if folder else place.full_slug
        )
        choice = migration.decisions.conflicts.choice(found.kind, found.what)
        action = choice.action if choice else None
        if action is ConflictAction.REUSE and not found.can_be_used:
            action = None
        conflicts[key] = replace(found, action=action)
    return conflicts


def taken_places(conflicts: Iterable[Conflict]) -> list[list[Conflict]]:
    """Return the conflicts by the place that one decision is about."""
    found: dict[tuple[ConflictKind, str], list[Conflict]] = {}
    for each in conflicts:
        found.setdefault((each.kind, each.what), []).append(each)
    return [*found.values()]


async def note_paths(
    reader: StoryReader, migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> None:
    """Write into the ledger the paths that stories have now, in each language.

    An editor moved them, or a folder above them. Lists do not have the slugs of other
    languages: stories that were saved since the last write are read for them, many in
    a call of the delivery side.
    """
    listed = snapshot.listed
    paths: dict[ItemKey, str] = {}
    unknown: dict[ItemKey, StoryRow] = {}
    for key, row in ledger.items.all().items():
        record = row.story_record
        there = listed.get(record.story_id) if record else None
        if record is None or there is None or there.uuid != record.uuid:
            continue
        path = there.full_slug.strip("/")
        # A run that was killed while it exchanged slugs is no editor.
        passing = passing_slug(migration.namespace, key, record.full_slug)
        if path != record.full_slug and there.slug != passing:
            paths[key] = path
        item = migration.items.get(key)
        is_known = record.slugs and there.updated_at == record.updated_at
        if item is not None and item.languages and not is_known:
            unknown[key] = there
    slugs = {
        key: slugs_text(story)
        async for key, story in reader.glance(unknown.items())
        if story is not None
    }
    ledger.items.moved(paths, slugs)


def item_rows(
    migration: Migration,
    conflicts: Mapping[ItemKey, Conflict],
    undrafted: Mapping[ItemKey, Refusal] | None = None,
) -> Iterator[ItemRow]:
    """Yield a ledger row for every item of the origin, selected or not."""
    for entry in migration.selected:
        key, name = entry.item.key, entry.item.name
        path = migration.places.places[key].full_slug
        outcome = _outcome(conflicts.get(key), (undrafted or {}).get(key))
        yield ItemRow(key, name, path, "", *outcome)
    for skip in migration.skipped:
        yield ItemRow(
            skip.key, skip.name, "", "", "skipped", skip.reason, skip.sentence
        )


_SELECTED = ("selected", "", "")


def adopt_reused(ledger: Ledger, conflicts: Mapping[ItemKey, Conflict]) -> None:
    """Write the story records of the items whose conflict was decided as reuse."""
    for conflict in conflicts.values():
        if conflict.action is ConflictAction.REUSE:
            story_record = replace(record_after_write(conflict.row), made=False)
            ledger.items.placed(conflict.key, story_record, "", "create")


def _outcome(
    conflict: Conflict | None, undrafted: Refusal | None
) -> tuple[str, str, str]:
    if conflict is None:
        if undrafted is None:
            return _SELECTED
        status = "skipped" if undrafted.reason == LEFT_OUT else "failed"
        return status, undrafted.reason, undrafted.text
    if conflict.action is ConflictAction.REUSE:
        return "reused", "", ""
    if conflict.action is ConflictAction.SKIP:
        return "skipped", "conflict_skipped", "Its place is taken, as was decided."
    return "failed", "conflict", _taken(conflict)


def _taken(conflict: Conflict) -> str:
    row, holder = conflict.row, conflict.holder
    path = row.full_slug
    if row.is_startpage and conflict.what != path:
        path = f"{path}/{row.slug}"
    if holder and holder.gone:
        return (
            f"`{path}` is the story of an item that is gone at the origin; choose in "
            "notebook 04, or under `gone` in decisions/conflicts.yaml, that it is "
            "deleted, or move or rename it there."
        )
    if holder and holder.own_story:
        return (
            f"`{path}` is still the story of another item, which moves first; once it "
            "has moved, import again."
        )
    if conflict.folder:
        return conflict.folder.sentence
    if row.is_folder:
        return (
            f"`{path}` is the folder {row.name} (id {row.story_id}); give it another "
            "slug there, or choose in notebook 04 that nothing is imported there, or "
            "under `conflicts` in decisions/conflicts.yaml another slug for the story "
            "(`action: rename`)."
        )
    what = "the start page of its folder" if row.is_startpage else "a story"
    return (
        f"`{path}` is taken by {row.name} (story {row.story_id}), {what} that this "
        "import did not make; choose in notebook 04 whether it is used or left alone, "
        "or give it another slug there."
    )


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
        and not conflict.folder
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
