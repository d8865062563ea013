"""The stories that we wrote, and whether the destination still holds them unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from enum import Enum

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import (
    WHOLE,
    ConflictKind,
    ConflictsDecision,
    Side,
)
from cmsmig.mapping.draft import path_in_language
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edited_fields,
    edits_without_reading,
    found_later,
    is_as_written,
)
from cmsmig.reconcile.rules.story_fields import (
    PUBLISHED,
    There,
    row_of,
    slugs_text,
)
from cmsmig.steps.decide.migration import Migration


def last_write(ledger: Ledger, row: ItemRow) -> LastWrite:
    """Return our last write of an item's story, which it has. Reads only."""
    assert row.story_record is not None
    written = ledger.items.last_written(row.story_record.story_id)
    return LastWrite(row.story_record, written)


def language_paths(
    migration: Migration, ledger: Ledger, keys: Iterable[ItemKey]
) -> Iterator[tuple[ItemKey, str]]:
    """Yield the paths of items' pages in other languages, as they were seen last in
    the space."""
    rows = ledger.items.all()
    for key in keys:
        item, row = migration.items.get(key), rows.get(key)
        record = row.story_record if row else None
        if item is None or record is None or not item.languages:
            continue
        slugs = record.language_slugs
        for each in item.languages:
            if slug := slugs.get(each.code):
                yield each.key, path_in_language(record.full_slug, each.code, slug)


def override_requested(
    decided: ConflictsDecision, ledger: Ledger, item: ItemRow, row: StoryRow | None
) -> bool:
    """Return whether it was decided that a story that was edited gets ours again."""
    story_record = item.story_record
    if not decided.edits or row is None or story_record is None:
        return False
    asked = any(
        each.kind is ConflictKind.STORY
        and each.take is Side.OURS
        and each.what in (WHOLE, story_record.full_slug)
        for each in decided.edits
    )
    return asked and edits_without_reading(row, last_write(ledger, item)) != ()


def record_after_write(there: There, content: str, record: str = "") -> StoryRecord:
    """Return the story record after our own write, of a story that was read or listed.

    `content` is the hash of the content, `record` that of all that was asked for.
    """
    row = row_of(there)
    return StoryRecord(
        story_id=row.story_id,
        uuid=row.uuid,
        full_slug=row.full_slug.strip("/"),
        made=True,
        content_hash=content,
        updated_at=row.updated_at,
        group_id=row.group_id,
        record_hash=record,
        slugs=slugs_text(there) if isinstance(there, Story) else "",
    )


def found_write(
    story: Story, content: str, record: str, sent: JsonObject | None
) -> LastWrite:
    """Return the write of ours that made a story and whose answer is lost. `sent` are
    the fields that it sent, None where they are not known.

    Where an editor changed it since, no change date is taken as ours, so that the
    next write looks at it first.
    """
    written = None if sent is None else found_later(sent, story)
    last = LastWrite(record_after_write(story, content, record), written)
    if written is None or edited_fields(story, last):
        return replace(last, record=replace(last.record, updated_at=""))
    return last


def is_saved_since(
    row: ItemRow, there: StoryRow | None, *, is_shown_apart: bool
) -> bool:
    """Return whether an editor saved a story that is to be published since it was last
    written or compared: whose work it holds is not known.

    A published one is to be published again where visitors have an older version, and
    are not to be `is_shown_apart` another one than editors.
    """
    story_record = row.story_record
    if story_record is None or there is None:
        return False
    if row.published and (is_shown_apart or not _shows_older(story_record)):
        return False
    return there.updated_at != story_record.updated_at


def hidden_since(
    rows: Iterable[ItemRow],
    listed: Iterable[StoryRow],
    *,
    publishing: Set[str],
    showing: Set[str],
) -> frozenset[int]:
    """Return the stories that a killed run published, as far as that can be known, and
    that an editor took from visitors since.

    Of the items `publishing` it had sent the publication: whether that arrived is not
    seen in a story that is not public, so a person decides. The version of the items
    `showing` arrived if the story has another change date than our last write.
    """
    if not publishing | showing:
        return frozenset()
    there = {row.story_id: row for row in listed if not row.published}
    return frozenset(
        row.story_record.story_id
        for row in rows
        if row.story_record is not None
        and (found := there.get(row.story_record.story_id)) is not None
        and (
            (subject := str(row.key)) in publishing
            or (subject in showing and found.updated_at != row.story_record.updated_at)
        )
    )


class Due(Enum):
    """Whether a story is to be published now."""

    NO = "no"
    YES = "yes"
    WITHHELD = "withheld"
    """It would show visitors what an editor saved and did not publish."""


