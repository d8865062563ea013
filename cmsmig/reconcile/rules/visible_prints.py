"""Fingerprints of what visitors see of a story in a language. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import Story
from cmsmig.mapping.select.translations import EmptyShown, shown_in
from cmsmig.reconcile.rules.story_hashes import content_hash


def visible_prints(story: Story, language: str) -> frozenset[str]:
    """Return the fingerprints of what visitors may see of a story in a language once it
    is published; several where it depends on how empty translations are shown."""
    shown = readings(story.content, language)
    return frozenset(_print(story, language, each) for each in shown)


def delivered_print(story: Story, language: str) -> str:
    """Return the fingerprint of what visitors see of a story that was delivered in a
    language."""
    return _print(story, language, shown_in(story.content, ""))


def is_visible(story: Story, language: str, shown: str) -> bool:
    """Return whether visitors may see what has a fingerprint of a story."""
    found = readings(story.content, language)
    return any(_print(story, language, each) == shown for each in found)


def readings(fields: JsonObject, language: str) -> Iterator[JsonObject]:
    """Yield what visitors may get of fields, first as losses are listed."""
    for empty in EmptyShown:
        yield shown_in(fields, language, empty)
        if not language:
            return


def _print(story: Story, language: str, shown: JsonObject) -> str:
    return print_of(content_hash(shown), "" if language else story.row.name)


def print_of(content: str, name: str) -> str:
    """Return the fingerprint of what visitors see, by the hash of the content and, in
    the default language, the name."""
    return f"{content} {name}"
