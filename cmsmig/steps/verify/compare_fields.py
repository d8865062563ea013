"""Stories, and the objects that they need, compared by field with what is wanted. Reads
nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.typed_records import Story
from cmsmig.ledger.rows import WrittenStory
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.diff import Diff, Sides
from cmsmig.reconcile.field_diff import ABSENT, DECIDE, FieldDiff, Outcome, json_of
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.labels import Labels
from cmsmig.reconcile.resource import Owner, compare
from cmsmig.reconcile.rules.folder import NAME
from cmsmig.reconcile.rules.story import LastWrite, is_content, story_resource
from cmsmig.reconcile.rules.story_fields import CONTENT, fields_held, wanted_fields
from cmsmig.reconcile.rules.story_hashes import content_hash, record_hash
from cmsmig.reconcile.value_changes import change_lines
from cmsmig.steps.plan.drafts.offline_drafts import draft_offline
from cmsmig.steps.plan.gone.gone_at_origin import (
    REMOVALS,
    gone_items,
    gone_sentence_of,
)
from cmsmig.steps.plan.gone.missing_objects import REMEDY
from cmsmig.steps.plan.resources import SCHEMA, AnyComparison
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification
from cmsmig.steps.write.import_job import ImportJob

_CODES: Final = {
    "name": DifferenceCode.STORY_NAME,
    "slug": DifferenceCode.STORY_ELSEWHERE,
    "folder": DifferenceCode.STORY_ELSEWHERE,
}


def is_as_wanted(
    story: Story, written: WrittenStory | None, record: str, content: str = ""
) -> bool:
    """Return whether a story holds just what the fingerprint `record` of all that is
    wanted of it says: then no field needs a look of its own. `content` is the hash of
    its content, where that is known."""
    held = fields_held(story, written)
    return record_hash(held, content or content_hash(story.content)) == record


def story_differences(
    wanted: StoryDraft,
    content: JsonObject,
    last: LastWrite,
    story: Story,
    decided: ConflictsDecision,
    labels: Labels,
) -> Iterator[Difference]:
    """Yield the fields of a story that hold something else than is wanted.

    `content` is the draft's with its links filled. A field whose edit was decided to
    stay is none of them; an edit that stays since ours did not change is kept.
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
        is_kept = each.outcome is Outcome.KEEP and last.written is not None
        text = f"{_in_words(each, labels)}: {_cause(each, last, diff.sides)}."
        yield Difference(code, str(wanted.key), where, text, is_kept)


def _in_words(found: FieldDiff, labels: Labels) -> str:
    """Return the change from what is wanted to what is in the space."""
    lines = change_lines(labels, found.ref, found.field, found.ours, found.theirs)
    return f"{'; '.join(lines)} (wanted -> in the space)"


def _cause(found: FieldDiff, last: LastWrite, sides: Sides) -> str:
    """Return who changed a field, and what to do about it."""
    if last.written is None:
        return f"what was last written is not known; {DECIDE}"
    if found.outcome is Outcome.WRITE:
        return "it changed at the origin or in the decisions; run `cmsmig import`"
    if sides.is_alike(found.field, sides.base, sides.theirs):
        if found.ours is ABSENT:
            return f"its page is gone at the origin, and stays in the space; {DECIDE}"
        return f"its slug changed at the origin, which would move its page; {DECIDE}"
    if found.outcome is Outcome.KEEP:
        return "it was edited in the space, and stays"
    return f"it changed on both sides; {DECIDE}"


def _same_members(wanted: Json, there: Json) -> bool:
    return (
        isinstance(wanted, list)
        and isinstance(there, list)
        and Counter(map(str, wanted)) == Counter(map(str, there))
    )


