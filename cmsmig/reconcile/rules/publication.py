"""Whether visitors see a story: one field on three sides. Pure.

The base is how our last publication left it, ours is what the origin and the decisions
ask for. What we alone would take from visitors waits for a decision.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial

from cmsmig.destination.typed_records import Story
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision, Side
from cmsmig.reconcile.diff import FieldRules, Sides, diff
from cmsmig.reconcile.field_diff import FieldDiff, Outcome, seen_of
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.rules.story_fields import PUBLISHED, There

NOT_LIVE = "is no longer live at the origin: unpublish it, or leave it online"
NOT_ASKED = (
    "is published, and the decisions no longer ask for it: unpublish it, or leave it "
    "online"
)
DECIDE_PUBLISHED = (
    "choose in notebook 04, or under `edits` in decisions/conflicts.yaml (field "
    "`published`)"
)
WITHHELD = (
    "waits: an editor has unpublished changes, which a publication would show to "
    "visitors too; publish it with them, or leave it until the editor has published"
)


class Showing(StrEnum):
    """What visitors see of a story, and why they see nothing."""

    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    """Nothing: an editor unpublished it."""
    WAITING = "waiting"
    """Nothing yet: an editor works on it, and a publication would show that too."""
    DUE = "due"
    """Nothing yet: it is to be published."""
    HELD = "held"
    """Nothing by decision, although its item is live."""
    DRAFT = "draft"
    """Nothing, as at the origin."""


def showing_of(
    record: StoryRecord | None, *, is_public: bool, asked: bool, is_live: bool
) -> Showing:
    """Return what visitors see of a story; None for one that is not made yet.

    Each number of published stories, in plans, reports and notebooks, counts this.
    """
    if is_public:
        return Showing.PUBLISHED
    if asked and record is not None and record.left_public:
        return Showing.WITHDRAWN
    if asked:
        is_edited = record is not None and record.unpublished_edits
        return Showing.WAITING if is_edited else Showing.DUE
    return Showing.HELD if is_live else Showing.DRAFT


def hides_edits(there: There, record: StoryRecord) -> bool:
    """Return whether visitors may lack an edit of a story, as it was before our next
    write: what we wrote and did not publish hides none."""
    row = there.row if isinstance(there, Story) else there
    if row.published and not row.unpublished_changes:
        return False
    return row.updated_at != record.updated_at or record.unpublished_edits


def publication_diff(
    record: StoryRecord,
    decided: ConflictsDecision,
    *,
    is_public: bool,
    asked: bool,
    is_live: bool,
) -> FieldDiff | None:
    """Return the field; None where all sides have it alike.

    `asked` is whether the story is to be published, `is_live` whether its item is live
    at the origin.
    """
    base, ours, theirs = (
        {PUBLISHED: each} for each in (record.left_public, asked, is_public)
    )
    ref = Ref(Kind.STORY, record.full_slug)
    rules = FieldRules(waits=lambda name: not asked)
    decide = partial(decided.side, ConflictKind.STORY, ref.key)
    found = diff(ref, Sides(base, ours, theirs, rules), decide).fields.get(PUBLISHED)
    if found is None or asked or not (record.left_public and is_public):
        return found
    return replace(found, why=NOT_ASKED if is_live else NOT_LIVE)


def withheld_diff(
    record: StoryRecord, decided: ConflictsDecision, *, is_public: bool
) -> FieldDiff | None:
    """Return the field of a story whose publication waits for what an editor has not
    published; None where that was decided."""
    ref, seen = Ref(Kind.STORY, record.full_slug), seen_of(is_public)
    if decided.side(ConflictKind.STORY, ref.key, PUBLISHED, seen) is Side.THEIRS:
        return None
    return FieldDiff(
        ref,
        PUBLISHED,
        record.left_public,
        True,
        is_public,
        Outcome.CONFLICT,
        seen,
        WITHHELD,
    )
