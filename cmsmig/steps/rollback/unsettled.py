"""What killed runs left open: found out by looking, and taken for what it is.

An import that was killed may have created things that the ledger has no record of;
a rollback that was killed may have deleted things that it still has. Writes only the
ledger.
"""

from __future__ import annotations

from dataclasses import replace

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.destination.schema import StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import AssetRow, Intent, MadeRow
from cmsmig.mapping.compare.datasource_merge import (
    datasource_record,
    settled_record,
)
from cmsmig.mapping.uids import story_uid
from cmsmig.steps.plan.destination_survey import folder_at
from cmsmig.steps.plan.edits.story_fields import fields_there, written_story
from cmsmig.steps.plan.edits.written_stories import found_home, is_hash_of
from cmsmig.steps.plan.ownership import base_after, is_applied, pairs_of
from cmsmig.steps.rollback.deletions import is_there
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import created, forget
from cmsmig.steps.rollback.space_lists import SpaceLists
from cmsmig.steps.worker_pool import together
from cmsmig.steps.write.idempotent_write import ONCE_MORE

_MAKING = ("create", "component", "folder", "asset_folder", "datasource", "sign")


async def let_lists_settle(job: RollbackJob) -> None:
    """Wait a moment when a killed run may have written something just now: lists
    may lag behind."""
    if any(job.ledger.intents.open(kind) for kind in (*_MAKING, DELETE)):
        await job.sleep(max(ONCE_MORE))


async def settle(job: RollbackJob, lists: SpaceLists) -> None:
    """Take up what killed runs made without a record, and what they deleted."""
    await _settle_deletions(job)
    await _settle_creates(job, lists)
    if job.subset.is_all:
        await _settle_folders(job, lists)
        _settle_folder_names(job, lists)
        _settle_components(job, lists)
        _settle_datasources(job, lists)
        _settle_asset_folders(job, lists)
        _settle_signings(job, lists)


async def _settle_deletions(job: RollbackJob) -> None:
    """Forget what a killed rollback did delete; each is looked at singly."""
    pieces = {piece.subject: piece for piece in created(job.ledger)}

    async def look(subject: str) -> None:
        piece = pieces.get(subject)
        if piece is None:
            job.ledger.intents.settle(DELETE, subject, "done")
        elif await is_there(job.client, piece):
            job.ledger.intents.settle(DELETE, subject, "not_applied")
        else:
            forget(job.ledger, piece)

    await together(look(each.subject) for each in job.ledger.intents.open(DELETE))


async def _settle_creates(job: RollbackJob, lists: SpaceLists) -> None:
    """Give items the stories that a killed import created for them.

    Ours is the story at the item's place whose root block has the item's `_uid`.
    """
    items = {str(key): row for key, row in job.ledger.items.all().items()}
    stories = {
        row.full_slug.strip("/"): row for row in lists.stories if not row.is_folder
    }
    for intent in job.ledger.intents.open("create"):
        item = items.get(intent.subject)
        row = stories.get(item.full_slug) if item is not None else None
        if item is None or row is None:
            job.ledger.intents.settle("create", intent.subject, "absent")
            continue
        try:
            story = await job.client.story(row.story_id)
        except NotFoundError:
            job.ledger.intents.settle("create", intent.subject, "absent")
            continue
        if story.content.get("_uid") != story_uid(job.namespace, item.key):
            job.ledger.intents.settle("create", intent.subject, "foreign")
            continue
        record = str(intent.body.get("record", ""))
        home = found_home(story, intent.request_hash, record)
        written = None
        if is_hash_of(intent.request_hash, story.content):
            written = written_story(fields_there(story, None), story)
        job.ledger.items.housed(item.key, home, item.origin_hash, "create", written)


async def _settle_folders(job: RollbackJob, lists: SpaceLists) -> None:
    for intent in job.ledger.intents.open("folder"):
        row = folder_at(lists.stories, intent.subject)
        if row is None or not await _is_as_intended(job, intent, row):
            outcome = "absent" if row is None else "foreign"
            job.ledger.intents.settle("folder", intent.subject, outcome)
            continue
        body: JsonObject = {
            "name": row.name,
            "slug": row.slug,
            "parent_id": row.parent_id,
        }
        made = MadeRow("folder", intent.subject, row.story_id, row.uuid, True, "", body)
        job.ledger.inventory.save_made(made, intent="folder")


