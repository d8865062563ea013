"""Two versions of one story: what visitors see is written and published, then what
editors see is written over it as unpublished changes.

Each story is read right before, and what it holds is put back above what visitors get.
The intent holds both versions, so that a run that is killed in between loses neither:
the next one puts back what editors had before it does anything else. An edit between
that read and the second write is missed (docs/ledger.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.ledger.rows import Intent, ItemRow, StoryRecord
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.reconcile.rules.publication import decided_public
from cmsmig.reconcile.rules.story import edited_fields, is_content, with_publication
from cmsmig.reconcile.rules.story_fields import content_of, slugs_text, translated_moves
from cmsmig.reconcile.rules.story_hashes import content_hash
from cmsmig.steps.plan.publication.public_versions import PublicVersions
from cmsmig.steps.plan.publication.version_pair import (
    SHOW,
    Version,
    VersionPair,
    published_at,
)
from cmsmig.steps.plan.recorded_stories import last_write
from cmsmig.steps.write.idempotent_write import ATTEMPTS
from cmsmig.steps.write.import_job import ImportJob

_FAILED_HERE = frozenset(("not_published", "refused", "not_confirmed"))
"""Why an item failed while its versions were written."""


async def show_versions(job: ImportJob, versions: PublicVersions, row: ItemRow) -> str:
    """Write both versions and save what came of it; return why not, or nothing.

    Raises what the client raises. The intent stays open where the story may hold what
    visitors are to see as what editors see.
    """
    assert row.story_record is not None
    story_record, fields = row.story_record, versions.fields(row.key)
    if isinstance(fields, str):
        return fields
    there = await job.client.story(story_record.story_id)
    last = last_write(job.ledger, row)
    edited = edited_fields(there, last)
    if not _may_show(job, story_record, there, edited, last.sent):
        return (
            f"An editor changed the story `{story_record.full_slug}`, so what visitors "
            "see at the origin was not published. To publish it and keep the edit "
            "above it as unpublished changes, choose ours for its field `published` in "
            "notebook 04, or under `edits` in decisions/conflicts.yaml; then run "
            "`cmsmig publish` again."
        )
    languages = {each.code for each in job.migration.items[row.key].languages}
    public = Version.of_fields(fields, there, languages, last.sent)
    pair = VersionPair(public, Version.of_story(there), published_at(there))
    record = versions.records[row.key]
    job.ledger.intents.write([pair.intent(str(row.key), record)])
    write = _Write(job, story_record, pair)
    try:
        shown = await write.send(pair.public, there, publish=True)
    except RejectedError:
        # Nothing was written: there is nothing to put back.
        job.ledger.intents.settle(SHOW, str(row.key), "refused")
        raise
    # A language that visitors are not to see has another id after it.
    story = await write.send(pair.editors, shown, publish=False)
    written = with_publication(last.written, story)
    is_edited = edited_fields(story, replace(last, written=written))
    after = replace(
        story_record,
        # The next write reads a story first that an editor changed, also after it was
        # read here: neither version holds tags, and what only editors fill.
        updated_at="" if is_edited else story.row.updated_at,
        left_public=True,
        public_record=record,
        slugs=slugs_text(story),
    )
    job.ledger.items.recovered(row.key)
    job.ledger.items.published(row.key, after, story.row.updated_at, written)
    return ""


async def put_back_versions(job: ImportJob) -> None:
    """Put back what editors had in stories where a killed run wrote only what visitors
    see.

    What an editor edited there since stays. A story that cannot be written is in the
    ledger with the reason.
    """
    newer: list[StoryRow] = []
    for intent, row in job.ledger.intended(SHOW):
        story_record = row.current_record if row is not None else None
        there = (
            await job.client.find_story(story_record.story_id)
            if story_record is not None
            else None
        )
        if row is None or story_record is None or there is None:
            job.ledger.intents.settle(SHOW, intent.subject, "absent")
            continue
        try:
            newer.append(await _put_back(job, row, story_record, there, intent))
        except NotFoundError:
            # It was deleted since it was read.
            job.ledger.intents.settle(SHOW, intent.subject, "absent")
        except RejectedError as error:
            job.ledger.items.failed(row.key, "refused", str(error), SHOW)
        except (OutcomeUnknownError, MalformedAnswerError) as error:
            job.ledger.items.failed(row.key, "not_confirmed", str(error))
    if newer:
        job.snapshot = job.snapshot.with_rows(newer)


async def _put_back(
    job: ImportJob,
    row: ItemRow,
    story_record: StoryRecord,
    there: Story,
    intent: Intent,
) -> StoryRow:
    pair = VersionPair.of_intent(intent)
    version, is_shown = pair.put_back(there), pair.is_shown(there)
    if version is not None:
        there = await _Write(job, story_record, pair).send(
            version, there, publish=False
        )
    after = replace(story_record, slugs=slugs_text(there))
    last = last_write(job.ledger, row)
    if story_record.story_id in job.snapshot.hidden:
        after = replace(after, left_public=True)
    if is_shown:
        after = replace(after, left_public=True, public_record=intent.request_hash)
    written = with_publication(last.written, there)
    if not edited_fields(there, replace(last, written=written)):
        after = replace(after, updated_at=there.row.updated_at)
    if is_shown and row.reason in _FAILED_HERE:
        job.ledger.items.recovered(row.key)
    at = there.row.updated_at if is_shown else row.published
    job.ledger.items.published(row.key, after, at, written)
    return there.row


def _may_show(
    job: ImportJob,
    story_record: StoryRecord,
    there: Story,
    edited: Sequence[str],
    sent: JsonObject,
) -> bool:
    """Return whether visitors may get another version below the story's content: that
    is ours, or that was decided."""
    moved = translated_moves(edited) & sent.keys()
    shown = (*filter(is_content, edited), *moved)
    if story_record.kept_edits or not shown:
        return True
    decided, is_public = job.migration.decisions.conflicts, there.row.published
    return decided_public(story_record, decided, is_public=is_public) is Side.OURS


@dataclass(frozen=True, slots=True)
class _Write:
    """Writes one version; after a lost reply it looks before it sends again."""

    job: ImportJob
    story_record: StoryRecord
    pair: VersionPair

    async def send(self, version: Version, there: Story, *, publish: bool) -> Story:
        own, client = self.story_record.story_id, self.job.client
        versions = self.pair.public, self.pair.editors
        known = {content_hash(content_of(each.fields)) for each in versions}
        known.add(content_hash(there.content))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await client.update_story(
                    own, version.body(there), publish=publish
                )
            except (OutcomeUnknownError, MalformedAnswerError):
                seen = await client.story(own)
                if _is_applied(seen, version, publish=publish):
                    return seen
                if attempt == ATTEMPTS or content_hash(seen.content) not in known:
                    raise
        raise AssertionError("the last attempt returns or raises")


def _is_applied(seen: Story, version: Version, *, publish: bool) -> bool:
    is_shown = seen.row.published and not seen.row.unpublished_changes
    return not version.unlike(Version.of_story(seen)) and (is_shown or not publish)
