"""Fingerprints of what visitors see of a story in a language. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.destination.schema import Story
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.select.translations import EmptyShown, shown_in


def visible_prints(story: Story, language: str) -> frozenset[str]:
    """Return the fingerprints of what visitors may see of a story in a language once it
    is published; several where it depends on how empty translations are shown."""
    shown = readings(story.content, language)
    return frozenset(_print(story, language, each) for each in shown)


def delivered_print(story: Story, language: str) -> str:
    """Return the fingerprint of what visitors see of a story that was delivered in a
    language."""
    return _print(story, language, shown_in(story.content, ""))


def is_visible(story: Story, language: str, delivered: Story) -> bool:
    """Return whether what was delivered in a language is what visitors may see of a
    story."""
    if not language and delivered.row.name != story.row.name:
        return False
    shown = [*readings(story.content, language)]
    # As a rule nothing at all differs, which shows at once.
    if any(each == delivered.content for each in shown):
        return True
    there = comparable(shown_in(delivered.content, ""))
    return any(comparable(each) == there for each in shown)


def exact_print(story: Story, language: str) -> str:
    """Return the fingerprint of a story as it was delivered in a language: another one
    proves nothing."""
    return fingerprint(["" if language else story.row.name, story.content])


def readings(fields: JsonObject, language: str) -> Iterator[JsonObject]:
    """Yield what visitors may get of fields, first as losses are listed."""
    for empty in EmptyShown:
        yield shown_in(fields, language, empty)
        if not language:
            return


def _print(story: Story, language: str, shown: JsonObject) -> str:
    return fingerprint(["" if language else story.row.name, comparable(shown)])
