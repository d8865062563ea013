"""The fields of a story: name, place, tags, dates, what only editors fill, names and
slugs in other languages, content. Pure.

Source: destination, stories: `translated_slugs` shows other languages, each with an id
of its own; `translated_slugs_attributes` takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Final, TypeAlias

from cmsmig.canonical import Json, JsonObject, compact
from cmsmig.destination.typed_records import BY_HAND, Story, StoryRow
from cmsmig.ledger.rows import WrittenStory
from cmsmig.mapping.compare.content_equality import same
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.convert.story import translations_of
from cmsmig.mapping.dates import parse_moment
from cmsmig.mapping.draft import Place

CONTENT: Final = "content."
"""The prefix of the names of content fields."""
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
DATES: Final = (FIRST_PUBLISHED, "sort_by_date")
_IN: Final = " in "
"""Separates a field from its language, such as `slug in fr`."""
SLUG_IN: Final = f"slug{_IN}"
_TRANSLATED = ("name", "slug")


There: TypeAlias = Story | StoryRow
"""A story that was read; or only listed, where it is as we last wrote it but for what a
list shows."""


@dataclass(frozen=True, slots=True)
class StoryField:
    """A field around a story's content."""

    name: str
    """As decisions name it."""
    key: str
    """In the record of a request."""
    wanted: Callable[[ItemDraft, Place], Json]
    there: Callable[[Story], Json]
    """Returns its value as the destination shows it; None for an empty one."""
    listed: Callable[[StoryRow], Json] | None = None
    """Returns the same from a list, where lists show it."""
    is_always_sent: bool = False
    removed: Json = None
    """What a request holds that removes it; None where nothing does."""
    is_given: bool = False
    """Whether the service gives it a value where a request has none."""
    is_hashed: bool = True
    """Whether another value alone makes an update."""


def _date(name: str, wanted: Callable[[ItemDraft], str]) -> StoryField:
    return StoryField(
        name,
        name,
        lambda draft, _: wanted(draft),
        lambda story: story.body.get(name),
        is_given=True,
    )


FIELDS: Final = (
    StoryField(
        "name",
        "name",
        lambda draft, place: draft.name_at(place),
        lambda story: story.row.name,
        is_always_sent=True,
    ),
    StoryField(
        "slug",
        "slug",
        lambda _, place: place.slug,
        lambda story: story.row.slug,
        lambda row: row.slug,
        is_always_sent=True,
    ),
    # A path where it is wanted, a number where it is shown.
    StoryField(
        "folder",
        "parent_id",
        lambda _, place: place.folder,
        lambda story: story.row.parent_id,
        lambda row: row.parent_id,
        is_always_sent=True,
    ),
    StoryField(
        POSITION,
        "position",
        lambda _, place: place.position,
        lambda story: story.body.get("position"),
        is_given=True,
        is_hashed=False,
    ),
    _date(FIRST_PUBLISHED, lambda draft: draft.first_published_at),
    _date("sort_by_date", lambda draft: draft.sort_by_date),
    StoryField(
        START,
        "is_startpage",
        lambda _, place: place.start,
        lambda story: story.row.is_startpage or None,
        lambda row: row.is_startpage or None,
        removed=False,
    ),
    StoryField(
        TAGS,
        "tag_list",
        lambda _, place: [*place.tags],
        lambda story: [*tags_there(story)] or None,
    ),
)
"""The fields around the content that an import fills, in the primary language."""
_GIVEN = frozenset(each.name for each in FIELDS if each.is_given)
NAMES: Final = frozenset(each.name for each in FIELDS)
_OPTIONAL = tuple(each for each in FIELDS if not each.is_always_sent)


def wanted_fields(story: StoryDraft, content: JsonObject) -> JsonObject:
    """Return a story with that content as fields; what is empty has none."""
    around = wanted_around(story.draft, story.place)
    return around | {f"{CONTENT}{name}": value for name, value in content.items()}


def wanted_around(draft: ItemDraft, place: Place) -> JsonObject:
    """Return the fields around the content that are wanted at a place."""
    found = {each.name: each.wanted(draft, place) for each in FIELDS}
    translations = translations_of(place, draft.names).values()
    empty = {each.name for each in _OPTIONAL if not found[each.name]}
    kept = {name: value for name, value in found.items() if name not in empty}
    return {**kept, **translation_fields(translations)}


