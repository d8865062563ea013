"""Two versions of one story: what visitors see is written and published, then what
editors see is written over it as unpublished changes.

A run that is killed in between leaves what visitors see as the draft: the open intent
names it, so that the next run takes it for ours and writes both again. What somebody
else made of a story is put back as it stood. What remains is the time from the list of
a batch to its last write; docs/ledger.md says how long that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.errors import MalformedAnswerError, OutcomeUnknownError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import Intent, ItemRow, StoryRecord, WrittenStory
from cmsmig.mapping.draft import ExistingStory
from cmsmig.steps.plan.linked_drafts import DraftLinks
from cmsmig.steps.plan.publication.public_versions import SHOW, public_fields
from cmsmig.steps.plan.recreate import REMEDY
from cmsmig.steps.plan.story_fields import around_content, content_of, dates_of
from cmsmig.steps.plan.written_stories import content_hash, is_as_written
from cmsmig.steps.write.idempotent_write import ATTEMPTS
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.update_story import CurrentRows

_HELD = "held"
"""The key of an intent's body under which the hashes of our contents stand."""
_DATES = ("first_published_at", "sort_by_date")


@dataclass(frozen=True, slots=True)
class Showing:
    """A story whose two versions are to be written."""

    row: ItemRow
    home: StoryRecord
    links: DraftLinks
    """Of what visitors are to see."""
    held: frozenset[str]
    """Hashes of the contents that are ours, wherever a run was killed."""
    is_open: bool
    """Whether a run was killed while it wrote them."""


def find_showings(
    job: ImportJob, rows: Mapping[ItemKey, ItemRow], links: Mapping[ItemKey, DraftLinks]
) -> dict[ItemKey, Showing]:
    """Return the stories among `rows` that get two versions."""
    found: dict[ItemKey, Showing] = {}
    open_ = {each.subject: each for each in job.ledger.intents.open(SHOW)}
    for key, row in rows.items():
        if row.home is None or key not in links:
            continue
        intent = open_.get(str(key))
        before = _hashes(intent.body.get(_HELD)) if intent is not None else set()
        ours = {row.home.content_hash, links[key].linked_hash}
        held = frozenset(before | ours)
        is_open = intent is not None
        found[key] = Showing(row, row.home, links[key], held, is_open)
    return found


def showing_intent(showing: Showing) -> Intent:
    """Return the intent to write both versions."""
    body: JsonObject = {_HELD: [*sorted(showing.held)]}
    return Intent(SHOW, str(showing.row.key), showing.links.record_hash, body)


async def show_versions(
    job: ImportJob,
    current: CurrentRows,
    homes: Mapping[ItemKey, ExistingStory],
    showing: Showing,
) -> str:
    """Write both versions and save what came of it; return why not, or nothing.

    Raises what the client raises; the intent stays open then.
    """
    home, key = showing.home, showing.row.key
    fields = public_fields(job.migration, key, job.context, homes)
    if isinstance(fields, str):
        return fields
    there = await current.row(home.story_id)
    if there is None:
        return f"The story `{home.full_slug}` was deleted meanwhile; {REMEDY}."
    last = job.ledger.items.last_written(home.story_id)
    over = await _standing(job, showing, there, last)
    if over is None:
        return (
            f"Somebody edited `{home.full_slug}` while its two versions were written; "
            "decide `ours` for its field `published` under `edits` in "
            "decisions/conflicts.yaml to show what visitors see at the origin and keep "
            "the edit above it, then run `cmsmig publish` again."
        )
    put = _Put(job, home, showing.held)
    await put.send(_body(there, fields), publish=True)
    story = await put.send(_body(there, over), publish=False)
    _save(job, showing, last, story, is_ours=last is not None and over is last.sent)
    return ""


async def _standing(
    job: ImportJob, showing: Showing, there: StoryRow, last: WrittenStory | None
) -> JsonObject | None:
    """Return the fields that editors are to see above; None where an edit that nobody
    has decided about came in between."""
    home = showing.home
    if last is not None and is_as_written(there, home):
        return last.sent
    story = await job.client.story(home.story_id)
    stands = content_hash(story.content)
    if last is not None and stands in showing.held and showing.is_open:
        return last.sent
    # A name that somebody changed is an edit, too: it is put back as it stands.
    if stands == home.content_hash or home.kept_edits:
        return _fields_of(story)
    return None


def _fields_of(story: Story) -> JsonObject:
    content = {f"content.{name}": value for name, value in story.content.items()}
    return {"name": story.row.name, **content}


def _body(there: StoryRow, fields: JsonObject) -> JsonObject:
    """Return the record to send: at the place where the story stands."""
    body: JsonObject = {"name": fields["name"], "slug": there.slug}
    if there.parent_id:
        body["parent_id"] = there.parent_id
    body.update({name: fields[name] for name in _DATES if fields.get(name)})
    body["content"] = content_of(fields)
    return body


@dataclass(frozen=True, slots=True)
class _Put:
    """Writes one version; after a lost reply it looks before it sends again."""

    job: ImportJob
    home: StoryRecord
    held: Set[str]

    async def send(self, body: JsonObject, *, publish: bool) -> Story:
        own, client = self.home.story_id, self.job.client
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await client.update_story(own, body, publish=publish)
            except (OutcomeUnknownError, MalformedAnswerError):
                seen = await client.story(own)
                if _is_applied(seen, body, publish=publish):
                    return seen
                if attempt == ATTEMPTS or content_hash(seen.content) not in self.held:
                    raise
        raise AssertionError("the last attempt returns or raises")


def _is_applied(seen: Story, body: JsonObject, *, publish: bool) -> bool:
    content = body["content"]
    same = isinstance(content, dict) and (
        content_hash(seen.content) == content_hash(content)
    )
    is_shown = seen.row.published and not seen.row.unpublished_changes
    return same and (is_shown or not publish)


def _save(
    job: ImportJob,
    showing: Showing,
    last: WrittenStory | None,
    story: Story,
    *,
    is_ours: bool,
) -> None:
    home = replace(
        showing.home,
        # Of what somebody edited, the next write looks at it first.
        updated_at=story.row.updated_at if is_ours else "",
        left_public=True,
        public_record=showing.links.record_hash,
    )
    written = last
    if last is not None:
        dates = dates_of(around_content(story))
        written = replace(last, stood={**last.stood, **dates})
    key = showing.row.key
    job.ledger.items.recovered(key)
    job.ledger.items.published(key, home, story.row.updated_at, written)


def _hashes(value: Json) -> set[str]:
    return set(map(str, value)) if isinstance(value, list) else set()
