"""Stories compared by field: what was last written, what stands there, what would be
written. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from cmsmig.canonical import Json, JsonObject, canonical
from cmsmig.destination.schema import Story
from cmsmig.ledger.rows import StoryRecord, WrittenStory
from cmsmig.mapping.compare.content_equality import comparable, same
from cmsmig.mapping.convert.story import translations_of
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
    Side,
)
from cmsmig.mapping.draft import Place, StoryDraft
from cmsmig.reconcile.diff import (
    Merged,
    merge_alone,
    merge_fields,
    take_sides,
    value_of,
)
from cmsmig.reconcile.field_diff import ABSENT, FieldDiff, Outcome, Value
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.steps.plan.edits.edit_conflicts import seen_in_story, story_side
from cmsmig.steps.plan.edits.translation_fields import (
    is_translation,
    is_translation_id,
    translated_moves,
    translation_fields,
    translations_in,
    translations_there,
)
from cmsmig.steps.plan.edits.written_stories import (
    content_hash,
    is_hash_of,
    record_hash,
)

CONTENT: Final = "content."
"""What the names of content fields begin with."""
UNKNOWN: Final = "\x00unknown"
"""Stands for what we wrote where nobody knows it: no service holds such a value."""
START: Final = "start page"
"""Whether a story is the start page of its folder."""
TAGS: Final = "tags"
_DATES = ("first_published_at", "sort_by_date")
_KEPT_AS_THEY_ARE = frozenset(("position",))
"""Fields that never make a conflict, nor a write alone: one more item moves all
after it."""
_MOVES = frozenset(("slug",))
"""Fields whose change moves a page that visitors may know: only by decision."""


@dataclass(frozen=True, slots=True)
class StoryMerge:
    """What becomes of a story that is wanted otherwise than it was last written."""

    values: JsonObject
    """Every field as it is to stand there."""
    sent: JsonObject
    """Every field as it counts as written by us from then on."""
    written: frozenset[str]
    """Fields that get our value. Nothing is sent without any."""
    kept: frozenset[str]
    """Fields that keep what somebody made of them."""
    agreed: frozenset[str]
    """Fields that somebody, or a write whose reply was lost, changed to our value."""
    undecided: tuple[FieldDiff, ...]
    """Fields that keep it until somebody decides."""

    @property
    def keeps_edits(self) -> bool:
        """Return whether the story holds values of other people afterwards."""
        return bool(self.kept - _KEPT_AS_THEY_ARE)

    @property
    def content(self) -> JsonObject:
        """Return the whole content that is to stand there."""
        return content_of(self.values)


def wanted_fields(draft: StoryDraft, content: JsonObject) -> JsonObject:
    """Return a draft with that content as fields; what is empty has none."""
    around: dict[str, Json] = {
        "name": draft.name,
        "slug": draft.place.slug,
        "folder": draft.place.folder,
        "position": draft.place.position,
        "first_published_at": draft.first_published_at,
        "sort_by_date": draft.sort_by_date,
    }
    optional = ("position", *_DATES)
    found: JsonObject = {
        name: value for name, value in around.items() if value or name not in optional
    }
    if draft.place.start:
        found[START] = True
    if draft.place.tags:
        found[TAGS] = [*draft.place.tags]
    found |= translation_fields(translations_of(draft.place, draft.names).values())
    return found | {f"{CONTENT}{name}": value for name, value in content.items()}


def content_of(fields: Mapping[str, Json]) -> JsonObject:
    """Return the content that fields hold."""
    return {
        name.removeprefix(CONTENT): value
        for name, value in fields.items()
        if name.startswith(CONTENT)
    }


def written_story(fields: JsonObject, answer: Story) -> WrittenStory:
    """Return what was written, after the destination's answer."""
    return WrittenStory(fields, around_content(answer))


def around_content(story: Story) -> JsonObject:
    """Return the fields around a story's content as the destination shows them."""
    body = story.body
    return {
        "name": story.row.name,
        "slug": story.row.slug,
        "folder": story.row.parent_id,
        "position": body.get("position"),
        **{name: body.get(name) for name in _DATES},
        **translations_there(story),
        TAGS: [*tags_there(story)] or None,
        START: story.row.is_startpage or None,
    }


def dates_of(around: JsonObject) -> JsonObject:
    """Return those of the fields around a content that are dates."""
    return {name: around.get(name) for name in _DATES}