def content_of(fields: Mapping[str, Json]) -> JsonObject:
    """Return the content that fields hold."""
    return {
        name.removeprefix(CONTENT): value
        for name, value in fields.items()
        if name.startswith(CONTENT)
    }


def around_content(story: Story) -> JsonObject:
    """Return the fields around a story's content as the destination shows them."""
    return {
        **{each.name: each.there(story) for each in FIELDS},
        **translation_fields(_listed(story), ("id", *_TRANSLATED)),
        **{name: story.body.get(name) or None for name in BY_HAND},
    }


def dates_of(around: JsonObject) -> JsonObject:
    """Return those of the fields around a content that are dates."""
    return {name: around.get(name) for name in DATES}


def folder_of(row: StoryRow) -> str:
    """Return the path of a story's folder; a start page's is its own."""
    path = row.full_slug.strip("/")
    return path if row.is_startpage else path.rpartition("/")[0]


def is_same_field(one: JsonObject, other: JsonObject, field: str) -> bool:
    """Return whether a field is the same on two sides; absent is the same as empty."""
    return same(one.get(field), other.get(field))


def tags_of(fields: JsonObject) -> tuple[str, ...]:
    """Return the tags that fields hold."""
    return tuple(_texts(fields.get(TAGS)))


def tags_there(story: Story) -> list[str]:
    """Return the tags that a story has, an editor's included, in order."""
    return sorted(_texts(story.body.get("tag_list")))


def translation_fields(
    translations: Iterable[JsonObject], names: Iterable[str] = _TRANSLATED
) -> JsonObject:
    """Return names and slugs in other languages, a field each."""
    return {
        f"{name}{_IN}{each['lang']}": each.get(name)
        for each in translations
        for name in names
    }


def translations_there(story: Story) -> JsonObject:
    """Return those that a story has; what is empty has no field."""
    found = translation_fields(_listed(story))
    return {name: value for name, value in found.items() if value}


def language_slugs(story: Story) -> dict[str, str]:
    """Return the slugs of a story in other languages, by the language's code."""
    there = translations_in(translations_there(story)).items()
    return {code: str(each["slug"]) for code, each in there if "slug" in each}


def slugs_text(story: Story) -> str:
    """Return the same as ledgers hold them."""
    return compact({**language_slugs(story)}).decode()


def translated_in(fields: JsonObject, codes: Set[str]) -> JsonObject:
    """Return those of fields that are names and slugs in some languages."""
    found = (f"{name}{_IN}{code}" for name, code in _named(fields) if code in codes)
    return {name: fields[name] for name in found}


def translations_in(fields: JsonObject) -> dict[str, JsonObject]:
    """Return the names and slugs that fields hold, by the language's code."""
    found: dict[str, JsonObject] = {}
    for name, code in _named(fields):
        found.setdefault(code, {"lang": code})[name] = fields[f"{name}{_IN}{code}"]
    return found


def translations_to_send(
    values: JsonObject, written: Set[str], there: JsonObject
) -> list[Json]:
    """Return the languages in which an update writes something, each under the id that
    it has there.

    `values` are the fields that it is to have, `written` the names of those that
    are written, `there` the fields around the content as they are.
    """
    wanted = translations_in(values)
    found: list[Json] = []
    for code in dict.fromkeys(code for _, code in _named(sorted(written))):
        own = there.get(f"id{_IN}{code}")
        known: JsonObject = {} if own is None else {"id": own}
        if code in wanted:
            found.append({**known, **wanted[code]})
        elif known:
            found.append({**known, "lang": code, "_destroy": True})
    return found


def story_to_create(
    fields: JsonObject, *, parent_id: int | None, group_id: str = ""
) -> JsonObject:
    """Return the record of a new story with these fields.

    Empty keys are left out, and so is every key that would publish.
    """
    optional: dict[str, Json] = {
        "parent_id": parent_id,
        **{each.key: fields.get(each.name) for each in _OPTIONAL},
        GROUP: group_id,
        "translated_slugs_attributes": translations_to_send(fields, fields.keys(), {}),
    }
    return {
        "name": fields["name"],
        "slug": fields["slug"],
        **{name: value for name, value in optional.items() if value},
        "content": content_of(fields),
    }


