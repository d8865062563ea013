"""Finds what an earlier import made in the space. Writes only the ledger.

Ours are the stories whose root block carries a `_uid` derived from site, space and
item, and the assets with an external id derived the same way. Components, folders
and datasources have no such mark: those that are as this import would make them,
and that hold what is ours, count as made by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from typing import TypeVar

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.schema import Asset, Story, StoryRow
from cmsmig.errors import (
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import AssetRow
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.resource import Resource, made_row
from cmsmig.reconcile.rules.asset import ALT, FOLDER
from cmsmig.steps.plan.conflicts import item_rows
from cmsmig.steps.plan.edits.written_stories import written_home
from cmsmig.steps.rebuild.found_stories import Rebuilt, save_stories
from cmsmig.steps.rebuild.saved_drafts import without_saves
from cmsmig.steps.worker_pool import together
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.whole_text import whole_text

D = TypeVar("D")
A = TypeVar("A")

STEP = "rebuild"


async def find_again(job: ImportJob) -> Rebuilt:
    """Fill an empty ledger with everything of this import that the space holds."""
    job.migration = job.migration.checking()
    found = Rebuilt(items=len(job.migration.selected))
    job.ledger.items.select(item_rows(job.migration, {}))
    _find_components(job, found)
    _find_datasources(job)
    await _find_assets(job, found)
    stories = await without_saves(job, await _our_stories(job))
    _find_folders(job, found, stories.values())
    await save_stories(job, found, stories)
    if stories:
        await _save_deleted(job, stories.keys())
    job.observer(StepFinished(STEP, f"{found.stories} stories found again"))
    return found


def _find_components(job: ImportJob, found: Rebuilt) -> None:
    for each in job.resources().components():
        if each.desired is None or each.actual is None:
            continue
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
    by_external: dict[str, list[Asset]] = {}
    for asset in await job.client.assets():
        if asset.ext_id:
            by_external.setdefault(asset.ext_id, []).append(asset)
    ours = [
        (upload, sorted(assets, key=lambda asset: asset.asset_id))
        for upload in job.migration.files.uploads
        if (assets := by_external.get(upload.ext_id))
    ]
    job.observer(StepStarted(STEP, len(ours)))
    await together(_find_asset(job, found, upload, own) for upload, own in ours)
    _find_asset_folder(job, {each.asset_folder_id for _, own in ours for each in own})


async def _find_asset(
    job: ImportJob, found: Rebuilt, upload: UploadPlan, assets: list[Asset]
) -> None:
    proven, asset = False, assets[0]
    for candidate in assets:
        if await _has_bytes(job, candidate, upload.sha256):
            proven, asset = True, candidate
            break
    # A text that is not the origin's may be an editor's: what we wrote is not known.
    is_same = asset.alt == whole_text(upload.alt)
    folders = [each.actual for each in job.resources().asset_folders()]
    folder_id = next((each.folder_id for each in folders if each), None)
    body: JsonObject = {ALT: asset.alt if is_same else None, FOLDER: folder_id}
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


async def _has_bytes(job: ImportJob, asset: Asset, sha256: str) -> bool:
    with suppress(NotFoundError, OutcomeUnknownError, RejectedError, UnreachableError):
        return (await job.client.public(asset.content_url)).sha256 == sha256
    return False


def _find_asset_folder(job: ImportJob, used: set[int | None]) -> None:
    for each in job.resources().asset_folders():
        if each.actual is not None:
            _save(job, each, ours=each.actual.folder_id in used)


async def _our_stories(job: ImportJob) -> dict[ItemKey, Story]:
    """Return the stories that carry an item's `_uid`, also of items that are left out
    now: first those at their places, then, while some are missing, the others of our
    content types."""
    namespace = job.migration.namespace
    places = job.migration.places.places
    left_out = (each.key for each in job.migration.skipped)
    keys = {story_uid(namespace, key): key for key in (*places, *left_out)}
    paths = {place.full_slug for place in places.values()}
    types = {"", *(each.component for each in job.migration.design.content_types)}
    rows = [row for row in job.snapshot.stories if not row.is_folder]
    at_place = [row for row in rows if row.full_slug in paths]
    elsewhere = [
        row for row in rows if row.full_slug not in paths and row.content_type in types
    ]
    ours = _by_key(keys, await _read(job, at_place))
    if len(ours) < len(keys) and elsewhere:
        ours = _by_key(keys, await _read(job, elsewhere)) | ours
    return ours


async def _save_deleted(job: ImportJob, known: Set[ItemKey]) -> None:
    """Write that items had a story which is in the trash: they are gone, and made again
    by decision only."""
    trash = {
        row.full_slug: row
        for row in await job.client.stories(in_trash=True)
        if not row.is_folder
    }
    for key, place in job.migration.places.places.items():
        row = trash.get(place.full_slug)
        made = job.migration.design.content_type(key.collection_id)
        if key in known or row is None or made is None:
            continue
        if row.content_type in ("", made.component):
            home = written_home(row, "")
            origin = job.migration.origin_hash(key)
            job.ledger.items.housed(key, home, origin, "create")


async def _read(job: ImportJob, rows: Iterable[StoryRow]) -> list[Story]:
    stories = await together(job.client.find_story(row.story_id) for row in rows)
    return [story for story in stories if story is not None]


def _by_key(keys: Mapping[str, ItemKey], stories: list[Story]) -> dict[ItemKey, Story]:
    """Return stories by item; of copies that share a `_uid`, the oldest."""
    found: dict[ItemKey, Story] = {}
    for story in sorted(stories, key=lambda each: each.row.story_id):
        key = keys.get(str(story.content.get("_uid")))
        if key is not None:
            found.setdefault(key, story)
    return found


def _find_folders(job: ImportJob, found: Rebuilt, stories: Iterable[Story]) -> None:
    paths = [story.row.full_slug for story in stories]
    for each in job.resources().folders():
        if each.actual is None or each.desired is None:
            continue
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
