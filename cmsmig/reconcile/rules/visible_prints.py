"""Fingerprints of what visitors see of a story in a language. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.destination.typed_records import Story
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.select.translations import EmptyShown, shown_in
from cmsmig.reconcile.rules.story_fields import (
    translated_in,
    translated_moves,
    translation_fields,
    translations_there,
)


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
    if delivered_names(delivered, language) != called_in(story, language):
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
    return fingerprint([delivered_names(story, language), story.content])


def called_in(story: Story, language: str) -> JsonObject:
    """Return what a story is called for visitors, by field: its name and slug in a
    language; in the default one its name, and both in every other language."""
    names = own_names(translations_there(story), default_slug(story))
    return (
        translated_in(names, {language})
        if language
        else {"name": story.row.name, **names}
    )


def delivered_names(story: Story, language: str) -> JsonObject:
    """Return the same of a story that was delivered in a language, with the slug of its
    path there. Source: delivery, field-level translation: that is in `full_slug`."""
    if not language or story.row.is_startpage:
        return called_in(story, language)
    slug: JsonObject = {
        "lang": language,
        "slug": story.row.full_slug.rpartition("/")[2],
    }
    names = translations_there(story) | translation_fields([slug], ["slug"])
    return translated_in(own_names(names, default_slug(story)), {language})


def default_slug(story: Story) -> str:
    """Return the slug of a story in the default language, also where it was delivered
    in another one."""
    path = story.body.get("default_full_slug")
    is_named = path and not story.row.is_startpage
    return str(path if is_named else story.row.slug).strip("/").rpartition("/")[2]


def own_names(names: JsonObject, default: str) -> JsonObject:
    """Return names and slugs in other languages without slugs that are the default
    one: delivery gives that where a language has none."""
    slugs = translated_moves(names)
    return {n: v for n, v in names.items() if n not in slugs or v != default}


def readings(fields: JsonObject, language: str) -> Iterator[JsonObject]:
    """Yield what visitors may get of fields, first as losses are listed."""
    for empty in EmptyShown:
        yield shown_in(fields, language, empty)
        if not language:
            return


def _print(story: Story, language: str, shown: JsonObject) -> str:
    return fingerprint([called_in(story, language), comparable(shown)])
