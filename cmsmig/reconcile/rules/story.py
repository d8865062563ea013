"""Stories. Each of their fields is compared, also those that only editors fill.

Around the content the service has forms of its own: what is as it was after our last
write counts as what we wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.ledger.rows import MadeRow, StoryRecord, WrittenStory
from cmsmig.mapping.compare.content_equality import comparable, same
from cmsmig.mapping.dates import parse_moment
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision
from cmsmig.reconcile.diff import Diff, FieldRules, Sides, TextOf, diff
from cmsmig.reconcile.field_diff import UNKNOWN, Outcome, Value, json_of, seen_of
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Comparison, Resource, Rules, compare
from cmsmig.reconcile.rules.story_fields import (
    CONTENT,
    DATES,
    FIRST_PUBLISHED,
    GROUP,
    NAMES,
    POSITION,
    SLUG_IN,
    START,
    TAGS,
    There,
    around_content,
    content_of,
    fields_there,
    folder_of,
    is_date_of_publication,
    is_same_field,
    is_translation,
    is_translation_id,
    optional_to_send,
    row_of,
    slug_of_name,
    translated_moves,
    translations_to_send,
)
from cmsmig.reconcile.rules.story_hashes import field_text

StoryComparison: TypeAlias = Comparison[JsonObject, There]
_ALL_CONTENT = "content"
_LEFT = (Outcome.KEEP, Outcome.ACCEPT, Outcome.CONFLICT, Outcome.HOLD)


BY_VALUE: Final = FieldRules(text=field_text)
"""Values are alike as a person sees them: what is absent is empty."""


@dataclass(frozen=True, slots=True)
class LastWrite:
    """What the ledger has of our last write of a story."""

    record: StoryRecord
    written: WrittenStory | None
    """None where it is not known: all of the story may be an editor's."""

    @property
    def sent(self) -> JsonObject:
        """Return the fields as they were sent; empty where that is not known."""
        return self.written.sent if self.written else {}

    @property
    def answered(self) -> JsonObject:
        """Return the fields around the content as the destination answered then."""
        return self.written.server_values if self.written else {}


@dataclass(frozen=True, slots=True)
class StoryRules(Rules[JsonObject, There]):
    """The rules of one story; what is wanted of it are its fields."""

    last: LastWrite
    text: TextOf = field_text
    """What counts of the fields' values."""

    def own(self, actual: There) -> tuple[int, str]:
        """Return its number and uuid."""
        row = row_of(actual)
        return row.story_id, row.uuid

    def sides(self, resource: Resource[JsonObject, There]) -> Sides:
        """Return its fields on three sides; where it is not known what we wrote, each
        that differs is a conflict."""
        actual, last, desired = resource.actual, self.last, resource.desired
        if actual is None:
            return Sides({**last.sent}, desired or {}, {}, BY_VALUE)
        theirs = fields_there(actual, last.written)
        known = last.sent.keys() | (desired or {}).keys()
        if isinstance(actual, Story) and last.written is not None:
            theirs = _without_publication(actual, theirs, last.sent, known)
        foreign = {name for name in theirs if _is_foreign(name) and name not in known}
        base: JsonObject = {**last.sent}
        if last.written is None:
            base = dict.fromkeys((theirs.keys() | known) - foreign, UNKNOWN)
        group = row_of(actual).group_id or last.record.group_id
        if group:
            theirs[GROUP] = group
        if last.record.group_id:
            base[GROUP] = last.record.group_id
        elif group and isinstance(actual, StoryRow):
            base[GROUP] = group
        kept = {GROUP: base[GROUP]} if GROUP in base else {}
        ours = base if desired is None else {**kept, **desired}
        moves = translated_moves(base) | {"slug"}
        rules = replace(
            BY_VALUE,
            text=self.text,
            yields=POSITION.__eq__,
            waits=moves.__contains__,
            rides=(POSITION, GROUP).__contains__,
            follows=slug_of_name,
            merges=TAGS.__eq__,
            leaves=(foreign | {GROUP}).__contains__,
            is_shown=partial(_is_unfinished, last, row_of(actual), theirs),
            seen=seen_in_story,
        )
        return Sides(base, ours, theirs, rules)

    def body(self, desired: JsonObject) -> JsonObject:
        """Return its fields."""
        return desired

    def edits(self, compared: StoryComparison) -> list[str]:
        """Return the edited fields, also those that no import fills."""
        if self.last.written is None:
            return [_ALL_CONTENT]
        sides = compared.diff.sides
        unowned = () if self.last.record.group_id else (GROUP,)
        return sorted({*sides.moved(sides.theirs)} - {POSITION, *unowned})

    def is_left(self, row: MadeRow, *, reused: bool) -> bool:
        """Return that none of ours is left as it is."""
        return False

    def calls(self, compared: StoryComparison) -> Mapping[str, int]:
        """Return the call that changes it."""
        return {"update_stories": 1}


