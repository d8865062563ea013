"""Stories that a killed run was creating, updating or publishing, in one version or in
two.

One that was created is known by the `_uid` of its root block, wherever an editor moved
it since. One that was updated is known by the fingerprints of what was wanted. What
editors see has to be put back where a run wrote only what visitors see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import Intent, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.rules.story import edited_fields, is_as_left
from cmsmig.reconcile.rules.story_fields import (
    CONTENT,
    content_of,
    fields_held,
    slugs_text,
    wanted_fields,
)
from cmsmig.reconcile.rules.story_hashes import content_hash
from cmsmig.reconcile.rules.update_intents import after_update
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.publication.version_pair import SHOW, VersionPair
from cmsmig.steps.plan.recorded_stories import found_write, last_write
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.story_reader import StoryReader
from cmsmig.steps.worker_pool import together

_TYPE = f"{CONTENT}component"

Sent = Callable[[ItemKey], "JsonObject | None"]
"""Returns the fields that a create of an item sends now; None where it sends none."""


def create_intent(key: ItemKey, content: str, record: str, sent: JsonObject) -> Intent:
    """Return the intent to create a story. It holds what is sent around the content.

    `content` and `record` are the hashes of the content and of all that is wanted.
    """
    around = {
        name: value
        for name, value in sent.items()
        if name == _TYPE or not name.startswith(CONTENT)
    }
    return Intent("create", str(key), content, {"record": record, "around": around})


async def read_interrupted(
    reader: StoryReader, namespace: str, ledger: Ledger, found: Snapshot
) -> Snapshot:
    """Return the snapshot with the stories that it created or updated, those that an
    editor took from visitors since, and those of two versions as they will be once
    theirs is put back.

    Costs a call for each story that is read.
    """
    client = reader.client
    interrupted: dict[int, str] = {}
    to_put_back = 0
    rows: list[StoryRow] = []
    for intent, row in ledger.intended(SHOW):
        story_record = row.current_record if row is not None else None
        story = (
            await client.find_story(story_record.story_id)
            if story_record is not None
            else None
        )
        if row is None or story_record is None or story is None:
            continue
        pair = VersionPair.of_intent(intent)
        after = pair.after(story)
        record = intent.request_hash if pair.is_shown(story) else ""
        interrupted[story_record.story_id] = record
        to_put_back += after is not story
        rows.append(_row_after(ledger, row, after))
    hidden = _hidden_since(
        ledger.items.all().values(),
        found.listed,
        publishing=ledger.intents.subjects("publish"),
        showing=ledger.intents.subjects(SHOW),
    )
    found = found.with_rows(rows) if rows else found
    created, reads = await find_created(reader, namespace, ledger, found.stories)
    updated = await _read_updated(client, ledger, found)
    found = found.with_calls({"settle_stories": reads})
    return replace(
        found,
        created=created,
        updated=updated,
        interrupted=interrupted,
        to_put_back=to_put_back,
        hidden=hidden,
    )


def _hidden_since(
    rows: Iterable[ItemRow],
    listed: Mapping[int, StoryRow],
    *,
    publishing: Set[str],
    showing: Set[str],
) -> frozenset[int]:
    """Return the stories that a killed run published, as far as that can be known, and
    that an editor took from visitors since.

    Of the items `publishing` it had sent the publication: whether that arrived is not
    seen in a story that is not public, so a person decides. The version of the items
    `showing` arrived if the story has another change date than our last write.
    """
    if not publishing | showing:
        return frozenset()
    return frozenset(
        row.story_record.story_id
        for row in rows
        if row.story_record is not None
        and (found := listed.get(row.story_record.story_id)) is not None
        and not found.published
        and (
            (subject := str(row.key)) in publishing
            or (subject in showing and found.updated_at != row.story_record.updated_at)
        )
    )


def _row_after(ledger: Ledger, item: ItemRow, after: Story) -> StoryRow:
    """Return a story's row; with the date of our last write, if it holds just that."""
    last = last_write(ledger, item)
    if edited_fields(after, last):
        return after.row
    return replace(after.row, updated_at=last.record.updated_at)


