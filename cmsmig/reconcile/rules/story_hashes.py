"""Fingerprints of stories, of what is wanted of them and of their content. Pure."""

from __future__ import annotations

from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.reconcile.rules.story_fields import DATES, START, tags_of, translations_in

UNDECIDED: Final = "undecided"
"""The hash of a story that waits for a decision, or is compared once more: no other is
like it."""


def content_hash(content: JsonObject) -> str:
    """Return the fingerprint by which written and stored content are compared."""
    return fingerprint(comparable(content))


def record_hash(fields: JsonObject, content: str) -> str:
    """Return the fingerprint of everything that is wanted of a story.

    `fields` are those around the content, `content` is the hash of the content. Its
    position is left out: one more item moves all after it.
    """
    names = ("name", "slug", "folder", *DATES)
    own: list[Json] = [*(str(fields.get(name, "")) for name in names), content]
    if translations := translations_in(fields):
        own.append({**translations})
    if fields.get(START) is True:
        own.append("start")
    if tags := tags_of(fields):
        own.append([*tags])
    return fingerprint(own)