def story_resource(
    last: LastWrite,
    actual: There | None,
    desired: JsonObject | None = None,
    text: TextOf = field_text,
) -> Resource[JsonObject, There]:
    """Return a story that an import wrote on three sides."""
    story_record = last.record
    ref = Ref(Kind.STORY, story_record.full_slug)
    own = (story_record.story_id, story_record.uuid)
    row = MadeRow(ref.kind, ref.key, *own, story_record.made, last.sent)
    return Resource(ref, desired, row, actual, StoryRules(last, text))


def is_as_written(row: StoryRow, record: StoryRecord) -> bool:
    """Return whether a story has the change date of our last write, and that kept no
    edit of its content."""
    return row.updated_at == record.updated_at and not record.kept_edits


def is_as_left(row: StoryRow, last: LastWrite) -> bool:
    """Return whether a list shows a story as our last write left it. A move may leave
    the change date as it is."""
    there: JsonObject = {"slug": row.slug, "folder": row.parent_id}
    return (
        last.written is not None
        and is_as_written(row, last.record)
        and row.uuid == last.record.uuid
        and all(there[name] == last.answered.get(name, there[name]) for name in there)
    )


def edits_without_reading(row: StoryRow, last: LastWrite) -> tuple[str, ...] | None:
    """Return the edited fields of a story as far as a list shows them, in order; None
    where the story has to be read for that."""
    return edited_fields(row, last) if is_as_left(row, last) else None


def edited_fields(there: There, last: LastWrite) -> tuple[str, ...]:
    """Return the fields of a story, in order, that hold something else than our last
    write left in them: names as decisions have them."""
    resource = story_resource(last, there)
    return tuple(compare(resource, ConflictsDecision()).edited)


def is_content(field: str) -> bool:
    """Return whether a field is one of the content, or all of it."""
    return field.startswith(CONTENT) or field == _ALL_CONTENT


def fields_after(diff: Diff) -> JsonObject:
    """Return the fields of a story after the write: ours, but for what stays."""
    left, sides = diff.names(*_LEFT), diff.sides
    ours = {**sides.ours, **diff.merged}
    found = {name: value for name, value in ours.items() if name not in left}
    kept = {name for name in left if not sides.rules.leaves(name)}
    return found | {name: sides.theirs[name] for name in kept & sides.theirs.keys()}


def slugs_after(
    last: LastWrite,
    ours: Mapping[str, str],
    theirs: Mapping[str, str],
    decided: ConflictsDecision,
) -> dict[str, str]:
    """Return the slugs of a story in other languages after the write, by the language's
    code; `theirs` are those that it has."""
    wanted, there = (
        {f"{SLUG_IN}{code}": slug for code, slug in each.items()}
        for each in (ours, theirs)
    )
    base = {name: last.sent[name] for name in translated_moves(last.sent)}
    rules = replace(BY_VALUE, waits=base.__contains__, seen=seen_in_story)
    ref = Ref(Kind.STORY, last.record.full_slug)
    decide = partial(decided.side, ConflictKind.STORY, ref.key)
    found = diff(ref, Sides(base, wanted, there, rules), decide).values
    return {name.removeprefix(SLUG_IN): str(slug) for name, slug in found.items()}


