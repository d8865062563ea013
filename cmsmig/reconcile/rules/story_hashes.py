"""Fingerprints of stories, of what is wanted of them and of their content. Pure."""

from __future__ import annotations

from typing import Final

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.reconcile.rules.story_fields import FIELDS, translations_in

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
    hashed = (each.name for each in FIELDS if each.is_hashed)
    around = {name: fields[name] for name in hashed if fields.get(name)}
    return fingerprint([around, {**translations_in(fields)}, content])
