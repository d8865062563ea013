"""The stories that we wrote, and whether the destination still holds them unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace

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
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edited_fields,
    edits_without_reading,
    found_later,
)
from cmsmig.reconcile.rules.story_fields import (
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
    if row.published and (is_shown_apart or not story_record.shows_older):
        return False
    return there.updated_at != story_record.updated_at


def hidden_since(
    rows: Iterable[ItemRow],
    listed: Mapping[int, StoryRow],
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
    return frozenset(
        row.story_record.story_id
        for row in rows
        if row.story_record is not None
        and (found := listed.get(row.story_record.story_id)) is not None
        and not found.published
        and (
            (subject := str(row.key)) in publishing
            or (subject in showing and found.updated_at != row.story_record.updated_at)
        )
    )
