"""A story as fields: what is wanted, what was written last, what the destination has.

The one list of what a story's fields are, and the one answer to what was edited since
our last write. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.ledger.rows import StoryRecord, WrittenStory
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.convert.story import translations_of
from cmsmig.mapping.dates import parse_moment
from cmsmig.mapping.draft import Place
from cmsmig.reconcile.rules.story_hashes import content_hash, is_hash_of, record_hash
from cmsmig.reconcile.rules.story_translations import (
    is_translation,
    is_translation_id,
    translation_fields,
    translations_in,
    translations_there,
)

CONTENT: Final = "content."
"""The prefix of the names of content fields."""
UNKNOWN: Final = "\x00unknown"
"""The value of a field of which it is not known what was written: no service has it."""
START: Final = "start page"
"""Whether a story is the start page of its folder."""
TAGS: Final = "tags"
POSITION: Final = "position"
"""Changes whenever another item is added or removed; never an edit."""
GROUP: Final = "group_id"
"""The group of a story's alternates."""
PUBLISHED: Final = "published"
"""Whether visitors see a story; a field for decisions."""
FIRST_PUBLISHED: Final = "first_published_at"
_DATES = (FIRST_PUBLISHED, "sort_by_date")
_ALWAYS_SENT = ("name", "slug", "folder")
NEVER_SENT: Final = ("publish_at", "expire_at", "pinned")
"""Fields that no import fills."""


@dataclass(frozen=True, slots=True)
class LastWrite:
    """What the ledger has of our last write of a story."""

    record: StoryRecord
    written: WrittenStory | None
    """None in ledgers that did not keep it."""
    name: str = ""
    """The item's name, for a ledger that kept no more."""

    @property
    def sent(self) -> JsonObject:
        """Return the fields as they were sent; empty where that is not known."""
        return self.written.sent if self.written else {}

    @property
    def answered(self) -> JsonObject:
        """Return the fields around the content as the destination answered then."""
        return self.written.stood if self.written else {}


def is_as_written(row: StoryRow, record: StoryRecord) -> bool:
    """Return whether a story has the change date of our last write, and that kept no
    edit of its content."""
    return row.updated_at == record.updated_at and not record.kept_edits


def is_unmoved(row: StoryRow, written: WrittenStory | None) -> bool:
    """Return whether a story has the folder and slug of our last write, where they are
    known. A move may leave the change date as it is."""
    there: JsonObject = {"slug": row.slug, "folder": row.parent_id}
    answered = written.stood if written else {}
    return all(value == answered.get(name, value) for name, value in there.items())


def edits_without_reading(row: StoryRow, last: LastWrite) -> tuple[str, ...] | None:
    """Return the edited fields of a story as far as a list shows them, in order; None
    where the story has to be read for that."""
    if not is_as_written(row, last.record) or row.uuid != last.record.uuid:
        return None
    if not is_unmoved(row, last.written):
        return None
    # What an editor had given it when we wrote it last is still an edit.
    found = {*_foreign(last.answered, last.sent), *_regrouped(row, last.record)}
    return tuple(sorted(found))


def edited_fields(story: Story, last: LastWrite) -> tuple[str, ...]:
    """Return the fields of a story, in order, that hold something else than our last
    write left in them: names as decisions have them."""
    around, sent = around_content(story), last.sent
    found = {*_foreign(around, sent), *_regrouped(story.row, last.record)}
    if last.written is None:
        found |= {*_unlike_record(story, last)}
    else:
        there = fields_there(story, last.written)
        names = (there.keys() | sent.keys()) - {POSITION}
        found |= {name for name in names if not is_same_field(there, sent, name)}
    if _is_date_of_publication(story, sent):
        found.discard(FIRST_PUBLISHED)
    return tuple(sorted(found))


def _regrouped(row: StoryRow, record: StoryRecord) -> tuple[str, ...]:
    """Return the field of a story that was put into another group of alternates."""
    is_same = row.group_id in ("", record.group_id) or not record.group_id
    return () if is_same else (GROUP,)


def _foreign(around: JsonObject, sent: JsonObject) -> Iterator[str]:
    """Yield the fields around a content that only an editor filled."""
    for name, value in around.items():
        if name == TAGS:
            if {*_texts(value)} != {*tags_of(sent)}:
                yield name
        elif not (
            name in sent
            or name in (*_ALWAYS_SENT, POSITION, *_DATES)
            or is_translation_id(name)
            or same(value, None)
        ):
            yield name


def _unlike_record(story: Story, last: LastWrite) -> Iterator[str]:
    """Yield the edits that a ledger shows which kept no fields."""
    folder, _, slug = last.record.full_slug.rpartition("/")
    wanted = {"name": last.name.strip() or slug, "slug": slug, "folder": folder}
    there = {
        "name": story.row.name.strip(),
        "slug": story.row.slug,
        "folder": folder_of(story.row),
    }
    if not story.row.is_startpage:
        yield from (name for name in wanted if there[name] != wanted[name])
    if not is_hash_of(last.record.content_hash, story.content):
        yield "content"


