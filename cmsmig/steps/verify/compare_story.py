"""A story that was read back, compared by field with what is wanted of it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.schema import Story
from cmsmig.ledger.rows import StoryRecord, WrittenStory
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.conflicts import ConflictsDecision, Side
from cmsmig.reconcile.diff import value_of
from cmsmig.reconcile.field_diff import shown_value
from cmsmig.reconcile.rules.story import (
    CONTENT,
    fields_there,
    is_same_field,
    record_of,
    wanted_fields,
    without_foreign,
)
from cmsmig.steps.plan.edits.edit_conflicts import story_side
from cmsmig.steps.verify.differences import Difference, DifferenceCode

_NOT_COMPARED = ("position",)
"""What the destination gives its own values to."""
_CODES = {
    "name": DifferenceCode.STORY_NAME,
    "slug": DifferenceCode.STORY_ELSEWHERE,
    "folder": DifferenceCode.STORY_ELSEWHERE,
}


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A story as it was last written, and as it was read back."""

    home: StoryRecord
    written: WrittenStory | None
    story: Story


def is_as_wanted(story: Story, written: WrittenStory | None, record: str) -> bool:
    """Return whether a story holds just what the fingerprint `record` of all that is
    wanted of it tells: then no field needs a look of its own."""
    return record_of(fields_there(story, written), story) == record


def story_differences(
    drafted: StoryDraft,
    content: JsonObject,
    read: ReadBack,
    decided: ConflictsDecision,
) -> Iterator[Difference]:
    """Yield the fields of a story that hold something else than is wanted.

    `content` is the drafted one with its links filled. A field whose edit was decided
    to stay is none of them.
    """
    ours = wanted_fields(drafted, content)
    theirs = fields_there(read.story, read.written)
    theirs = without_foreign(theirs, ours, read.written)
    lists = {f"{CONTENT}{use.field}" for use in drafted.draft.relations if use.multiple}
    for field in sorted(ours.keys() | theirs.keys()):
        if field in _NOT_COMPARED or is_same_field(ours, theirs, field):
            continue
        if read.written is None and field not in _CODES and not _is_content(field):
            # What the service made of our dates is not known.
            continue
        there, what = value_of(theirs, field), read.home.full_slug
        if story_side(decided, what, field, there) is Side.THEIRS:
            continue
        code = _CODES.get(field, DifferenceCode.FIELD_VALUE)
        if field in lists and _same_members(ours.get(field), theirs.get(field)):
            code = DifferenceCode.RELATION_ORDER
        where = field.removeprefix(CONTENT)
        text = _sentence(read, ours, field)
        yield Difference(code, str(drafted.key), where, text)


def _sentence(read: ReadBack, ours: JsonObject, field: str) -> str:
    where = field.removeprefix(CONTENT)
    there = value_of(fields_there(read.story, read.written), field)
    held = (
        f"The field `{where}` of `{read.home.full_slug}` holds {shown_value(there)}; "
        f"wanted is {shown_value(value_of(ours, field))}"
    )
    return f"{held}: {_cause(read, ours, field)}."


def _cause(read: ReadBack, ours: JsonObject, field: str) -> str:
    """Return who changed a field, and what to do about it."""
    decide = (
        f"decide `theirs` or `ours` for `{field}` under `edits` in "
        "decisions/conflicts.yaml"
    )
    if read.written is None:
        return f"what was last written is not known; {decide}"
    sent = read.written.sent
    there = fields_there(read.story, read.written)
    edited = not is_same_field(sent, there, field)
    if not edited and field == "slug":
        return f"its slug changed at the origin, which would move its page; {decide}"
    if not edited:
        return "it changed at the origin or in the decisions; run `cmsmig import`"
    if is_same_field(sent, ours, field):
        return f"it was edited at the destination; {decide}"
    return f"it changed on both sides; {decide}"


def _is_content(field: str) -> bool:
    return field.startswith(CONTENT)


def _same_members(wanted: Json, there: Json) -> bool:
    return (
        isinstance(wanted, list)
        and isinstance(there, list)
        and Counter(map(str, wanted)) == Counter(map(str, there))
    )
