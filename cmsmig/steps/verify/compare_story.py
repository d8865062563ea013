"""A story that was read back, compared by field with what is wanted of it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.schema import Story
from cmsmig.ledger.rows import WrittenStory
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.diff import Sides
from cmsmig.reconcile.field_diff import FieldDiff, Outcome, json_of, shown_value
from cmsmig.reconcile.resource import compare
from cmsmig.reconcile.rules.story import LastWrite, is_content, story_resource
from cmsmig.reconcile.rules.story_fields import CONTENT, fields_held, wanted_fields
from cmsmig.reconcile.rules.story_hashes import content_hash, record_hash
from cmsmig.steps.verify.differences import Difference, DifferenceCode

_CODES: Final = {
    "name": DifferenceCode.STORY_NAME,
    "slug": DifferenceCode.STORY_ELSEWHERE,
    "folder": DifferenceCode.STORY_ELSEWHERE,
}


def is_as_wanted(story: Story, written: WrittenStory | None, record: str) -> bool:
    """Return whether a story holds just what the fingerprint `record` of all that is
    wanted of it says: then no field needs a look of its own."""
    held = fields_held(story, written)
    return record_hash(held, content_hash(story.content)) == record


def story_differences(
    wanted: StoryDraft,
    content: JsonObject,
    last: LastWrite,
    story: Story,
    decided: ConflictsDecision,
) -> Iterator[Difference]:
    """Yield the fields of a story that hold something else than is wanted.

    `content` is the draft's with its links filled. A field whose edit was decided to
    stay is none of them.
    """
    ours = wanted_fields(wanted, content)
    diff = compare(story_resource(last, story, ours), decided).diff
    lists = {f"{CONTENT}{use.field}" for use in wanted.draft.relations if use.multiple}
    rules = diff.sides.rules
    for each in diff.of(Outcome.WRITE, Outcome.KEEP, Outcome.CONFLICT):
        field = each.field
        if rules.rides(field) or rules.leaves(field):
            # What the destination or only an editor gives values to.
            continue
        if last.written is None and field not in _CODES and not is_content(field):
            # What the service made of our dates is not known.
            continue
        code = _CODES.get(field, DifferenceCode.FIELD_VALUE)
        if field in lists and _same_members(json_of(each.ours), json_of(each.theirs)):
            code = DifferenceCode.RELATION_ORDER
        where = field.removeprefix(CONTENT)
        text = (
            f"The field `{where}` of `{each.what}` holds {shown_value(each.theirs)}; "
            f"wanted is {shown_value(each.ours)}: {_cause(each, last, diff.sides)}."
        )
        yield Difference(code, str(wanted.key), where, text)


def _cause(found: FieldDiff, last: LastWrite, sides: Sides) -> str:
    """Return who changed a field, and what to do about it."""
    name = found.field
    decide = (
        f"decide `theirs` or `ours` for `{name}` under `edits` in "
        "decisions/conflicts.yaml"
    )
    if last.written is None:
        return f"what was last written is not known; {decide}"
    if found.outcome is Outcome.WRITE:
        return "it changed at the origin or in the decisions; run `cmsmig import`"
    if sides.is_alike(name, sides.base, sides.theirs):
        return f"its slug changed at the origin, which would move its page; {decide}"
    if found.outcome is Outcome.KEEP:
        return f"it was edited at the destination; {decide}"
    return f"it changed on both sides; {decide}"


def _same_members(wanted: Json, there: Json) -> bool:
    return (
        isinstance(wanted, list)
        and isinstance(there, list)
        and Counter(map(str, wanted)) == Counter(map(str, there))
    )