def found_later(sent: JsonObject, story: Story) -> WrittenStory:
    """Return what was written of a story whose answer was never recorded: a field that
    holds something else than was sent is an edit."""
    around = around_content(story)
    there = {**around, "folder": folder_of(story.row)}
    for name in around.keys() & sent.keys():
        value, meant = there[name], sent[name]
        is_date = name in _DATES and _is_same_date(value, meant)
        if name != TAGS and not is_date and not same(value, meant):
            around[name] = UNKNOWN
    return WrittenStory(sent, around)


def _is_same_date(one: Json, other: Json) -> bool:
    first = parse_moment(one)
    return first is not None and first == parse_moment(other)


def wanted_fields(story: StoryDraft, content: JsonObject) -> JsonObject:
    """Return a story with that content as fields; what is empty has none."""
    draft, place = story.draft, story.place
    around: dict[str, Json] = {
        "name": story.name,
        "slug": place.slug,
        "folder": place.folder,
        POSITION: place.position,
        "first_published_at": draft.first_published_at,
        "sort_by_date": draft.sort_by_date,
    }
    optional = (POSITION, *_DATES)
    found: JsonObject = {
        name: value for name, value in around.items() if value or name not in optional
    }
    if place.start:
        found[START] = True
    if place.tags:
        found[TAGS] = [*place.tags]
    found |= translation_fields(translations_of(place, draft.names).values())
    return found | {f"{CONTENT}{name}": value for name, value in content.items()}


def wanted_record(draft: ItemDraft, place: Place, content: str) -> str:
    """Return the fingerprint of all that is wanted of a story, whose content has the
    hash `content`."""
    dates = draft.first_published_at, draft.sort_by_date
    translations = translations_of(place, draft.names)
    return record_hash(draft.name_at(place), place, dates, content, translations)


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
        POSITION: body.get("position"),
        **{name: body.get(name) for name in _DATES},
        **translations_there(story),
        TAGS: [*tags_there(story)] or None,
        START: story.row.is_startpage or None,
        **{name: body.get(name) or None for name in NEVER_SENT},
    }


def dates_of(around: JsonObject) -> JsonObject:
    """Return those of the fields around a content that are dates."""
    return {name: around.get(name) for name in _DATES}


def with_publication(written: WrittenStory | None, story: Story) -> WrittenStory | None:
    """Return what was written with the date that our publication set, if it did."""
    if written is None:
        return None
    if not _is_date_of_publication(story, written.sent):
        return written
    date = story.body.get(FIRST_PUBLISHED)
    return replace(written, stood={**written.stood, FIRST_PUBLISHED: date})


def _is_date_of_publication(story: Story, sent: JsonObject) -> bool:
    """Return whether a publication set the date of the first one: where none was sent,
    and in services that replace what was sent."""
    date, last = (
        parse_moment(story.body.get(n)) for n in (FIRST_PUBLISHED, "published_at")
    )
    return story.row.published and (FIRST_PUBLISHED not in sent or date == last)


def fields_there(story: Story, written: WrittenStory | None) -> JsonObject:
    """Return the fields of a story as it is now.

    Around the content the service has forms of its own: what is as it was after our
    last write counts as what we wrote.
    """
    found: JsonObject = {}
    for name, value in around_content(story).items():
        if written is not None and written.stood.get(name) == value:
            if name in written.sent:
                found[name] = written.sent[name]
        elif is_translation_id(name) or name in (TAGS, *NEVER_SENT):
            continue
        elif name == "folder":
            found[name] = folder_of(story.row)
        elif value not in (None, ""):
            found[name] = value
    if written is not None and TAGS in written.sent:
        # An editor's own tags are no difference.
        there = tags_there(story)
        found[TAGS] = [each for each in tags_of(written.sent) if each in there]
    content = {f"{CONTENT}{name}": value for name, value in story.content.items()}
    return found | content


def all_fields_there(story: Story, written: WrittenStory) -> JsonObject:
    """Return the fields of a story as it is now, also those that only an editor
    filled."""
    around = {**around_content(story), GROUP: story.row.group_id}
    own = {name: value for name, value in around.items() if not same(value, None)}
    return own | fields_there(story, written) | {TAGS: [*tags_there(story)]}


def folder_of(row: StoryRow) -> str:
    """Return the path of a story's folder; a start page's is its own."""
    path = row.full_slug.strip("/")
    return path if row.is_startpage else path.rpartition("/")[0]


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


def tags_of(fields: JsonObject) -> tuple[str, ...]:
    """Return the tags that fields hold."""
    return tuple(_texts(fields.get(TAGS)))


def tags_there(story: Story) -> list[str]:
    """Return the tags that a story has, whoever gave them, in order."""
    return sorted(_texts(story.body.get("tag_list")))


def _texts(value: Json) -> list[str]:
    return [*map(str, value)] if isinstance(value, list) else []