_GONE = {
    Kind.COMPONENT: DifferenceCode.COMPONENT_GONE,
    Kind.DATASOURCE: DifferenceCode.DATASOURCE_GONE,
}
_NOT_MADE = {
    Kind.COMPONENT: DifferenceCode.COMPONENT_NOT_MADE,
    Kind.DATASOURCE: DifferenceCode.DATASOURCE_NOT_MADE,
}
_CHANGED = {
    Kind.COMPONENT: DifferenceCode.COMPONENT_CHANGED,
    Kind.DATASOURCE: DifferenceCode.DATASOURCE_CHANGED,
    Kind.FOLDER: DifferenceCode.FOLDER_CHANGED,
    Kind.ASSET: DifferenceCode.ASSET_TEXT,
}
_MISFIT = {
    Kind.COMPONENT: "It is not as designed.",
    Kind.DATASOURCE: "It lacks entries of the design.",
}
_OTHERWISE = (Outcome.WRITE, Outcome.KEEP, Outcome.CONFLICT, Outcome.HOLD)
"""Outcomes of fields that are not as designed; what was accepted is no difference."""


def compare_objects(job: ImportJob, found: Verification) -> None:
    """Add what differs of components, datasources, folders and the texts of files."""
    resources = job.resources()
    if any(_is_edited(each) for each in resources.compared):
        # Whether stories lose a field that an editor removed, only drafts show.
        used = draft_offline(job.migration, job.ledger).used
        resources = replace(resources, used=used)
    for each in resources.compared:
        found.components += each.ref.kind is Kind.COMPONENT
        found.note(_differences(each, found.labels))
    for file in resources.assets():
        found.note(_differing_fields(file.diff, found.labels))


def _is_edited(compared: AnyComparison) -> bool:
    is_component = compared.ref.kind is Kind.COMPONENT
    return is_component and bool(compared.diff.of(Outcome.KEEP))


def _differences(compared: AnyComparison, labels: Labels) -> Iterator[Difference]:
    kind, what = compared.ref
    is_ours = compared.owner is Owner.LEFT and compared.is_decided
    if kind not in SCHEMA:
        # What is gone is listed by its record.
        yield from _differing_fields(compared.diff, labels)
    elif compared.owner is Owner.MISSING and compared.resource.recorded is None:
        text = "It is not made yet; run `cmsmig import`."
        yield Difference(_NOT_MADE[kind], what, "", text)
    elif compared.owner is Owner.MISSING:
        yield Difference(_GONE[kind], what, "", f"It is not in the space; {REMEDY}.")
    elif compared.owner is Owner.OURS:
        yield from _differing_fields(compared.diff, labels)
    elif not compared.fits and not is_ours:
        yield Difference(_CHANGED[kind], what, "", _MISFIT[kind])


def _differing_fields(diff: Diff, labels: Labels) -> Iterator[Difference]:
    """Yield the fields that are not as they are to be: edits that stay, and of each
    other what mends it."""
    for each in diff.of(*_OTHERWISE):
        is_kept = each.outcome is Outcome.KEEP
        advice = "it was edited in the space, and stays" if is_kept else DECIDE
        if each.outcome is Outcome.WRITE:
            advice = "run `cmsmig import`"
        text = f"{_in_words(each, labels)}; {advice}."
        yield Difference(_code(each), each.what, each.field, text, is_kept)


def _code(field: FieldDiff) -> DifferenceCode:
    is_name = field.ref.kind is Kind.FOLDER and field.field == NAME
    return DifferenceCode.FOLDER_NAME if is_name else _CHANGED[field.ref.kind]


def pending_removals(job: ImportJob) -> Iterator[Difference]:
    """Yield the stories that exist against a decision.

    Reads only, and asks nothing: one that was edited is reported by its last change.
    """
    rows = job.ledger.items.all()
    found = gone_items(job.migration, job.ledger, job.snapshot, {})
    for key, gone in found.items():
        if gone.state in REMOVALS or gone.is_pending:
            text = gone_sentence_of(replace(rows[key], gone=gone))
            if gone.state in REMOVALS:
                text += " Run `cmsmig import`."
            yield Difference(DifferenceCode.GONE_AT_ORIGIN, str(key), "", text)
