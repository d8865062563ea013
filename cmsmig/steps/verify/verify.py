"""Verification: everything is read back and compared. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.destination.reading import moment
from cmsmig.destination.schema import Story
from cmsmig.errors import NotFoundError
from cmsmig.events import Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import AssetRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.decisions.conflicts import ConflictKind, Side
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.rules.story import LastWrite, edited_fields
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.richtext.schema.validate import documents_in, problems_there
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import as_begun, open_migration
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories
from cmsmig.steps.plan.gone.recreate import REMEDY
from cmsmig.steps.plan.publication.public_versions import visible_prints
from cmsmig.steps.pull.raw_site import require_same_site
from cmsmig.steps.verify.compare_fields import (
    compare_objects,
    is_as_wanted,
    story_differences,
    undone_removals,
)
from cmsmig.steps.verify.compare_public import DECIDE_PUBLISHED, compare_public
from cmsmig.steps.verify.differences import DifferenceCode, Verification
from cmsmig.steps.worker_pool import StopSignal, Work, work_through
from cmsmig.steps.write.alternates import languages_of
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.import_setup import ImportSetup, open_job

STEP = "verify"


async def verify(job: ImportJob) -> Verification:
    """Read back every story, asset, component and folder, and compare each with
    decisions and ledger. Reads only."""
    found = Verification(wanted_groups=job.groups(job.snapshot.stories))
    expected = _find_expected(job)
    existing = job.existing()
    linked = job.linked(existing)
    unneeded = job.gone.unneeded.hashes()
    assets = [
        row
        for row in job.ledger.inventory.assets().values()
        if row.sha256 not in unneeded
    ]
    _list_unmade(job, found)
    found.differences.extend(undone_removals(job))
    stories = [key for key in job.migration.items if key in expected]
    job.observer(StepStarted(STEP, len(stories) + len(assets)))
    compare_objects(job, found)
    _compare_folders(job, found)

    async def look(piece: ItemKey | AssetRow) -> None:
        if isinstance(piece, AssetRow):
            await _compare_asset(job, piece, found)
        else:
            await _compare_story(job, linked, piece, expected[piece], found)
        job.observer(StepAdvanced(STEP, ""))

    pieces: Iterator[ItemKey | AssetRow] = chain(stories, assets)
    await work_through(
        pieces,
        Work(lambda batch: None, look, lambda piece: None),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    _compare_groups(job, found)
    await compare_public(job, existing, expected, found)
    _list_failed(job, found)
    job.observer(StepFinished(STEP, counted(len(found.differences), "difference")))
    return found


def _find_expected(job: ImportJob) -> dict[ItemKey, StoryRecord]:
    """Return the stories that this import made and that are there."""
    gone = job.gone.keys()
    return {
        key: row.story_record
        for key, row in job.ledger.items.all().items()
        if key not in gone and row.story_record is not None and row.story_record.made
    }


def _list_unmade(job: ImportJob, found: Verification) -> None:
    """List the selected items whose stories are not there, gone or not made yet."""
    rows = job.ledger.items.all()
    gone = job.gone.keys()
    left_out = job.gone.left_out()
    for key, item in job.migration.items.items():
        row = rows.get(key)
        if row is not None and key in left_out:
            continue
        if row is not None and row.story_record is not None and key in gone:
            _list_gone(key, row.story_record, found)
        elif row is None or (row.story_record is None and row.status in _DUE):
            text = f"{item.name} has no story yet; run `cmsmig import`."
            found.add(DifferenceCode.ITEM_WITHOUT_STORY, key, text)


def _list_failed(job: ImportJob, found: Verification) -> None:
    """Count the selected items that failed, and list those of which the read-back
    found nothing else."""
    differing = {each.subject for each in found.differences}
    for key, row in job.ledger.items.all().items():
        if row.status != "failed" or key not in job.migration.items:
            continue
        found.failed += 1
        if str(key) not in differing:
            found.add(DifferenceCode.ITEM_FAILED, key, row.explanation)


def _list_gone(key: ItemKey, story_record: StoryRecord, found: Verification) -> None:
    text = f"The story `{story_record.full_slug}` is no longer there; {REMEDY}."
    found.add(DifferenceCode.STORY_GONE, key, text)


_DUE = ("selected", "created", "reused")
"""States of an item that has to have a story."""


async def _compare_story(
    job: ImportJob,
    linked: LinkedStories,
    key: ItemKey,
    story_record: StoryRecord,
    found: Verification,
) -> None:
    draft = job.migration.item_draft(job.migration.items[key], job.context)
    if draft is None:
        return
    if isinstance(draft, str):
        found.add(DifferenceCode.ITEM_FAILED, key, draft)
        return
    found.stories += 1
    try:
        story = await job.client.story(story_record.story_id)
    except NotFoundError:
        _list_gone(key, story_record, found)
        return
    found.published_at[key] = moment(story.body.get("published_at"))
    if key in found.wanted_groups:
        found.groups[key] = story.row.group_id
        found.alternates[key] = story.alternates
    last = LastWrite(story_record, job.ledger.items.last_written(story_record.story_id))
    links = linked.links(draft)
    if isinstance(links, str):
        found.add(DifferenceCode.ITEM_FAILED, key, links)
    elif is_as_wanted(story, last.written, links.record_hash):
        # What is wanted was valid when it was made.
        found.relations += links.filled
        found.documents += len([*documents_in(story.content)])
    elif _waits(job, key) and not edited_fields(story, last):
        # An import of all fills its references to what later pilots brought.
        found.waiting.add(key)
    else:
        found.relations += links.filled
        _compare_fields(job, linked, draft, last, story, found)
    _compare_publication(job, key, story_record, story, found)
    apart = key in job.public_versions(linked.existing).records
    if story.row.published and story.row.unpublished_changes and not apart:
        codes = (
            "",
            *(each.code for each in job.migration.decisions.collections.translations),
        )
        found.unpublished[key] = {code: visible_prints(story, code) for code in codes}


def _waits(job: ImportJob, key: ItemKey) -> bool:
    """Return whether an item of a pilot has references that no pilot filled yet, and is
    otherwise as it was written."""
    row = job.ledger.items.all()[key]
    is_same = row.origin_hash == job.migration.origin_hash(key)
    return bool(job.migration.known.outside) and row.link_state == "pending" and is_same


def _compare_fields(
    job: ImportJob,
    linked: LinkedStories,
    draft: ItemDraft,
    last: LastWrite,
    story: Story,
    found: Verification,
) -> None:
    wanted = job.migration.story_of(draft, job.context)
    content = linked.content(wanted)
    decided = job.migration.decisions.conflicts
    found.differences.extend(story_differences(wanted, content, last, story, decided))
    _check_documents(wanted, story.content, found)


def _compare_publication(
    job: ImportJob,
    key: ItemKey,
    story_record: StoryRecord,
    story: Story,
    found: Verification,
) -> None:
    """List that a story is public, or not, against the decision."""
    asked, is_public = key in job.migration.to_publish, story.row.published
    decided, path = job.migration.decisions.conflicts, story_record.full_slug
    side = decided.side(ConflictKind.STORY, path, PUBLISHED, seen_of(is_public))
    if asked == is_public or side is Side.THEIRS:
        return
    if is_public:
        text = f"`{path}` is published; nobody asked{DECIDE_PUBLISHED}."
        found.add(DifferenceCode.PUBLISHED_UNASKED, key, text, PUBLISHED)
        return
    why = "somebody unpublished it" if story_record.left_public else "it is not"
    text = f"`{path}` was to be published and {why}{DECIDE_PUBLISHED}."
    found.add(DifferenceCode.NOT_PUBLISHED, key, text, PUBLISHED)


def _compare_groups(job: ImportJob, found: Verification) -> None:
    """List the stories that are not in one group with their item's other languages.

    The group alone proves nothing: the service may store it without effect. Its
    alternates show what front ends get. Source: destination, update a story.
    """
    if not found.wanted_groups:
        # No item has another language.
        return
    listed = {row.story_id: row.group_id for row in job.snapshot.stories}
    records = {
        key: row.story_record
        for key, row in job.ledger.items.all().items()
        if row.story_record is not None
    }
    reused = {
        key: listed.get(record.story_id, "")
        for key, record in records.items()
        if not record.made
    }
    there = {key: group for key, group in (reused | found.groups).items() if group}
    for languages in languages_of(there).values():
        found.languages += 1
        together = {
            records[key].story_id: key
            for key in languages
            if there[key] == found.wanted_groups.get(key)
        }
        for key in languages:
            if key not in found.groups:
                continue
            own = records[key].story_id
            if own not in together:
                text = _NOT_IN_GROUP
            elif together.keys() - {own} - found.alternates[key]:
                text = _NO_ALTERNATES
            else:
                continue
            found.add(DifferenceCode.LANGUAGES_APART, key, text, "group_id")


_NOT_IN_GROUP = (
    "It does not share the group of the item's other languages, so that none of them "
    "names it as its alternate; add it there to the alternates of one of them."
)
_NO_ALTERNATES = (
    "It has the `group_id` of the item's other languages, but the service does not "
    "show all of them as its alternates; add them to its alternates there, and check "
    "that the service then shows them."
)


def _check_documents(
    story: StoryDraft, content: JsonObject, found: Verification
) -> None:
    for path, document in documents_in(content):
        found.documents += 1
        for problem in problems_there(document):
            place = f"At {problem.path}: " if problem.path else ""
            text = f"{place}{problem.what}"
            found.add(DifferenceCode.DOCUMENT_INVALID, story.key, text, path)


async def _compare_asset(job: ImportJob, row: AssetRow, found: Verification) -> None:
    found.assets += 1
    if row.status == "failed" and not row.is_gone:
        return
    try:
        there = await job.client.public(row.content_url)
    except NotFoundError:
        there = None
    if row.sha256 in job.gone.hashes():
        text = f"Its asset is no longer there; {REMEDY}."
        code = DifferenceCode.ASSET_GONE
    elif there is None or not there.sha256:
        text = f"Its file is not at its address; {REMEDY}."
        code = DifferenceCode.ASSET_GONE
    elif there.sha256 != row.sha256:
        code, text = DifferenceCode.ASSET_BYTES, "Its file has other bytes."
    else:
        return
    found.add(code, row.name, text, row.content_url)


def _compare_folders(job: ImportJob, found: Verification) -> None:
    there = {row.story_id for row in job.snapshot.stories if row.is_folder}
    for path, row in job.ledger.inventory.made("folder").items():
        found.folders += 1
        if row.destination_id not in there:
            text = f"The folder is not there; {REMEDY}."
            found.add(DifferenceCode.FOLDER_GONE, path, text)


async def verify_only(
    project: Project, settings: Settings, *, observer: Observer, stop: StopSignal
) -> Verification:
    """Return what a read-back of everything found. Reads only."""
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