def to_publish(
    wanted: Set[ItemKey],
    rows: Iterable[ItemRow],
    listed: Iterable[StoryRow],
    decided: ConflictsDecision,
    public: Mapping[ItemKey, str],
) -> tuple[ItemRow, ...]:
    """Return the rows of what is wanted and not published yet.

    `public` are the fingerprints of the public versions of items whose editors see
    another one. A story that an editor unpublished after us stays unpublished, and one
    with an editor's changes is not shown to visitors, unless a decision allows it.
    """
    found = find_due(wanted, rows, listed, decided, public)
    return tuple(row for row, due in found if due is Due.YES)


def find_due(
    wanted: Set[ItemKey],
    rows: Iterable[ItemRow],
    listed: Iterable[StoryRow],
    decided: ConflictsDecision,
    public: Mapping[ItemKey, str],
) -> Iterator[tuple[ItemRow, Due]]:
    """Yield each row of a story that we made and want to be published, and whether it
    is to be published now. See `to_publish`."""
    there = {row.story_id: row for row in listed}
    for row, record in _publishable(wanted, rows):
        found = there.get(record.story_id)
        yield row, _due(row, record, found, decided, public.get(row.key))


def already_public(
    wanted: Set[ItemKey], rows: Iterable[ItemRow], listed: Iterable[StoryRow]
) -> tuple[tuple[ItemRow, StoryRecord, StoryRow], ...]:
    """Return what an editor published before us, as we wrote it: the item's row, its
    story record, and the story as it was listed."""
    there = {row.story_id: row for row in listed}
    return tuple(
        (row, story_record, found)
        for row, story_record in _publishable(wanted, rows)
        if (found := there.get(story_record.story_id))
        and _shows_ours(row, story_record, found)
    )


def _publishable(
    wanted: Set[ItemKey], rows: Iterable[ItemRow]
) -> Iterator[tuple[ItemRow, StoryRecord]]:
    for row in rows:
        if (
            row.key not in wanted
            or row.story_record is None
            or not row.story_record.made
        ):
            continue
        if row.status == "created" or row.reason == "not_published":
            yield row, row.story_record


def _shows_ours(row: ItemRow, story_record: StoryRecord, there: StoryRow) -> bool:
    """Return whether visitors see what we wrote last, though we did not publish it.

    A row that was listed before our last write has another date.
    """
    is_whole = there.published and not there.unpublished_changes
    return not row.published and is_whole and is_as_written(there, story_record)


def _due(
    row: ItemRow,
    story_record: StoryRecord,
    there: StoryRow | None,
    decided: ConflictsDecision,
    public: str | None,
) -> Due:
    if public is None and there is not None and _shows_ours(row, story_record, there):
        return Due.NO
    is_public = there is None or there.published
    asked = is_ours_public(story_record, decided, is_public=is_public)
    if story_record.left_public and not is_public:
        return Due.YES if asked else Due.NO
    if story_record.public_record == public:
        return Due.NO
    if public is None and row.published:
        # Visitors were given another version before than what editors see, and are to
        # be given just that now.
        is_newer = _shows_older(story_record) and _is_behind(there)
        if not is_newer and not (asked and _is_behind(there)):
            return Due.NO
    if asked or not story_record.unpublished_edits:
        return Due.YES
    is_shown = there is not None and there.published and not there.unpublished_changes
    return Due.NO if is_shown else Due.WITHHELD


def _shows_older(story_record: StoryRecord) -> bool:
    return story_record.public_record not in ("", story_record.record_hash)


def _is_behind(there: StoryRow | None) -> bool:
    return there is not None and there.unpublished_changes


def is_ours_public(
    story_record: StoryRecord, decided: ConflictsDecision, *, is_public: bool
) -> bool:
    """Return whether it was decided that a story is public, or not, as we want it."""
    seen = seen_of(is_public)
    side = decided.side(ConflictKind.STORY, story_record.full_slug, PUBLISHED, seen)
    return side is Side.OURS


def to_unpublish(
    unwanted: Set[ItemKey],
    rows: Iterable[ItemRow],
    listed: Iterable[StoryRow],
    decided: ConflictsDecision,
) -> tuple[ItemRow, ...]:
    """Return the rows of what is public and is not to be, where that was decided."""
    public = {row.story_id for row in listed if row.published}
    return tuple(
        row
        for row in rows
        if row.key in unwanted
        and row.story_record is not None
        and row.story_record.made
        and row.story_record.story_id in public
        and is_ours_public(row.story_record, decided, is_public=True)
    )