def _settle_folder_names(job: RollbackJob, lists: SpaceLists) -> None:
    """Find out which folders a killed import did call something else."""
    rows = {row.story_id: row for row in lists.stories}
    known = job.ledger.inventory.made("folder")
    for intent in job.ledger.intents.open("folder_name"):
        made = known.get(intent.subject)
        row = rows.get(made.destination_id) if made is not None else None
        if made is None or row is None or fingerprint(row.name) != intent.request_hash:
            job.ledger.intents.settle("folder_name", intent.subject, "not_applied")
            continue
        named = replace(made, body={**made.body, "name": row.name})
        job.ledger.inventory.save_made(named, intent="folder_name")


async def _is_as_intended(job: RollbackJob, intent: Intent, row: StoryRow) -> bool:
    """Return whether a folder is the very one that an import was about to make."""
    try:
        story = await job.client.story(row.story_id)
    except NotFoundError:
        return False
    body: JsonObject = {
        "name": row.name,
        "slug": row.slug,
        "is_folder": True,
        "parent_id": row.parent_id,
    }
    rooted = {**body, "default_root": story.body.get("default_root")}
    return intent.request_hash in (fingerprint(body), fingerprint(rooted))


def _settle_components(job: RollbackJob, lists: SpaceLists) -> None:
    there = {each.name: each for each in lists.components}
    known = job.ledger.inventory.made("component")
    for intent in job.ledger.intents.open("component"):
        found = there.get(intent.subject)
        if found is None or not is_applied(intent, found):
            outcome = "absent" if found is None else "not_applied"
            job.ledger.intents.settle("component", intent.subject, outcome)
            continue
        row = known.get(intent.subject)
        if row is not None and row.destination_id != found.component_id:
            row = None
        made = MadeRow(
            kind="component",
            name=intent.subject,
            destination_id=found.component_id,
            uuid="",
            made=row.made if row is not None else True,
            body_hash=fingerprint(intent.body),
            body=base_after(intent),
        )
        job.ledger.inventory.save_made(made, intent="component")


def _settle_datasources(job: RollbackJob, lists: SpaceLists) -> None:
    """Take a datasource for ours that holds nothing but what was to be put in."""
    there = {each.slug: each for each in lists.datasources}
    known = job.ledger.inventory.made("datasource")
    for intent in job.ledger.intents.open("datasource"):
        found = there.get(intent.subject)
        if found is None:
            job.ledger.intents.settle("datasource", intent.subject, "absent")
            continue
        row = known.get(intent.subject)
        held = {
            (each.name, each.value)
            for each in lists.entries.get(found.datasource_id, ())
        }
        meant = pairs_of(intent.body)
        ours = row is not None and row.made
        if not ours and not (held <= meant and found.name == intent.body.get("name")):
            job.ledger.intents.settle("datasource", intent.subject, "foreign")
            continue
        body = settled_record(
            row.body if row is not None else {},
            intent.body,
            datasource_record(found.name, found.slug, sorted(held)),
        )
        made = MadeRow(
            "datasource", found.slug, found.datasource_id, "", True, "", body
        )
        job.ledger.inventory.save_made(made, intent="datasource")


def _settle_asset_folders(job: RollbackJob, lists: SpaceLists) -> None:
    there = {each.name: each for each in lists.asset_folders}
    for intent in job.ledger.intents.open("asset_folder"):
        found = there.get(intent.subject)
        if found is None:
            job.ledger.intents.settle("asset_folder", intent.subject, "absent")
            continue
        body: JsonObject = {"name": found.name}
        made = MadeRow("asset_folder", found.name, found.folder_id, "", True, "", body)
        job.ledger.inventory.save_made(made, intent="asset_folder")


def _settle_signings(job: RollbackJob, lists: SpaceLists) -> None:
    """Give files the asset records that a killed import signed, by external id."""
    known = job.ledger.inventory.assets()
    for intent in job.ledger.intents.open("sign"):
        found = [each for each in lists.assets if each.ext_id == intent.request_hash]
        if not found:
            job.ledger.intents.settle("sign", intent.subject, "absent")
            continue
        asset = min(found, key=lambda each: each.asset_id)
        name = asset.content_url.rpartition("/")[2]
        row = known.get(intent.subject)
        signed = AssetRow(
            sha256=intent.subject,
            ext_id=intent.request_hash,
            name=row.name if row is not None else name,
            status="signed",
            reason="",
            explanation="",
            asset_id=asset.asset_id,
            content_url=asset.content_url,
        )
        job.ledger.inventory.save_asset(signed, intent_outcome="done")
