"""What the origin's editors and those of the space do in one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.proofs.machine.book import Days, Step
from tests.proofs.machine.seen import (
    FOLDER_ID,
    FRENCH_LINE,
    FRENCH_NAME,
    FRENCH_SLUG,
    LINE,
    NAME,
    PICTURE,
    SLUG,
    TAGS,
    TEXT,
    TRASHED,
    Seen,
    look,
    pick,
)
from tests.proofs.machine.site import EN, FILES, Item, Key, Words
from tests.proofs.machine.stage import CODE
from tests.proofs.machine.used import files_of

_PARTS = ("name", "line", "text", "line", "text", "label", "section", "related")
_FIELDS = (
    NAME,
    SLUG,
    FOLDER_ID,
    LINE,
    TEXT,
    TAGS,
    "first_published_at",
    "sort_by_date",
    "publish_at",
    "expire_at",
    "pinned",
)
_LATER = 1000
_MIDNIGHT = "T00:00:00.000Z"
_SLUGS = "translated_slugs_attributes"
_FRENCH = (FRENCH_LINE, FRENCH_NAME, FRENCH_SLUG)

# at the origin


def origin_edits(days: Days, step: Step) -> None:
    """An item gets another value, which may go live at once."""
    key = _item(days, step.a)
    part = _PARTS[step.b % len(_PARTS)]
    word: Any = f"o{step.number}"
    if part == "section":
        word = ("", "north", "south")[step.b // 8 % 3]
    elif part == "label":
        word = ("", "red", "blue")[step.b // 8 % 3]
    elif part == "related":
        word = ("abcd"[step.b // 8 % 4],)
    item = days.book.origin[key].edited(days.tick(), **{part: word})
    days.at_origin({key: item.published() if step.b % 3 and item.live else item})


def origin_pictures(days: Days, step: Step) -> None:
    """An item shows another file, or none."""
    key = _item(days, step.a)
    picture = ("", *FILES)[step.b % 3]
    item = days.book.origin[key].edited(days.tick(), picture=picture)
    days.at_origin({key: item.published() if item.live else item})


def origin_adds_field(days: Days, step: Step) -> None:
    """The collection gets one more field."""
    del step
    days.book.has_mood = True
    days.at_origin({})


def both_edit(days: Days, step: Step) -> None:
    """The origin and an editor give one field different values."""
    seen = _story(days, step.a)
    if seen is not None and seen.key in days.book.origin:
        name, part = ((NAME, "name"), (LINE, "line"), (TEXT, "text"))[step.b % 3]
        item = days.book.origin[seen.key]
        item = item.edited(days.tick(), **{part: f"o{step.number}"})
        days.at_origin({seen.key: item.published() if item.live else item})
        _save(days, step, seen, name)


def origin_renames(days: Days, step: Step) -> None:
    """An item gets another slug, perhaps one that it had; visitors see it at once."""
    key = _item(days, step.a)
    item = days.book.origin[key]
    slug = f"{key[0]}-{step.b % 3}"
    taken = {(k[1], each.staged.slug) for k, each in days.book.origin.items()}
    if (key[1], slug) in taken:
        return
    item = item.edited(days.tick(), slug=slug)
    days.at_origin({key: item.published() if item.live else item})


def origin_exchanges(days: Days, step: Step) -> None:
    """Two items of a language exchange their slugs."""
    one, other = _item(days, step.a), _item(days, step.b)
    if one != other and one[1] == other[1]:
        items, number = days.book.origin, days.tick()
        slugs = items[one].staged.slug, items[other].staged.slug
        changed = {}
        for key, slug in ((one, slugs[1]), (other, slugs[0])):
            item = items[key].edited(number, slug=slug)
            changed[key] = item.published() if item.live else item
        days.at_origin(changed)


def origin_publishes(days: Days, step: Step) -> None:
    """An item goes live as it is, or is no longer."""
    key = _item(days, step.a)
    item = days.book.origin[key]
    live = None if item.live else item.staged
    days.at_origin({key: replace(item, live=live, number=days.tick())})


def origin_withdraws(days: Days, step: Step) -> None:
    """An item leaves the live set, and stays a draft."""
    live = [key for key, item in sorted(days.book.origin.items()) if item.live]
    key = pick(live, step.a)
    if key is not None:
        item = days.book.origin[key]
        days.at_origin({key: replace(item, live=None, number=days.tick())})


def origin_archives(days: Days, step: Step) -> None:
    """An item is archived, or no longer."""
    key = _item(days, step.a)
    item = days.book.origin[key]
    gone = not item.archived
    live = None if gone else item.live
    item = replace(item, archived=gone, live=live, number=days.tick())
    days.at_origin({key: item})


def origin_deletes(days: Days, step: Step) -> None:
    """An item is deleted in all its languages, or one that was comes back."""
    letter = "abcd"[step.a % 4]
    origin = days.book.origin
    if (letter, EN) in origin:
        days.origin_is({key: item for key, item in origin.items() if key[0] != letter})
    else:
        words = Words(f"n{step.number}", f"{letter}-n{step.number}", f"o{step.number}")
        days.at_origin({(letter, EN): Item(words, words, number=days.tick())})


# in the space


def editor_edits(days: Days, step: Step) -> None:
    """A story is saved with one field changed."""
    names = _FIELDS + (_FRENCH if days.world.setup.fields else ())
    _edit(days, step, names[step.b % len(names)])


def editor_words(days: Days, step: Step) -> None:
    """A story is saved with other words."""
    _edit(days, step, (NAME, LINE, TEXT)[step.b % 3])


def editor_starts(days: Days, step: Step) -> None:
    """The start page of a folder is saved with one field changed."""
    stories = days.world.space.stories
    starts = [
        each
        for each in look(days.world).values()
        if not each.trashed and stories[each.story_id].is_startpage
    ]
    seen = pick(sorted(starts, key=lambda each: each.story_id), step.a)
    if seen is not None:
        _save(days, step, seen, (NAME, LINE, TEXT, SLUG)[step.b % 4])


def editor_translates(days: Days, step: Step) -> None:
    """A story is saved with another translation."""
    if days.world.setup.fields:
        _edit(days, step, _FRENCH[step.b % len(_FRENCH)])


def editor_publishes(days: Days, step: Step) -> None:
    """A story is shown to visitors as it is."""
    if seen := _story(days, step.a):
        if days.world.space.stories[seen.story_id].unpublished_changes:
            days.book.touched.add(seen.story_id)
        days.world.api("GET", f"/stories/{seen.story_id}/publish")
        if seen.shown is None:
            days.book.publication(seen, True)
        days.book.unfinished.pop(seen.story_id, None)


def editor_unpublishes(days: Days, step: Step) -> None:
    """A story is taken from visitors."""
    seen = _story(days, step.a)
    if seen and seen.shown is not None:
        days.world.api("GET", f"/stories/{seen.story_id}/unpublish")
        days.book.publication(seen, False)


def editor_deletes(days: Days, step: Step) -> None:
    """A story goes to the trash, which does not happen often."""
    seen = _story(days, step.a)
    if seen and step.b % 3 == 0:
        days.world.api("DELETE", f"/stories/{seen.story_id}")
        days.book.edited(seen, TRASHED, True)
        days.book.restorable.add(seen.story_id)
        if days.book.unsettled:
            days.book.unknown.add(seen.story_id)


def editor_restores(days: Days, step: Step) -> None:
    """A story comes back from the trash, as long as its item is known by it."""
    space = look(days.world)
    there = {each.key for each in space.values() if not each.trashed}
    own = pick(sorted(days.book.restorable), step.a)
    if own is None or space[own].key in there or days.book.unsettled:
        return
    stored = days.world.space.stories[own]
    stored.deleted_at = None
    days.world.space.place(stored)
    days.book.restorable.discard(own)
    if days.book.held.pop((own, TRASHED), None) is None:
        days.book.edited(space[own], TRASHED, False)
    days.book.touched.add(own)


def editor_pictures(days: Days, step: Step) -> None:
    """A story shows what another one shows, or nothing."""
    seen, other = _story(days, step.a), _story(days, step.b)
    if seen and other and seen.values[PICTURE] != other.values[PICTURE]:
        stories = days.world.space.stories
        shown = stories[other.story_id].content.get("picture")
        content = stories[seen.story_id].content | {"picture": shown}
        body = {"story": {"content": content}}
        days.world.api("PUT", f"/stories/{seen.story_id}", body)
        days.book.pictured(seen, other.values[PICTURE])


def editor_deletes_asset(days: Days, step: Step) -> None:
    """An asset is deleted, while no run is open that may not know it."""
    files = files_of(days.world)
    own = pick(sorted(files), step.a)
    if own is not None and not days.book.unsettled:
        days.world.api("DELETE", f"/assets/{own}")
        days.book.deleted_files.add(files[own])
        days.book.stirred = True


def editor_restores_asset(days: Days, step: Step) -> None:
    """An asset comes back, as long as its file is known by it."""
    gone = days.world.space.deleted_assets
    known = [
        own
        for own, each in sorted(gone.items())
        if each.key.rpartition("/")[2] in days.book.deleted_files
    ]
    own = pick(known, -1)
    if own is not None and not days.book.unsettled:
        del step
        days.world.api("POST", "/assets/bulk_restore", {"ids": [own]})
        days.book.deleted_files.discard(files_of(days.world)[own])


def save_again(days: Days, step: Step, own: int, name: str) -> None:
    """A story is saved with another value in a field, also than the step gave it."""
    later = step._replace(number=step.number + _LATER)
    _save(days, later, look(days.world)[own], name)


def _edit(days: Days, step: Step, name: str) -> None:
    seen = _story(days, step.a)
    if seen is not None:
        _save(days, step, seen, name)


def _save(days: Days, step: Step, seen: Seen, name: str) -> None:
    value, body = _change(days, step, seen, name)
    other = {each.path for each in look(days.world).values() if not each.trashed}
    if name == FOLDER_ID and f"other/{seen.values[SLUG]}" in other:
        return
    days.world.api("PUT", f"/stories/{seen.story_id}", {"story": body})
    days.book.edited(seen, name, value)
    days.book.note(look(days.world))


def _change(days: Days, step: Step, seen: Seen, name: str) -> tuple[Any, Any]:
    """Return an editor's value and the body of the request."""
    stories = days.world.space.stories
    word, day = f"e{step.number}", f"{2001 + step.number % 20}-02-03"
    slug, later = f"{seen.key[0]}-{word}", f"20{40 + step.number % 50}-02-03{_MIDNIGHT}"
    content = stories[seen.story_id].content
    other = next(each.story_id for each in stories.values() if each.slug == "other")
    french = {
        "name": seen.values.get(FRENCH_NAME) or word,
        "slug": seen.values.get(FRENCH_SLUG) or slug,
        "lang": CODE,
    }
    french_line = FRENCH_LINE.removeprefix("content.")
    changes: Mapping[str, tuple[Any, Any]] = {
        LINE: (word, {"content": content | {"line": word}}),
        FRENCH_LINE: (word, {"content": content | {french_line: word}}),
        TEXT: (word, {"content": content | {"text": _document(word)}}),
        NAME: (word, {"name": word}),
        SLUG: (slug, {"slug": slug}),
        FOLDER_ID: (other, {"parent_id": other}),
        TAGS: (word, {"tag_list": [*seen.values[TAGS], word]}),
        FRENCH_NAME: (word, {_SLUGS: [french | {"name": word}]}),
        FRENCH_SLUG: (slug, {_SLUGS: [french | {"slug": slug}]}),
        "pinned": (True, {"pinned": True}),
        "sort_by_date": (day, {"sort_by_date": day}),
        "first_published_at": (
            day + _MIDNIGHT,
            {"first_published_at": day + _MIDNIGHT},
        ),
        "publish_at": (later, {"publish_at": later}),
        "expire_at": (later, {"expire_at": later}),
    }
    return changes[name]


def _document(text: str) -> Any:
    paragraph = {
        "type": "paragraph",
        "attrs": {"textAlign": None},
        "content": [{"type": "text", "text": text}],
    }
    return {"type": "doc", "content": [paragraph]}


def _item(days: Days, number: int) -> Key:
    key: Key = pick(sorted(days.book.origin), number)
    return key


def _story(days: Days, number: int) -> Seen | None:
    there = [each for each in look(days.world).values() if not each.trashed]
    found: Seen | None = pick(sorted(there, key=lambda each: each.story_id), number)
    return found
