"""Stories that a killed run created: known by the `_uid` of their root block, wherever
an editor moved them since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from cmsmig.canonical import JsonObject
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import Intent, WrittenStory
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.rules.story import (
    CONTENT,
    content_of,
    fields_there,
    found_later,
    wanted_fields,
)
from cmsmig.reconcile.rules.story_hashes import is_hash_of
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.edits.written_stories import found_home
from cmsmig.steps.worker_pool import together

_TYPE = f"{CONTENT}component"
_AT_ONCE = 50

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


async def find_created(
    client: DestinationClient,
    namespace: str,
    ledger: Ledger,
    listed: Iterable[StoryRow],
) -> tuple[Mapping[ItemKey, Story], int]:
    """Return the stories of items whose create a killed run intended, and how many
    calls that took. Reads only.

    First the story at the item's path is read; while some are missing, then those of
    their content types that this ledger does not know, the newest first.
    """
    items = {str(key): row for key, row in ledger.items.all().items()}
    intents = ledger.intents.open("create")
    wanted = {
        story_uid(namespace, items[each.subject].key): each
        for each in intents
        if each.subject in items
    }
    found: dict[ItemKey, Story] = {}
    reads = 0
    for rows in _candidates(ledger, [*wanted.values()], [*listed]):
        if len(found) == len(wanted):
            break
        reads += len(rows)
        stories = await together(_read(client, row) for row in rows)
        for story in filter(None, stories):
            intent = wanted.get(str(story.content.get("_uid")))
            if intent is not None:
                found.setdefault(items[intent.subject].key, story)
    return found, reads


def _candidates(
    ledger: Ledger, intents: list[Intent], listed: list[StoryRow]
) -> Iterator[list[StoryRow]]:
    """Yield the stories that may be the intended ones, in parts."""
    if not intents:
        return
    rows = ledger.items.all()
    subjects = {each.subject for each in intents}
    known = {row.home.story_id for row in rows.values() if row.home}
    paths = {row.full_slug for key, row in rows.items() if str(key) in subjects}
    unknown = [row for row in listed if not row.is_folder and row.story_id not in known]
    yield [row for row in unknown if row.full_slug in paths]
    types = {_around(each).get(_TYPE) for each in intents}
    elsewhere = [
        row
        for row in unknown
        if row.full_slug not in paths
        and (not row.content_type or None in types or row.content_type in types)
    ]
    elsewhere.sort(key=lambda row: -row.story_id)
    for at in range(0, len(elsewhere), _AT_ONCE):
        yield elsewhere[at : at + _AT_ONCE]


async def _read(client: DestinationClient, row: StoryRow) -> Story | None:
    # A list may still show what is in the trash.
    with suppress(NotFoundError):
        return await client.story(row.story_id)
    return None


def take_up_created(
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
    keys = {str(key): key for key in ledger.items.all()}
    for intent in ledger.intents.open("create"):
        key = keys.get(intent.subject)
        story = found.get(key) if key is not None else None
        if key is None or story is None:
            ledger.intents.settle("create", intent.subject, "absent")
            continue
        written = _written(intent, story, sent(key))
        record = str(intent.body.get("record", ""))
        home = found_home(story, intent.request_hash, record, written)
        ledger.items.housed(key, home, origin_hash(key), "create", written)


def _written(
    intent: Intent, story: Story, fields: JsonObject | None
) -> WrittenStory | None:
    """Return what a killed run had sent, as far as that is known."""
    hashed = intent.request_hash
    if fields is None or not is_hash_of(hashed, content_of(fields)):
        fields = fields_there(story, None)
    if not is_hash_of(hashed, content_of(fields)):
        return None
    content = {name: fields[name] for name in fields if name.startswith(CONTENT)}
    return found_later((_around(intent) or fields) | content, story)


def _around(intent: Intent) -> JsonObject:
    around = intent.body.get("around")
    return around if isinstance(around, dict) else {}
