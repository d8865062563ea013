"""Stories that an import wrote: what was last written of them, where they are, and
which of them the next import moves: their slug or folder is another one by the origin
or the decisions, and nothing holds it back. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.draft import ExistingStory, Place, path_in_language
from cmsmig.mapping.uids import story_uid
from cmsmig.reconcile.resource import compare
from cmsmig.reconcile.rules.story import (
    LastWrite,
    edited_fields,
    fields_after,
    found_later,
    slugs_after,
    story_resource,
)
from cmsmig.reconcile.rules.story_fields import (
    START,
    There,
    row_of,
    slugs_text,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.snapshot import Snapshot


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


def record_after_write(there: There, record: str = "") -> StoryRecord:
    """Return the story record after our own write, of a story that was read or listed.

    `record` is the fingerprint of all that was asked for.
    """
    row = row_of(there)
    return StoryRecord(
        story_id=row.story_id,
        uuid=row.uuid,
        full_slug=row.full_slug.strip("/"),
        made=True,
        updated_at=row.updated_at,
        group_id=row.group_id,
        record_hash=record,
        slugs=slugs_text(there) if isinstance(there, Story) else "",
    )


def found_write(story: Story, record: str, sent: JsonObject | None) -> LastWrite:
    """Return the write of ours that made a story and whose answer is lost. `sent` are
    the fields that it sent, None where they are not known.

    Where an editor changed it since, no change date is taken as ours, so that the
    next write looks at it first.
    """
    written = None if sent is None else found_later(sent, story)
    last = LastWrite(record_after_write(story, record), written)
    if written is None or edited_fields(story, last):
        return replace(last, record=replace(last.record, updated_at=""))
    return last


@dataclass(frozen=True, slots=True)
class Move:
    """A story that gets another path."""

    key: ItemKey
    old: str
    new: str
    now: str
    """Where it is: elsewhere than `old` after a run that was killed while it moved."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` lists it."""
        return {"item": str(self.key), "full_slug": self.old, "moves_to": self.new}


def find_moves(
    migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> Mapping[ItemKey, Move]:
    """Return the stories that the next import moves, by item. Reads only."""
    moves = _moves(migration, ledger, snapshot.listed)
    return {each.key: each for each in moves if each.old != each.new}


def existing_stories(
    migration: Migration, ledger: Ledger, moves: Mapping[ItemKey, Move]
) -> dict[ItemKey, ExistingStory]:
    """Return the stories that exist for items, at the paths that they move to, in each
    language. Reads only."""
    return {
        key: ExistingStory(
            story_record.uuid,
            moves[key].new if key in moves else story_record.full_slug,
            _slugs_after(migration, ledger, row, story_record),
        )
        for key, row in ledger.items.all().items()
        if (story_record := row.current_record) is not None
    }


def _slugs_after(
    migration: Migration, ledger: Ledger, row: ItemRow, story_record: StoryRecord
) -> tuple[tuple[str, str], ...]:
    """Return the slugs that a story has in other languages after the next import."""
    place = migration.places.places.get(row.key)
    ours, there = dict(place.slugs) if place else {}, story_record.language_slugs
    if ours == there or not (row.own_story and row.key in migration.items):
        return tuple(sorted(there.items()))
    last = last_write(ledger, row)
    decided = migration.decisions.conflicts
    return tuple(sorted(slugs_after(last, ours, there, decided).items()))


def in_the_way(moves: Mapping[ItemKey, Move]) -> tuple[Move, ...]:
    """Return the stories that are where others of them move to."""
    taken = {each.new for each in moves.values()}
    return tuple(each for each in moves.values() if each.now in taken)


def passing_slug(namespace: str, key: ItemKey, full_slug: str) -> str:
    """Return the slug that a story has while it makes way for another one."""
    return f"{full_slug.rpartition('/')[2]}-{story_uid(namespace, key)[:8]}"


def _moves(
    migration: Migration, ledger: Ledger, listed: Mapping[int, StoryRow]
) -> Iterator[Move]:
    places = migration.places.places
    for key, row in ledger.items.all().items():
        place, story_record = places.get(key), row.current_record
        # Most stories are at their places.
        if (
            place is None
            or story_record is None
            or place.full_slug == story_record.full_slug
        ):
            continue
        there = listed.get(story_record.story_id)
        if key in migration.items and row.own_story and there:
            new = _path_after(migration, last_write(ledger, row), place, there)
            yield Move(key, story_record.full_slug, new, there.full_slug.strip("/"))


def _path_after(
    migration: Migration, last: LastWrite, place: Place, there: StoryRow
) -> str:
    ours: JsonObject = {"slug": place.slug, "folder": place.folder}
    if place.start:
        ours[START] = True
    resource = story_resource(last, there, ours)
    after = fields_after(compare(resource, migration.decisions.conflicts).diff)
    folder, slug = str(after.get("folder", "")), str(after["slug"])
    return Place(folder, slug, 0, start=after.get(START) is True).full_slug