def optional_to_send(values: JsonObject, written: Set[str]) -> JsonObject:
    """Return what an update holds of the fields around the content that it writes, but
    for those that each update holds. `values` are the fields that it is to have."""
    found = (
        (each.key, values.get(each.name, each.removed))
        for each in _OPTIONAL
        if each.name in written
    )
    return {key: value for key, value in found if value is not None}


def translated_moves(fields: Iterable[str]) -> frozenset[str]:
    """Return the fields that hold the slug of a page in another language."""
    return frozenset(name for name in fields if name.startswith(SLUG_IN))


def slug_of_name(field: str) -> str:
    """Return the slug of the page whose name a field holds; else the field itself."""
    name, _, code = field.partition(_IN)
    return f"slug{_IN}{code}" if code and name == "name" else field


def is_translation(field: str) -> bool:
    """Return whether a field holds the name or slug of a page in another language."""
    return any(_named((field,)))


def is_translation_id(field: str) -> bool:
    """Return whether a field holds what a language is known by, and no value."""
    return field.startswith(f"id{_IN}")


def _texts(value: Json) -> list[str]:
    return [*map(str, value)] if isinstance(value, list) else []


def _named(fields: Iterable[str]) -> Iterator[tuple[str, str]]:
    for field in fields:
        name, _, code = field.partition(_IN)
        if code and name in _TRANSLATED:
            yield name, code


def _listed(story: Story) -> Iterator[JsonObject]:
    listed = story.body.get("translated_slugs")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("lang"):
            yield each


def fields_there(there: There, written: WrittenStory | None) -> JsonObject:
    """Return the fields of a story as it is now, also those that only an editor
    filled."""
    sent, server_values = (written.sent, written.server_values) if written else ({}, {})
    if isinstance(there, StoryRow):
        found = _fields_around(
            _listed_fields(there, sent, server_values), there, sent, server_values
        )
        tags = server_values.get(TAGS) if TAGS in server_values else sent.get(TAGS)
        content = {name: sent[name] for name in sent if name.startswith(CONTENT)}
        return {**found, TAGS: tags or [], **content}
    found = _fields_around(around_content(there), there.row, sent, server_values)
    found[TAGS] = [*tags_there(there)]
    return found | {f"{CONTENT}{name}": each for name, each in there.content.items()}


def fields_held(story: Story, written: WrittenStory | None) -> JsonObject:
    """Return the fields of a story as it is now, without those that only an editor
    filled."""
    sent, server_values = (written.sent, written.server_values) if written else ({}, {})
    found = {
        name: value
        for name, value in fields_there(story, written).items()
        if name in sent
        or not (name in (TAGS, *BY_HAND) or server_values.get(name) == value)
    }
    if TAGS in sent:
        there = tags_there(story)
        found[TAGS] = [each for each in tags_of(sent) if each in there]
    return found


def _fields_around(
    around: JsonObject, row: StoryRow, sent: JsonObject, server_values: JsonObject
) -> JsonObject:
    found: JsonObject = {}
    for name, value in around.items():
        is_same = server_values.get(name) == value
        if is_same and name in sent:
            found[name] = sent[name]
        elif name == "folder":
            found[name] = folder_of(row)
        elif value not in (None, "") and not (
            is_translation_id(name) or (is_same and name in _GIVEN)
        ):
            found[name] = value
    return found


def _listed_fields(
    row: StoryRow, sent: JsonObject, server_values: JsonObject
) -> JsonObject:
    """Return the fields around the content of a story that is as we last wrote it, but
    for what a list shows of it."""
    unknown = {
        name: server_values.get(name) for name in sent if not name.startswith(CONTENT)
    }
    place = {each.name: each.listed(row) for each in FIELDS if each.listed}
    return {**unknown, **server_values, **place}


def row_of(there: There) -> StoryRow:
    """Return the row of a story that was read or listed."""
    return there.row if isinstance(there, Story) else there


def is_date_of_publication(story: Story, sent: JsonObject) -> bool:
    """Return whether a publication set the date of the first one: where none was sent,
    and in services that replace what was sent."""
    date, last = (
        parse_moment(story.body.get(n)) for n in (FIRST_PUBLISHED, "published_at")
    )
    return story.row.published and (FIRST_PUBLISHED not in sent or date == last)
