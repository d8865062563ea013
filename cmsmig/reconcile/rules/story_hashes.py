"""Fingerprints of stories, of what is wanted of them and of their content. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.destination.schema import Story
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.story import translations_of
from cmsmig.mapping.draft import Place
from cmsmig.reconcile.rules.story_fields import DATES, START, tags_of, translations_in

_NO_TRANSLATIONS: Final[Mapping[str, JsonObject]] = {}
_UNSET: Final[tuple[Json, ...]] = (None, "", [])
_ADDED = frozenset(("_editable",))
_RENEWED = frozenset(("_editable", "cached_url", "url"))
_NAMING = {
    "asset": ("id", "filename"),
    "multilink": ("id", "url", "cached_url", "email", "anchor"),
}


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


def wanted_record(draft: ItemDraft, place: Place, content: str) -> str:
    """Return the fingerprint of all that is wanted of a story, whose content has the
    hash `content`."""
    dates = draft.first_published_at, draft.sort_by_date
    translations = translations_of(place, draft.names)
    return record_hash(draft.name_at(place), place, dates, content, translations)


def record_of(fields: JsonObject, story: Story) -> str:
    """Return the fingerprint that a write of these fields would have, had it the
    content that is there."""
    folder, slug = (str(fields.get(name, "")) for name in ("folder", "slug"))
    start = fields.get(START) is True
    place = Place(folder, slug, 0, tags=tags_of(fields), start=start)
    published, day = (str(fields.get(name, "")) for name in DATES)
    content = content_hash(story.content)
    translations = translations_in(fields)
    name = str(fields.get("name", ""))
    return record_hash(name, place, (published, day), content, translations)


def former_content_hash(content: JsonObject) -> str:
    """Return the fingerprint of content that ledgers of earlier releases hold.

    It leaves out less than what is compared now: it only shows that something is as it
    was, never that it was edited.
    """
    return fingerprint(_former(content))


def _former(value: Json) -> Json:
    if isinstance(value, list):
        return [_former(each) for each in value]
    if not isinstance(value, dict):
        return value
    left_out = _ADDED
    if "fieldtype" in value:
        naming = _NAMING.get(str(value["fieldtype"]), ())
        if naming and all(value.get(name) in _UNSET for name in naming):
            return None
        if value["fieldtype"] == "multilink" and value.get("linktype") == "story":
            left_out = _RENEWED
    found: JsonObject = {}
    for name, each in value.items():
        # Most values are texts, which need no call of their own.
        if type(each) is dict or type(each) is list:
            each = _former(each)
        if (each or each not in _UNSET) and name not in left_out:
            found[name] = each
    return found
