"""Finds what an earlier import made in the space. Writes only the ledger.

Ours are the stories whose root block carries a `_uid` derived from site, space and
item, and the assets with an external id derived the same way. Components, folders
and datasources have no such mark: those that are as this import would make them,
and that hold what is ours, count as made by it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import (
    AsyncIterator,
    Callable,
    Container,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TypeVar

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.destination.typed_records import Asset, Story, StoryRow
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import AssetRow
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.draft import ExistingStory
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.resource import Resource, made_row
from cmsmig.reconcile.rules.asset import ALT, FOLDER
from cmsmig.reconcile.rules.story import LastWrite
from cmsmig.reconcile.rules.story_fields import wanted_fields
from cmsmig.reconcile.rules.story_hashes import content_hash, record_hash
from cmsmig.steps.plan.conflicts import item_rows
from cmsmig.steps.plan.recorded_stories import found_write, record_after_write
from cmsmig.steps.rebuild.saved_drafts import find_saved_only, find_shown
from cmsmig.steps.story_reader import Sought
from cmsmig.steps.worker_pool import batches, together
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.valid_text import valid_text

D = TypeVar("D")
A = TypeVar("A")

STEP = "rebuild"


@dataclass(slots=True)
class Rebuilt:
    """The counts of what a rebuild found in the space."""

    items: int = 0
    """Selected items and locales."""
    stories: int = 0
    edited: list[str] = field(default_factory=list)
    """Paths of stories that hold something else than this import would write."""
    assets: int = 0
    unproven: int = 0
    """Of these, files that are not at their address (yet)."""
    components: int = 0
    differing: list[str] = field(default_factory=list)
    """Components of our names that are not as designed."""
    folders: int = 0
    aside: str = ""
    """Where the old file was put; empty when there was none."""

    def as_json(self) -> JsonObject:
        """Return the document that `rebuild --json` prints."""
        return asdict(self)


async def find_again(job: ImportJob) -> Rebuilt:
    """Fill an empty ledger with everything of this import that the space holds."""
    found = Rebuilt(items=len(job.migration.selected))
    job.ledger.items.select(item_rows(job.migration, {}))
    _find_components(job, found)
    _find_datasources(job)
    await _find_assets(job, found)
    ours = await _our_rows(job)
    _find_folders(job, found, ours.values())
    await _save_stories(job, found, ours)
    job.observer(StepFinished(STEP, f"{found.stories} stories found again"))
    return found


def _find_components(job: ImportJob, found: Rebuilt) -> None:
    for each in job.resources().components():
        if each.desired is not None and each.actual is not None:
            ours = holds(each.actual.body, each.desired.body)
            if ours or each.rules.fits(each):
                found.components += 1
                _save(job, each, ours=ours)
            else:
                found.differing.append(each.ref.key)


def holds(there: Json, wanted: Json) -> bool:
    """Return whether a stored value is what was sent, other keys aside."""
    if isinstance(wanted, dict):
        body = there if isinstance(there, dict) else {}
        return all(holds(body.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list):
        if not isinstance(there, list) or len(there) != len(wanted):
            return False
        return all(map(holds, there, wanted))
    return there == wanted or (not there and not wanted)


def _find_datasources(job: ImportJob) -> None:
    for each in job.resources().datasources():
        wanted = each.desired.entries if each.desired else ()
        values = {entry.value for entry in each.actual.entries} if each.actual else None
        if values == {value for _, value in wanted}:
            _save(job, each, ours=True)


async def _find_assets(job: ImportJob, found: Rebuilt) -> None:
    by_external: defaultdict[str, list[Asset]] = defaultdict(list)
    for asset in sorted(await job.client.assets(), key=lambda each: each.asset_id):
        by_external[asset.ext_id].append(asset)
    ours = [
        (upload, by_external[upload.ext_id])
        for upload in job.migration.files.uploads
        if upload.ext_id in by_external
    ]
    job.observer(StepStarted(STEP, len(ours)))
    listed = (each.actual for each in job.resources().asset_folders())
    folders = {each.name: each.folder_id for each in listed if each}
    name_of = job.migration.design.folder_of_files
    placed = ((*each, folders.get(name_of(each[0].collection_id))) for each in ours)
    await together(_find_asset(job, found, *each) for each in placed)
    _find_asset_folder(job, {each.asset_folder_id for _, own in ours for each in own})


async def _find_asset(
    job: ImportJob,
    found: Rebuilt,
    upload: UploadPlan,
    assets: list[Asset],
    folder: int | None,
) -> None:
    look = job.client.public_hash
    proven = [e for e in assets if await look(e.content_url) == upload.sha256]
    asset = (proven or assets)[0]
    # A text that is not the origin's may be an editor's: what we wrote is not known.
    is_same = asset.alt == valid_text(upload.alt)
    body: JsonObject = {ALT: asset.alt if is_same else None, FOLDER: folder}
    row = AssetRow(
        sha256=upload.sha256,
        ext_id=upload.ext_id,
        name=upload.name,
        status="proven" if proven else "signed",
        reason="",
        explanation="",
        asset_id=asset.asset_id,
        content_url=asset.content_url,
        body=body,
    )
    job.ledger.inventory.save_asset(row)
    found.assets += 1
    found.unproven += not proven
    job.observer(StepAdvanced(STEP, upload.name))


def _find_asset_folder(job: ImportJob, used: set[int | None]) -> None:
    for each in job.resources().asset_folders():
        if each.actual is not None:
            _save(job, each, ours=each.actual.folder_id in used)


async def _our_rows(job: ImportJob) -> dict[ItemKey, StoryRow]:
    """Return the rows of the stories that carry an item's `_uid`, also of items that
    are left out now."""
    places = job.migration.places.places
    left_out = (each.key for each in job.migration.skipped)
    keys = {
        story_uid(job.migration.namespace, key): key for key in (*places, *left_out)
    }
    paths = {place.full_slug for place in places.values()}
    types = {each.component for each in job.migration.design.content_types}
    return await job.reader.find_by_uid(keys, job.snapshot.stories, paths, types)


async def _find_deleted(
    job: ImportJob, ours: Container[ItemKey]
) -> dict[ItemKey, StoryRow]:
    """Return the stories in the trash that items had, by item: at their places, or, of
    items without a story, the only one of their slug and type, since the design may
    have moved its folder."""
    places, design = job.migration.places.places, job.migration.design
    trash = [e for e in await job.client.stories(in_trash=True) if not e.is_folder]
    at = {row.full_slug: row for row in trash}
    types = {
        key: made.component
        for key in places
        if (made := design.content_type(key.collection_id)) is not None
    }
    found = {
        key: row
        for key, component in types.items()
        if (row := at.get(places[key].full_slug)) is not None
        and row.content_type in ("", component)
    }
    taken = {row.story_id for row in found.values()}
    called = {(row.content_type, row.slug): row for row in trash}
    rows = Counter((row.content_type, row.slug) for row in trash)
    names = {
        key: (component, places[key].slug)
        for key, component in types.items()
        if key not in found and key not in ours
    }
    items = Counter(names.values())
    for key, name in names.items():
        if rows[name] == items[name] == 1 and called[name].story_id not in taken:
            found[key] = called[name]
    return found


def _find_folders(job: ImportJob, found: Rebuilt, rows: Iterable[StoryRow]) -> None:
    paths = [row.full_slug for row in rows]
    for each in job.resources().folders():
        if each.actual is not None and each.desired is not None:
            used = any(path.startswith(f"{each.ref.key}/") for path in paths)
            found.folders += 1
            _save(job, each, ours=used and each.actual.name == each.desired.name)


def _save(job: ImportJob, found: Resource[D, A], *, ours: bool) -> None:
    """Write a row for what was found: one of ours holds what was asked for."""
    if found.desired is None or found.actual is None:
        return
    body = found.rules.body(found.desired) if ours else None
    row = made_row(found.ref, found.rules.own(found.actual), body)
    job.ledger.inventory.save_made(row)


async def _save_stories(
    job: ImportJob, found: Rebuilt, ours: Mapping[ItemKey, StoryRow]
) -> None:
    """Write each story's record, with what was written of it if its content is ours.

    Items whose only story is in the trash get it too: they are gone, and made again by
    decision only.
    """
    migration, places = job.migration, job.migration.places.places
    # Links lead to where a story was moved to, once an import followed it there.
    there = {
        key: ExistingStory(
            row.uuid, row.full_slug, places[key].slugs if key in places else ()
        )
        for key, row in ours.items()
    }
    existing = {
        key: replace(there[key], full_slug=places[key].full_slug)
        if key in places
        else there[key]
        for key in there
    }
    versions = job.public_versions(existing)
    shown = await find_shown(job, ours, existing, versions)
    deleted = await _find_deleted(job, ours) if ours else {}
    # The only public ones may be of archived items, or in the trash.
    rows = (*ours.values(), *deleted.values())
    was_published = any(row.published for row in rows)
    shows_gone = _shows_gone_files(job)
    last_write = partial(_last_write, job, (existing, there), shows_gone)
    edited: dict[ItemKey, str] = {}
    selected = [key for key in migration.items if key in ours]
    keys = (*selected, *sorted(ours.keys() - {*selected}))
    async for key, story in _read(job, ours, keys, last_write):
        found.stories += 1
        last = last_write(key, story)
        story_record, written = last.record, last.written
        if not story_record.updated_at:
            edited[key] = story.row.full_slug
        # A story that an editor moved was put at its place: verification names it.
        story_record = replace(story_record, full_slug=existing[key].full_slug)
        is_due = key in migration.to_publish
        if is_due and was_published:
            # One that is not public then was taken from visitors.
            story_record = replace(story_record, left_public=True)
        record = story_record.record_hash
        if key in versions.records:
            record = versions.records[key] if key in shown else ""
        is_shown = story.row.published and is_due
        is_whole = key in shown or not (written and story.row.unpublished_changes)
        if is_shown and is_whole:
            story_record = replace(story_record, public_record=record)
        origin = migration.origin_hash(key)
        job.ledger.items.placed(key, story_record, origin, "create", written)
        if is_shown and is_whole:
            job.ledger.items.published(key, story_record, story.row.updated_at)
    for key in sorted(deleted.keys() - ours.keys()):
        trashed = record_after_write(deleted[key])
        job.ledger.items.placed(key, trashed, migration.origin_hash(key), "create")
    found.edited = [edited[key] for key in sorted(edited)]


async def _read(
    job: ImportJob,
    ours: Mapping[ItemKey, StoryRow],
    keys: Sequence[ItemKey],
    last_write: Callable[[ItemKey, Story], LastWrite],
) -> AsyncIterator[tuple[ItemKey, Story]]:
    """Yield the stories with their content, in parts; one that an editor only saved
    since its publication without its mark of unpublished changes."""

    def sought(key: ItemKey) -> Sought:
        def is_known(story: Story) -> bool:
            return bool(last_write(key, story).record.updated_at)

        return Sought(ours[key], is_known)

    for part in batches(keys, READ_TOGETHER):
        read = await job.reader.read_part([*map(sought, part)])
        stories = {key: each for key, each in zip(part, read, strict=True) if each}
        saved = await find_saved_only(job, stories)
        for key, story in stories.items():
            changed = story.row.unpublished_changes and key not in saved
            row = replace(story.row, unpublished_changes=changed)
            yield key, replace(story, row=row)


def _last_write(
    job: ImportJob,
    placed: Sequence[Mapping[ItemKey, ExistingStory]],
    shows_gone: Callable[[ItemKey], bool],
    key: ItemKey,
    story: Story,
) -> LastWrite:
    """Return our last write of a story, which is known if its content is as this import
    makes it with the stories `placed` in one of several ways.

    Of a story whose file is gone it is not: a field without the file may be an edit.
    """
    migration = job.migration
    drafted = migration.story(key, job.context) if key in migration.items else None
    if isinstance(drafted, StoryDraft) and not shows_gone(key):
        linked = (job.linked(existing).content(drafted) for existing in placed)
        for content in chain(linked, (drafted.content,)):
            if same(content, story.content):
                fields = wanted_fields(drafted, content)
                record = record_hash(fields, content_hash(content))
                return found_write(story, record, fields)
    return found_write(story, "", None)


def _shows_gone_files(job: ImportJob) -> Callable[[ItemKey], bool]:
    """Return whether an item shows files that are not in the space."""
    migration, there = job.migration, job.context.assets.keys()
    wanted = migration.files.planned_assets(job.context.assets)
    context = replace(job.context, assets=wanted)

    def shows_gone(key: ItemKey) -> bool:
        if wanted.keys() <= there:
            return False
        draft = migration.item_draft(migration.items[key], context)
        return isinstance(draft, ItemDraft) and not there >= {*draft.slots.addresses}

    return shows_gone
