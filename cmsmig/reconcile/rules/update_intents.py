"""What a killed run intended to write into a story, recognised by field. Pure."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story
from cmsmig.ledger.rows import Intent, WrittenStory
from cmsmig.reconcile.diff import FieldRules, Fields, Sides, TextOf
from cmsmig.reconcile.rules.story import LastWrite, written_story
from cmsmig.reconcile.rules.story_fields import (
    GROUP,
    TAGS,
    around_content,
    fields_held,
    fields_there,
)
from cmsmig.reconcile.rules.story_hashes import (
    UNDECIDED,
    content_hash,
    field_text,
    record_hash,
    text_print,
)


def update_intent(
    subject: str, record: str, last: LastWrite, sent: Fields, text: TextOf
) -> Intent:
    """Return the intent to update a story: what is wanted has the fingerprint `record`.
    It names the value of each field that is to change."""
    prints: JsonObject = {}
    if last.written is not None:
        rules = FieldRules(text=text)
        # Of tags and groups, no value is only ours.
        moved = {*Sides(last.sent, sent, {}, rules).moved(sent)} - {TAGS, GROUP}
        prints = {name: _print_of(sent, name, text) for name in sorted(moved)}
    return Intent("update", subject, record, prints)


def after_update(last: LastWrite, story: Story, intent: Intent) -> LastWrite:
    """Return the last write of a story: the one that a killed run intended, as far as
    the story holds its fields. The others were edited since, or kept an edit."""
    held, content = fields_held(story, last.written), content_hash(story.content)
    if record_hash(held, content) == intent.request_hash:
        written = written_story(held, story)
        record = intent.request_hash
    else:
        theirs, around = fields_there(story, last.written), around_content(story)
        found = {n for n in intent.body if _print_of(theirs, n) == intent.body[n]}
        if not found:
            return last
        written = WrittenStory(
            _with_fields(last.sent, theirs, found),
            _with_fields(last.answered, around, found & around.keys()),
        )
        record = UNDECIDED
    own = replace(last.record, record_hash=record)
    return replace(last, record=own, written=written)


def _print_of(fields: Fields, name: str, text: TextOf = field_text) -> str:
    return text_print(text(name, fields.get(name)))


def _with_fields(before: JsonObject, after: JsonObject, names: Set[str]) -> JsonObject:
    """Return fields with those of the names as they are afterwards."""
    kept = {name: before[name] for name in before.keys() - names}
    return kept | {name: after[name] for name in names & after.keys()}