def with_dates(written: WrittenStory | None, story: Story) -> WrittenStory | None:
    """Return what was written with the dates that publication may have set."""
    if written is None:
        return None
    dates = dates_of(around_content(story))
    return replace(written, stood={**written.stood, **dates})


def fields_there(story: Story, written: WrittenStory | None) -> JsonObject:
    """Return the fields of a story as it stands.

    Around the content the service has forms of its own: what is as it was after our
    last write counts as what we wrote.
    """
    found: JsonObject = {}
    for name, value in around_content(story).items():
        if written is not None and written.stood.get(name) == value:
            if name in written.sent:
                found[name] = written.sent[name]
        elif is_translation_id(name) or name == TAGS:
            continue
        elif name == "folder":
            found[name] = _folder_of(story)
        elif value not in (None, ""):
            found[name] = value
    if written is not None and TAGS in written.sent:
        # Tags of other people are nobody's difference.
        there = tags_there(story)
        found[TAGS] = [each for each in tags_of(written.sent) if each in there]
    content = {f"{CONTENT}{name}": value for name, value in story.content.items()}
    return found | content


def _folder_of(story: Story) -> str:
    """Return the path of the folder that a story stands in; a start page's is its
    own."""
    path = story.row.full_slug.strip("/")
    return path if story.row.is_startpage else path.rpartition("/")[0]


def without_foreign(
    theirs: JsonObject, ours: JsonObject, written: WrittenStory | None
) -> JsonObject:
    """Return the fields of a story without what only somebody else gave it: another
    language's name and slug, or being a start page, where an import sends none."""
    sent = written.sent if written else {}
    return {
        name: value
        for name, value in theirs.items()
        if name in ours or name in sent or not (name == START or is_translation(name))
    }


def record_of(fields: JsonObject, story: Story) -> str:
    """Return the fingerprint that a write of these fields would have, had it the
    content that stands there."""
    folder, slug = (str(fields.get(name, "")) for name in ("folder", "slug"))
    start = fields.get(START) is True
    place = Place(folder, slug, 0, tags=tags_of(fields), start=start)
    published, day = (str(fields.get(name, "")) for name in _DATES)
    content = content_hash(story.content)
    translations = translations_in(fields)
    name = str(fields.get("name", ""))
    return record_hash(name, place, (published, day), content, translations)


def is_same_field(one: JsonObject, other: JsonObject, field: str) -> bool:
    """Return whether a field is the same on two sides; absent is the same as empty."""
    return same(one.get(field), other.get(field))


def holds_written(
    home: StoryRecord, written: WrittenStory | None, content: JsonObject
) -> bool:
    """Return whether content is what we last wrote, as far as anybody kept that."""
    if written is None:
        return is_hash_of(home.content_hash, content)
    return same(content_of(written.sent), content)


def merge_story(
    home: StoryRecord,
    written: WrittenStory | None,
    ours: JsonObject,
    there: Story,
    decided: ConflictsDecision,
) -> StoryMerge:
    """Return what becomes of a story that somebody may have changed since our write.

    Where nobody knows what we wrote, each field that differs is a conflict.
    """
    theirs = without_foreign(fields_there(there, written), ours, written)
    if written is not None:
        base: JsonObject = written.sent
    elif is_hash_of(home.content_hash, there.content):
        base = theirs
    else:
        base = dict.fromkeys([*ours, *theirs], UNKNOWN)
    merged = _merge(home.full_slug, base, ours, theirs, decided)
    return _with_tags(merged, written, ours, tags_there(there))


def merge_untouched(
    home: StoryRecord,
    written: WrittenStory | None,
    ours: JsonObject,
    slug: str,
    decided: ConflictsDecision,
) -> StoryMerge:
    """Return what becomes of a story that is as we last wrote it, at that slug."""
    if written is not None:
        merged = _merge(home.full_slug, written.sent, ours, written.sent, decided)
        return _with_tags(merged, written, ours, tags_of(written.stood))
    unmoved: JsonObject = {**ours, "slug": slug}
    merged = _merge(home.full_slug, unmoved, ours, unmoved, decided)
    # What we wrote is not known: all of it is written again.
    return replace(merged, written=merged.written | {"content"})


