"""What counts of the values of a story, and the fingerprints of it: of a value, of the
content, of all that is wanted. Pure."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from cmsmig.canonical import Json, JsonObject, canonical, fingerprint
from cmsmig.mapping.compare.content_equality import ADDED, comparable
from cmsmig.reconcile.diff import Text, TextOf
from cmsmig.reconcile.field_diff import SEEN_LENGTH
from cmsmig.reconcile.rules.story_fields import (
    CONTENT,
    FIELDS,
    TAGS,
    tags_of,
    translations_in,
)

UNDECIDED: Final = "undecided"
"""The hash of a story that waits for a decision, or is compared once more: no other is
like it."""


def field_text(name: str, value: Json) -> Text:
    """Return what counts of a field's value: what is absent is empty."""
    if name == TAGS:
        value = [*sorted({*tags_of({TAGS: value})})]
    found = comparable(value)
    return None if found is None else canonical(found)


def content_hash(content: JsonObject, text: TextOf = field_text) -> str:
    """Return the fingerprint by which written and stored content are compared."""
    digest = sha256()
    for name in sorted(content.keys() - ADDED):
        found = text(f"{CONTENT}{name}", content[name])
        if found is not None:
            digest.update(b"%b\0%b\0" % (canonical(name), found))
    return digest.hexdigest()


def text_print(text: Text) -> str:
    """Return what names a value by what counts of it."""
    return sha256(text or b"null").hexdigest()[:SEEN_LENGTH]


def record_hash(fields: JsonObject, content: str) -> str:
    """Return the fingerprint of everything that is wanted of a story.

    `fields` are those around the content, `content` is the hash of the content. Its
    position is left out: one more item moves all after it.
    """
    hashed = (each.name for each in FIELDS if each.is_hashed)
    around = {name: fields[name] for name in hashed if fields.get(name)}
    return fingerprint([around, {**translations_in(fields)}, content])
