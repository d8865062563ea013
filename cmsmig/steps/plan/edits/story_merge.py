"""Stories compared by field: what was last written, what stands there, what would be
written. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject, canonical
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.ledger.rows import StoryRecord, WrittenStory
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
    Side,
)
from cmsmig.reconcile.diff import (
    Merged,
    merge_alone,
    merge_fields,
    take_sides,
    value_of,
)
from cmsmig.reconcile.field_diff import ABSENT, FieldDiff, Outcome, Value
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.rules.story import (
    POSITION,
    START,
    TAGS,
    UNKNOWN,
    content_of,
    fields_there,
    folder_of,
    tags_of,
    tags_there,
    without_foreign,
)
from cmsmig.reconcile.rules.story_hashes import is_hash_of
from cmsmig.reconcile.rules.story_translations import translated_moves
from cmsmig.steps.plan.edits.edit_conflicts import (
    seen_in_story,
    story_side,
)

_KEPT_AS_THEY_ARE = frozenset((POSITION,))
"""Fields that never make a conflict, nor a write alone: one more item moves all
after it."""
_PLACE = ("slug", "folder", START)
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
    is_ours = _takes_our_tags(home, theirs, decided)
    return _with_tags(merged, written, ours, tags_there(there), is_ours=is_ours)


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
        is_ours = _takes_our_tags(home, written.sent, decided)
        there = tags_of(written.stood)
        return _with_tags(merged, written, ours, there, is_ours=is_ours)
    unmoved: JsonObject = {**ours, "slug": slug}
    merged = _merge(home.full_slug, unmoved, ours, unmoved, decided)
    # What we wrote is not known: all of it is written again.
    return replace(merged, written=merged.written | {"content"})


def merge_place(
    home: StoryRecord,
    written: WrittenStory | None,
    ours: JsonObject,
    row: StoryRow,
    decided: ConflictsDecision,
) -> JsonObject:
    """Return the slug, the folder and whether it is a start page that a story is to
    have, told by what a list shows of it."""
    there = {"slug": row.slug, "folder": folder_of(row), **_start(row)}
    if written is None:
        return _merge(home.full_slug, there, ours, there, decided).values
    base = {name: written.sent[name] for name in _PLACE if name in written.sent}
    shown: JsonObject = {"slug": row.slug, "folder": row.parent_id, **_start(row)}
    # What is as it was after our last write counts as what we wrote.
    theirs = {
        name: base[name]
        if name in base and shown[name] == written.stood.get(name)
        else there[name]
        for name in there
    }
    return _merge(home.full_slug, base, ours, theirs, decided).values


def _start(row: StoryRow) -> JsonObject:
    return {START: True} if row.is_startpage else {}


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


def _takes_our_tags(
    home: StoryRecord, theirs: JsonObject, decided: ConflictsDecision
) -> bool:
    there = value_of(theirs, TAGS)
    return story_side(decided, home.full_slug, TAGS, there) is Side.OURS


def _with_tags(
    merge: StoryMerge,
    written: WrittenStory | None,
    ours: JsonObject,
    there: Sequence[str],
    *,
    is_ours: bool,
) -> StoryMerge:
    """Return the merge with what our tags make of those that are there: what we had
    sent and do not want any more is taken away, what is new is added. One of ours that
    an editor took away is added again where that was decided (`is_ours`)."""
    before, wanted = tags_of(written.sent) if written else (), tags_of(ours)
    kept = [each for each in there if each in wanted or each not in before]
    found = sorted({*kept, *(each for each in wanted if is_ours or each not in before)})
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
