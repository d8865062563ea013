"""The stories that we wrote, and whether the destination still holds them unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.decisions.conflicts import (
    WHOLE,
    ConflictKind,
    ConflictsDecision,
    Side,
)
from cmsmig.mapping.draft import Place
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.steps.plan.edits.former_hashes import former_content_hash

_NO_TRANSLATIONS: Final[Mapping[str, JsonObject]] = {}
PUBLISHED: Final = "published"
"""The field that publication counts as."""


def content_hash(content: JsonObject) -> str:
    """Return the fingerprint by which written and stored content are compared."""
    return fingerprint(comparable(content))


def is_hash_of(hashed: str, content: JsonObject) -> bool:
    """Return whether content has a fingerprint that this or the former release took."""
    return hashed in (content_hash(content), former_content_hash(content))


def record_hash(
    name: str,
    place: Place,
    dates: tuple[str, str],
    content: str,
    translations: Mapping[str, JsonObject] = _NO_TRANSLATIONS,
) -> str:
    """Return the fingerprint of everything that is wanted of a story.

    `dates` are `first_published_at` and `sort_by_date`, `content` the hash of the
    content, `translations` the names and slugs in other languages. Its position is
    left out: one more item moves all after it.
    """
    own: list[Json] = [name, place.slug, place.folder, *dates, content]
    if translations:
        own.append({**translations})
    if place.start:
        own.append("start")
    if place.tags:
        own.append([*place.tags])
    return fingerprint(own)


def is_as_written(row: StoryRow, home: StoryRecord) -> bool:
    """Return whether a story is as our last write left it, and all of it is ours."""
    return row.updated_at == home.updated_at and not home.kept_edits


def asked_back(
    decided: ConflictsDecision, home: StoryRecord, row: StoryRow | None
) -> bool:
    """Return whether somebody decided that ours stands in a story that was edited."""
    if not decided.edits or row is None or is_as_written(row, home):
        return False
    return any(
        each.kind is ConflictKind.STORY
        and each.take is Side.OURS
        and each.what in (WHOLE, home.full_slug)
        for each in decided.edits
    )


def written_home(row: StoryRow, content: str, record: str = "") -> StoryRecord:
    """Return the story record after our own write.

    `content` is the hash of the content, `record` that of all that was asked for.
    """
    return StoryRecord(
        story_id=row.story_id,
        uuid=row.uuid,
        full_slug=row.full_slug.strip("/"),
        made=True,
        content_hash=content,
        updated_at=row.updated_at,
        group_id=row.group_id,
        record_hash=record,
    )


def found_home(story: Story, content: str, record: str = "") -> StoryRecord:
    """Return the home of a story that a lost write of ours turned out to have made.

    Where somebody edited it since, no change date is taken as ours, so that the
    next write looks at it first.
    """
    home = written_home(story.row, content, record)
    if is_hash_of(content, story.content):
        return home
    return replace(home, updated_at="")


def is_saved_since(row: ItemRow, there: StoryRow | None) -> bool:
    """Return whether somebody saved a story that is not published yet since it was
    last written or compared: whose work it holds is not known."""
    home = row.home
    if row.published or home is None or there is None:
        return False
    return there.updated_at != home.updated_at


def to_publish(
    wanted: Set[ItemKey],
    rows: Iterable[ItemRow],
    listed: Iterable[StoryRow],
    decided: ConflictsDecision,
    public: Mapping[ItemKey, tuple[str, ...]],
) -> tuple[ItemRow, ...]:
    """Return the rows of what is wanted and not published yet.

    `public` are the fingerprints of what visitors are to be given of items of which
    editors see another version. What somebody unpublished after us stays so, and what
    holds somebody's edits is not shown to visitors by us, until it is decided
    otherwise.
    """
    there = {row.story_id: row for row in listed}
    return tuple(
        row
        for row, home in _publishable(wanted, rows)
        if _is_due(row, home, there.get(home.story_id), decided, public.get(row.key))
    )


def already_public(
    wanted: Set[ItemKey], rows: Iterable[ItemRow], listed: Iterable[StoryRow]
) -> tuple[tuple[ItemRow, StoryRecord, StoryRow], ...]:
    """Return what somebody published before us, as we wrote it: the item's row, its
    story record, and the story as it was listed."""
    there = {row.story_id: row for row in listed}
    return tuple(
        (row, home, found)
        for row, home in _publishable(wanted, rows)
        if (found := there.get(home.story_id)) and _shows_ours(row, home, found)
    )


def _publishable(
    wanted: Set[ItemKey], rows: Iterable[ItemRow]
) -> Iterator[tuple[ItemRow, StoryRecord]]:
    for row in rows:
        if row.key not in wanted or row.home is None or not row.home.made:
            continue
        if row.status == "created" or row.reason == "not_published":
            yield row, row.home


def _shows_ours(row: ItemRow, home: StoryRecord, there: StoryRow) -> bool:
    """Return whether visitors see what we wrote last, though we did not publish it.

    A row that was listed before our last write has another date.
    """
    is_whole = there.published and not there.unpublished_changes
    return not row.published and is_whole and is_as_written(there, home)


def _is_due(
    row: ItemRow,
    home: StoryRecord,
    there: StoryRow | None,
    decided: ConflictsDecision,
    public: tuple[str, ...] | None,
) -> bool:
    if public is None and there is not None and _shows_ours(row, home, there):
        return False
    is_public = there is None or there.published
    asked = _is_ours(home, decided, is_public=is_public)
    if home.left_public and not is_public:
        return asked
    if public is not None and home.public_record in public:
        return False
    if public is None and row.published:
        return _has_newer(home, there) or (asked and _is_behind(there))
    return asked or not home.kept_edits


def _has_newer(home: StoryRecord, there: StoryRow | None) -> bool:
    """Return whether visitors were given another version before than what editors
    see, and are to be given just that now."""
    known = home.public_record not in ("", home.record_hash)
    return known and not home.kept_edits and _is_behind(there)


def _is_behind(there: StoryRow | None) -> bool:
    return there is not None and there.unpublished_changes


def _is_ours(home: StoryRecord, decided: ConflictsDecision, *, is_public: bool) -> bool:
    """Return whether it was decided that a story is public, or not, as we want it."""
    seen = seen_of(is_public)
    side = decided.side(ConflictKind.STORY, home.full_slug, PUBLISHED, seen)
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
        and row.home is not None
        and row.home.made
        and row.home.story_id in public
        and _is_ours(row.home, decided, is_public=True)
    )
