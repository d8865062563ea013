"""Fingerprints of stories, of what is wanted of them and of their content. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.draft import Place
from cmsmig.reconcile.rules.former_hashes import former_content_hash

_NO_TRANSLATIONS: Final[Mapping[str, JsonObject]] = {}


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
