"""Whether visitors see a story: one field on three sides. Pure.

The base is how our last publication left it, ours is what the origin and the decisions
ask for. What we alone would take from visitors waits for a decision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import partial

from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.decisions.conflicts import ConflictKind, ConflictsDecision, Side
from cmsmig.reconcile.diff import FieldRules, Sides, diff
from cmsmig.reconcile.field_diff import FieldDiff, Outcome, seen_of
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.rules.story import is_as_written
from cmsmig.reconcile.rules.story_fields import PUBLISHED, There

NOT_LIVE = "is no longer live at the origin: unpublish it, or leave it as it is"
NOT_ASKED = (
    "is published, and the decisions no longer ask for it: unpublish it, or leave it "
    "as it is"
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


class Due(Enum):
    """Whether a story is to be published now."""

    NO = "no"
    YES = "yes"
    SHOWN = "shown"
    """An editor published it before us, as we wrote it."""
    WITHHELD = "withheld"
    """It would show visitors what an editor saved and did not publish."""


@dataclass(frozen=True, slots=True)
class PublicState:
    """Whether visitors see a story that we made, and what an import does about it."""

    row: ItemRow
    record: StoryRecord
    there: StoryRow | None
    """As it is listed; None for one that was made after the list."""
    due: Due
    field: FieldDiff | None
    """The field on three sides; None where all of them have it alike."""

    @property
    def waits(self) -> bool:
        """Return whether a decision is asked for."""
        return self.field is not None and self.field.outcome is Outcome.CONFLICT

    @property
    def is_withheld(self) -> bool:
        """Return whether that is about an editor's unpublished changes."""
        return self.due is Due.WITHHELD and self.waits

    @property
    def is_hidden(self) -> bool:
        """Return whether it is taken from visitors, by decision."""
        found = self.field
        return found is not None and found.outcome is Outcome.WRITE and not found.ours


def public_state(
    row: ItemRow,
    record: StoryRecord,
    there: StoryRow | None,
    decided: ConflictsDecision,
    *,
    asked: bool,
    is_live: bool,
    public: str | None,
) -> PublicState:
    """Return whether visitors see a story of ours, and what follows.

    `public` is the fingerprint of what visitors are to see where editors see something
    else. A story that an editor unpublished after us stays unpublished, and one with an
    editor's changes is not shown to visitors, unless a decision allows it.
    """
    is_written = row.status == "created" or row.reason == "not_published"
    due = Due.NO
    if asked and is_written:
        due = _due(row, record, there, decided, public)
    found = None
    if due is Due.WITHHELD:
        found = _withheld_diff(record, decided, there)
    if found is None and there is not None:
        sides = {"is_public": there.published, "asked": asked, "is_live": is_live}
        found = publication_diff(record, decided, **sides)
    return PublicState(row, record, there, due, found)


def decided_public(
    record: StoryRecord, decided: ConflictsDecision, *, is_public: bool
) -> Side | None:
    """Return what was decided about whether visitors see a story."""
    seen = seen_of(is_public)
    return decided.side(ConflictKind.STORY, record.full_slug, PUBLISHED, seen)


def _withheld_diff(
    record: StoryRecord, decided: ConflictsDecision, there: StoryRow | None
) -> FieldDiff | None:
    """Return the field of a story whose publication waits for what an editor has not
    published; None where that was decided."""
    is_public = there is None or there.published
    if decided_public(record, decided, is_public=is_public) is Side.THEIRS:
        return None
    ref, before, seen = Ref(Kind.STORY, record.full_slug), record.left_public, is_public
    asked = Outcome.CONFLICT, seen_of(seen), WITHHELD
    return FieldDiff(ref, PUBLISHED, before, True, seen, *asked)


def _due(
    row: ItemRow,
    record: StoryRecord,
    there: StoryRow | None,
    decided: ConflictsDecision,
    public: str | None,
) -> Due:
    is_whole = there is not None and there.published and not there.unpublished_changes
    # One that was listed before our last write has another date.
    is_ours = is_whole and there is not None and is_as_written(there, record)
    if public is None and is_ours and not row.published:
        return Due.SHOWN
    is_public = there is None or there.published
    asked = decided_public(record, decided, is_public=is_public) is Side.OURS
    if record.left_public and not is_public:
        return Due.YES if asked else Due.NO
    if record.public_record == public:
        return Due.NO
    if public is None and row.published:
        # Visitors were given another version before than what editors see, and are to
        # be given just that now.
        is_behind = there is not None and there.unpublished_changes
        if not is_behind or not (record.shows_older or asked):
            return Due.NO
    if asked or not record.unpublished_edits:
        return Due.YES
    return Due.NO if is_whole else Due.WITHHELD