def _merge(
    what: str,
    base: JsonObject,
    ours: JsonObject,
    theirs: JsonObject,
    decided: ConflictsDecision,
) -> StoryMerge:
    # Tags are merged one by one, and never wait.
    moved = _moved_fields(base, ours, theirs) - {TAGS}
    if theirs is base:
        compared = merge_alone(moved)
    else:
        compared = merge_fields(
            _compared(base, moved), _compared(ours, moved), _compared(theirs, moved)
        )
    compared = _leave_position(_hold_moves(compared, base))

    def side(field: str) -> Side | None:
        return story_side(decided, what, field, value_of(theirs, field))

    merged = _no_write_for_position(take_sides(compared, ours, side))
    left = merged.kept | merged.conflicts
    undecided = tuple(
        FieldDiff(
            ref=Ref(Kind.STORY, what),
            field=field,
            base=_known(value_of(base, field)),
            ours=value_of(ours, field),
            theirs=value_of(theirs, field),
            outcome=Outcome.CONFLICT,
            seen=seen_in_story(value_of(theirs, field)),
        )
        for field in sorted(merged.conflicts)
    )
    return StoryMerge(
        values=_choose(ours, theirs, left),
        sent=merged.next_base(base, ours),
        written=merged.written,
        kept=merged.kept,
        agreed=merged.agreed,
        undecided=undecided,
    )


def _with_tags(
    merge: StoryMerge,
    written: WrittenStory | None,
    ours: JsonObject,
    there: Sequence[str],
) -> StoryMerge:
    """Return the merge with what our tags make of those that are there: what we had
    sent and do not want any more is taken away, what is new is added."""
    before, wanted = tags_of(written.sent) if written else (), tags_of(ours)
    kept = [each for each in there if each in wanted or each not in before]
    found = sorted({*kept, *(each for each in wanted if each not in before)})
    sent = {name: value for name, value in merge.sent.items() if name != TAGS}
    if wanted:
        sent[TAGS] = [*wanted]
    if found == sorted(there):
        return replace(merge, sent=sent)
    return replace(
        merge,
        sent=sent,
        values={**merge.values, TAGS: [*found]},
        written=merge.written | {TAGS},
    )


def tags_of(fields: JsonObject) -> tuple[str, ...]:
    """Return the tags that fields hold."""
    held = fields.get(TAGS)
    return tuple(map(str, held)) if isinstance(held, list) else ()


def tags_there(story: Story) -> list[str]:
    """Return the tags that a story has, whoever gave them, in order."""
    listed = story.body.get("tag_list")
    return sorted(map(str, listed)) if isinstance(listed, list) else []


def _known(base: Value) -> Value:
    return ABSENT if base == UNKNOWN else base


def _moved_fields(
    base: JsonObject, ours: JsonObject, theirs: JsonObject
) -> frozenset[str]:
    """Return the fields that are not the same to the letter on all three sides: most
    of a story is, and needs no closer look."""
    texts = {name: canonical(value) for name, value in base.items()}
    same: Set[str] = texts.keys()
    for side in (ours, theirs):
        if side is not base:
            same = {
                name
                for name in same & side.keys()
                if texts[name] == canonical(side[name])
            }
    return frozenset((base.keys() | ours.keys() | theirs.keys()) - same)


def _compared(fields: JsonObject, moved: Set[str]) -> JsonObject:
    """Return the moved fields without what the service itself may write otherwise."""
    compared = comparable({name: fields[name] for name in fields.keys() & moved})
    return compared if isinstance(compared, dict) else {}


def _hold_moves(merged: Merged, base: JsonObject) -> Merged:
    """Return the merge with pages where they are, until somebody decides."""
    # A language that the story did not have yet moves no page.
    moves = merged.written & (_MOVES | translated_moves(base))
    return replace(
        merged, written=merged.written - moves, conflicts=merged.conflicts | moves
    )


def _leave_position(merged: Merged) -> Merged:
    left = merged.conflicts & _KEPT_AS_THEY_ARE
    return replace(merged, kept=merged.kept | left, conflicts=merged.conflicts - left)


def _no_write_for_position(merged: Merged) -> Merged:
    """Return the merge without a write that only a position would need."""
    if merged.written - _KEPT_AS_THEY_ARE:
        return merged
    return replace(merged, written=frozenset(), kept=merged.kept | merged.written)


def _choose(ours: JsonObject, theirs: JsonObject, left: frozenset[str]) -> JsonObject:
    """Return our value of each field but those that are left to them."""
    chosen = {name: value for name, value in ours.items() if name not in left}
    return chosen | {name: value for name, value in theirs.items() if name in left}
