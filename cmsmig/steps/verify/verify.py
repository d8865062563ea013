"""Verification: everything is read back and compared. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from cmsmig.counting import counted
from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.errors import (
    RejectedError,
    UnreachableError,
)
from cmsmig.events import Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import AssetRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.labels import labels_of
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import as_begun, open_migration
from cmsmig.steps.decide.pulled_origin import unread_sentences
from cmsmig.steps.plan.conflicts import note_paths
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories
from cmsmig.steps.plan.gone.missing_objects import REMEDY, Missing
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.verify.compare_fields import compare_objects, pending_removals
from cmsmig.steps.verify.compare_public import compare_public
from cmsmig.steps.verify.compare_stories import ReadBack, compare_groups, list_gone
from cmsmig.steps.verify.differences import DifferenceCode, Verification
from cmsmig.steps.worker_pool import StopSignal, Work, batches, work_through
from cmsmig.steps.write.asset_upload import NOTHING
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.import_setup import ImportSetup, open_job

STEP = "verify"


async def verify(job: ImportJob) -> Verification:
    """Read back every story, asset, component and folder, and compare each with
    decisions and ledger. Writes nothing but the paths of stories that an editor moved,
    into the ledger."""
    expected = _find_expected(job)
    found = _begin(job, expected)
    existing = job.existing()
    assets = _uploaded(job, found)
    _list_missing(job, found)
    found.differences.extend(pending_removals(job))
    stories = [key for key in job.migration.items if key in expected]
    job.observer(StepStarted(STEP, len(stories) + len(assets)))
    compare_objects(job, found)
    _compare_folders(job, found)
    linked = job.linked(existing)
    await _read_back(job, linked, expected, stories, assets, found)
    found.singly, found.unread = job.reader.singly, job.reader.unread
    compare_groups(job, found)
    await compare_public(job, existing, expected, found)
    _list_failed(job, found)
    subjects = {each.subject for each in found.found}
    items = job.migration.items.items()
    found.names = {str(k): item.name for k, item in items if str(k) in subjects}
    # What is wanted is what the last import knew; old addresses lead where pages are.
    await note_paths(job.reader, job.migration, job.ledger, job.snapshot)
    job.observer(StepFinished(STEP, counted(len(found.differences), "difference")))
    return found


async def _read_back(
    job: ImportJob,
    linked: LinkedStories,
    expected: Mapping[ItemKey, StoryRecord],
    stories: Sequence[ItemKey],
    assets: Sequence[AssetRow],
    found: Verification,
) -> None:
    """Compare stories and assets, many at a time."""
    listed = job.snapshot.listed
    live = job.migration.live
    reading = ReadBack(job, linked, expected, listed, found, live)

    async def look(piece: list[ItemKey] | AssetRow) -> None:
        if isinstance(piece, AssetRow):
            await _compare_asset(job, piece, found)
            job.observer(StepAdvanced(STEP, ""))
            return
        await reading.compare(piece)
        for _ in piece:
            job.observer(StepAdvanced(STEP, ""))

    pieces: Iterator[list[ItemKey] | AssetRow]
    pieces = chain(batches(stories, READ_TOGETHER), assets)
    await work_through(
        pieces,
        Work(look),
        workers=job.settings.in_flight,
        stop=job.stop,
    )


def _begin(job: ImportJob, expected: Mapping[ItemKey, StoryRecord]) -> Verification:
    stories, rows = job.snapshot.stories, job.ledger.items.all().values()
    groups = job.groups()
    members: dict[str, set[int]] = {}
    for key in groups.keys() & expected.keys():
        members.setdefault(groups[key], set()).add(expected[key].story_id)
    public = {row.story_id for row in stories if row.published}
    origin, decided = job.migration.origin, job.migration.decisions
    return Verification(
        collections_unread=unread_sentences(
            origin.unread, decided.collections.left_out
        ),
        public_keys=frozenset(
            row.key
            for row in rows
            if row.story_record is not None and row.story_record.story_id in public
        ),
        wanted_groups=groups,
        members={group: frozenset(ids) for group, ids in members.items()},
        labels=labels_of(job.migration.design, stories, rows),
    )


def _find_expected(job: ImportJob) -> dict[ItemKey, StoryRecord]:
    """Return the stories that this import made and that are there."""
    gone = job.gone.keys(Kind.STORY)
    return {
        key: row.story_record
        for key, row in job.ledger.items.all().items()
        if key not in gone and row.story_record is not None and row.story_record.made
    }


def _list_missing(job: ImportJob, found: Verification) -> None:
    """List the selected items whose stories are not there, gone or not made yet."""
    rows = job.ledger.items.all()
    gone = job.gone.keys(Kind.STORY)
    left_out = job.gone.of(Missing.LEAVE_OUT).keys(Kind.STORY)
    for key, item in job.migration.items.items():
        row = rows.get(key)
        if row is not None and key in left_out:
            continue
        if row is not None and row.story_record is not None and key in gone:
            list_gone(key, row.story_record, found)
        elif row is None or (row.story_record is None and row.status in _DUE):
            text = f"{item.name} has no story yet; run `cmsmig import`."
            found.add(DifferenceCode.ITEM_WITHOUT_STORY, key, text)


def _list_failed(job: ImportJob, found: Verification) -> None:
    """Count the selected items that failed, and list those without another
    difference."""
    differing = {each.subject for each in found.differences}
    for key, row in job.ledger.items.all().items():
        if row.status != "failed" or key not in job.migration.items:
            continue
        found.failed += 1
        if str(key) not in differing:
            found.add(DifferenceCode.ITEM_FAILED, key, row.explanation)


_DUE = ("selected", "created", "reused")
"""States of an item that has to have a story."""


def _uploaded(job: ImportJob, found: Verification) -> list[AssetRow]:
    """Return the files that were uploaded, and list those that content uses and that
    were not."""
    rows = job.ledger.inventory.assets()
    for upload in job.migration.files.uploads:
        row = rows.get(upload.sha256)
        if row is None or not row.is_uploaded:
            why = f" {row.explanation}" if row is not None else ""
            text = f"It is not uploaded; run `cmsmig import`.{why}"
            found.add(DifferenceCode.ASSET_NOT_UPLOADED, upload.name, text)
    unneeded = job.gone.of(Missing.UNNEEDED, Missing.OUTSIDE).keys(Kind.ASSET)
    return [
        row for row in rows.values() if row.is_uploaded and row.sha256 not in unneeded
    ]


async def _compare_asset(job: ImportJob, row: AssetRow, found: Verification) -> None:
    """Compare a file with what is at its public address."""
    url, why, sha256 = row.content_url, "", ""
    try:
        there = await job.client.public(url)
        sha256 = there.sha256
        if not sha256 and there.status not in NOTHING:
            why = f"it answered {there.status}"
    except (RejectedError, UnreachableError) as error:
        why = str(error)
    if why:
        text = f"Its public address cannot be read ({why}); run `cmsmig verify` again."
        found.add(DifferenceCode.ASSET_UNREAD, row.name, text, url)
        return
    found.assets += 1
    code, text = DifferenceCode.ASSET_GONE, ""
    if row.sha256 in job.gone.keys(Kind.ASSET):
        text = f"Its asset is no longer there; {REMEDY}."
    elif not sha256:
        text = f"Its file is not at its address; {REMEDY}."
    elif sha256 != row.sha256:
        code, text = DifferenceCode.ASSET_BYTES, "Its file has other bytes."
    if text:
        found.add(code, row.name, text, url)


def _compare_folders(job: ImportJob, found: Verification) -> None:
    there = {row.story_id for row in job.snapshot.stories if row.is_folder}
    for path, row in job.ledger.inventory.made("folder").items():
        found.folders += 1
        if row.destination_id not in there:
            text = f"The folder is not there; {REMEDY}."
            found.add(DifferenceCode.FOLDER_GONE, path, text)


async def verify_project(
    project: Project, settings: Settings, *, observer: Observer, stop: StopSignal
) -> Verification:
    """Return what a read-back of a project found. Reads only."""
    whole = migration = open_migration(project, settings)
    if project.ledger.is_file():
        with Ledger.open_existing(project.ledger) as ledger:
            migration = as_begun(whole, ledger)
    await require_same_site(project, settings, observer)
    setup = ImportSetup(project, settings, migration, observer, stop, "verify")
    async with open_job(setup) as job:
        found = await verify(job)
        found.not_in_yet = len(whole.items) - len(migration.items)
        return found