async def find_created(
    reader: StoryReader, namespace: str, ledger: Ledger, listed: Iterable[StoryRow]
) -> tuple[Mapping[ItemKey, Story], int]:
    """Return the stories of items whose create a killed run intended, and how many
    calls that took. Reads only: of the stories that this ledger does not know those at
    the items' paths, and, while some are missing, those of their content types.
    """
    opened = [(row, intent) for intent, row in ledger.intended("create") if row]
    if not opened:
        return {}, 0
    rows = ledger.items.all().values()
    known = {row.story_record.story_id for row in rows if row.story_record}
    before = reader.singly
    found = await reader.find_by_uid(
        {story_uid(namespace, row.key): row.key for row, _ in opened},
        (row for row in listed if row.story_id not in known),
        {row.full_slug for row, _ in opened},
        {str(_around(intent).get(_TYPE)) for _, intent in opened},
    )
    ids = (row.story_id for row in found.values())
    stories = await together(map(reader.client.find_story, ids))
    read = {key: each for key, each in zip(found, stories, strict=True) if each}
    return read, len(found) + reader.singly - before


async def _read_updated(
    client: DestinationClient, ledger: Ledger, snapshot: Snapshot
) -> Mapping[ItemKey, Story | None]:
    """Return the stories that a killed run was updating and that are not as the ledger
    has them, by item; None for one that is gone. Costs a call for each."""
    looking = {
        row.key: record.story_id
        for _, row in ledger.intended("update")
        if row is not None
        and (record := row.own_story) is not None
        and (seen := snapshot.listed.get(record.story_id)) is not None
        and not is_as_left(seen, last_write(ledger, row))
    }
    stories = await together(map(client.find_story, looking.values()))
    return dict(zip(looking, stories, strict=True))


def record_created(
    ledger: Ledger,
    found: Mapping[ItemKey, Story],
    migration: Migration,
    context: DraftContext,
) -> None:
    """Write what became of the creates of a killed import. See `settle_creates`;
    `context` has the files that they were sent with."""

    def sent(key: ItemKey) -> JsonObject | None:
        story = migration.story(key, context) if key in migration.items else None
        if story is None or isinstance(story, str):
            return None
        return wanted_fields(story, story.content)

    settle_creates(ledger, found, sent, migration.origin_hash)


def settle_creates(
    ledger: Ledger,
    found: Mapping[ItemKey, Story],
    sent: Sent,
    origin_hash: Callable[[ItemKey], str],
) -> None:
    """Write what became of each create that a killed run intended.

    `found` are the stories that are there; any other was not created. Done before the
    ledger has new places: an item's row has the place that the request was for.
    """
    for intent, row in ledger.intended("create"):
        story = found.get(row.key) if row is not None else None
        if row is None or story is None:
            ledger.intents.settle("create", intent.subject, "absent")
            continue
        fields, record = _sent(intent, story, sent(row.key)), intent.body.get("record")
        last = found_write(story, str(record or ""), fields)
        origin = origin_hash(row.key)
        ledger.items.placed(row.key, last.record, origin, "create", last.written)


def settle_updates(
    ledger: Ledger,
    found: Mapping[ItemKey, Story | None],
    migration: Migration,
) -> None:
    """Write what became of each update that a killed run intended, where the story in
    `found` holds some of what was wanted; the intents of others stay open.

    Where it holds anything else, no change date is taken as ours, so that the next
    write looks at it first.
    """
    for intent, row in ledger.intended("update"):
        story = found.get(row.key) if row is not None else None
        if row is None or story is None:
            continue
        before = last_write(ledger, row)
        last = after_update(before, story, intent)
        if last is before or story.row.group_id != before.record.group_id:
            continue
        edited = edited_fields(story, last)
        record = replace(
            last.record,
            full_slug=story.row.full_slug.strip("/"),
            updated_at="" if edited else story.row.updated_at,
            kept_edits=False,
            slugs=slugs_text(story),
        )
        ledger.items.written(
            row.key,
            record,
            row.link_state,
            migration.origin_hash(row.key) or row.origin_hash,
            last.written,
            # The visitors' version is written apart and is not older for this one.
            still_public=row.key in migration.public,
        )


def _sent(intent: Intent, story: Story, fields: JsonObject | None) -> JsonObject | None:
    """Return the fields that a killed run had sent, as far as that is known."""
    hashed = intent.request_hash
    if fields is None or content_hash(content_of(fields)) != hashed:
        fields = fields_held(story, None)
    if content_hash(content_of(fields)) != hashed:
        return None
    content = {name: fields[name] for name in fields if name.startswith(CONTENT)}
    return (_around(intent) or fields) | content


def _around(intent: Intent) -> JsonObject:
    around = intent.body.get("around")
    return around if isinstance(around, dict) else {}