def story_to_send(
    last: LastWrite,
    compared: StoryComparison,
    folder_id: Callable[[str], int],
) -> JsonObject:
    """Return the record of an update. `folder_id` returns the number of a folder, and
    what it raises is raised."""
    diff, actual = compared.diff, compared.resource.actual
    assert actual is not None
    values, written = fields_after(diff), diff.written
    body: JsonObject = {"name": values["name"], "slug": values["slug"]}
    parent = row_of(actual).parent_id
    if "folder" in diff.names(*_LEFT):
        body["parent_id"] = parent
    elif (wanted := folder_id(str(values.get("folder", "")))) or parent:
        body["parent_id"] = wanted
    if GROUP in written and GROUP in values:
        body[GROUP] = values[GROUP]
    around = around_content(actual) if isinstance(actual, Story) else last.answered
    if sent := translations_to_send(values, written, around):
        body["translated_slugs_attributes"] = sent
    optional = optional_to_send(values, written)
    return {**body, **optional, "content": content_of(values)}


def written_after(
    last: LastWrite,
    compared: StoryComparison,
    answered: Story | None = None,
) -> WrittenStory:
    """Return what counts as written by us once an update was answered, or without one.

    A field that keeps an edit stays different from what we wrote.
    """
    actual, diff = compared.resource.actual, compared.diff
    sent = diff.base_after()
    sent.pop(GROUP, None)
    if answered is None and isinstance(actual, Story):
        answered = actual
    if answered is None:
        return WrittenStory(sent, {**last.answered})
    around = around_content(answered)
    edited = {each.field for each in diff.edits} | (diff.names(*_LEFT) & {POSITION})
    kept = {name: last.answered.get(name) for name in edited & around.keys()}
    return WrittenStory(sent, {**around, **kept})


def written_story(fields: JsonObject, answer: Story) -> WrittenStory:
    """Return what was written, after the destination's answer."""
    return WrittenStory(fields, around_content(answer))


def _without_publication(
    story: Story, theirs: JsonObject, sent: JsonObject, known: Set[str]
) -> JsonObject:
    """Return the fields of a story, the date that a publication set left out or taken
    for the one that was sent."""
    name = FIRST_PUBLISHED
    if not is_date_of_publication(story, sent) or (name in known and name not in sent):
        return theirs
    there = {each: value for each, value in theirs.items() if each != name}
    return {**there, name: sent[name]} if name in sent else there


def _is_foreign(name: str) -> bool:
    """Return whether a field that no import filled is only an editor's."""
    return name not in NAMES - {START} and not name.startswith(CONTENT)


def _is_unfinished(
    last: LastWrite, row: StoryRow, theirs: JsonObject, name: str
) -> bool:
    """Return whether a field is an editor's name or slug of a page in a language, which
    visitors do not have yet."""
    is_public = row.published and not row.unpublished_changes
    is_known = is_same_field(theirs, last.answered, name)
    return is_translation(name) and not is_public and not is_known


def seen_in_story(theirs: Value) -> str:
    """Return what names an edit: what is empty is `absent`."""
    return "absent" if comparable(json_of(theirs)) is None else seen_of(theirs)


def found_later(sent: JsonObject, story: Story) -> WrittenStory:
    """Return what was written of a story whose answer was never recorded: a field that
    holds something else than was sent is an edit, as is a page's name or slug in a
    language that was not sent."""
    found = around_content(story)
    there = {**found, "folder": folder_of(story.row)}
    around = {
        name: value
        for name, value in found.items()
        if name in sent or not is_translation(name)
    }
    for name in around.keys() & sent.keys():
        value, meant = there[name], sent[name]
        is_date = name in DATES and _is_same_date(value, meant)
        if name != TAGS and not is_date and not same(value, meant):
            around[name] = UNKNOWN
    return WrittenStory(sent, around)


def _is_same_date(one: Json, other: Json) -> bool:
    first = parse_moment(one)
    return first is not None and first == parse_moment(other)


def with_publication(written: WrittenStory | None, story: Story) -> WrittenStory | None:
    """Return what was written with what a publication of ours set: the date, and the
    ids of languages that were written again."""
    if written is None:
        return None
    around = around_content(story)
    renewed = {name for name in around if is_translation_id(name)}
    if is_date_of_publication(story, written.sent):
        renewed.add(FIRST_PUBLISHED)
    values = {name: around[name] for name in renewed}
    return replace(written, server_values={**written.server_values, **values})
