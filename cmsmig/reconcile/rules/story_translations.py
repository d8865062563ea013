"""Names and slugs of a story in other languages, as fields around its content. Pure.

Source: destination, stories: `translated_slugs` shows them, each with an id of its own;
`translated_slugs_attributes` takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.schema import Story

_IN: Final = " in "
"""Stands between a field and the language that it is meant in, such as `slug in fr`."""
_TOLD = ("name", "slug")


def translation_fields(
    translations: Iterable[JsonObject], names: Iterable[str] = _TOLD
) -> JsonObject:
    """Return names and slugs in other languages, a field each."""
    return {
        f"{name}{_IN}{each['lang']}": each.get(name)
        for each in translations
        for name in names
    }


def translations_there(story: Story) -> JsonObject:
    """Return those that a story has, and the id of each language, a field each."""
    return translation_fields(_listed(story), ("id", *_TOLD))


def translations_in(fields: JsonObject) -> dict[str, JsonObject]:
    """Return the names and slugs that fields hold, by the language's code."""
    found: dict[str, JsonObject] = {}
    for name, code in _named(fields):
        found.setdefault(code, {"lang": code})[name] = fields[f"{name}{_IN}{code}"]
    return found


def translations_to_send(
    values: JsonObject, written: Set[str], there: JsonObject
) -> list[Json]:
    """Return the languages of which an update has something to write, each under the
    id that it has there.

    `values` are the fields that are to stand there, `written` the names of those that
    are written, `there` the fields around the content as they stand.
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


def translated_moves(fields: Iterable[str]) -> frozenset[str]:
    """Return the fields that hold the slug of a page in another language."""
    return frozenset(name for name in fields if name.startswith(f"slug{_IN}"))


def is_translation(field: str) -> bool:
    """Return whether a field is the name or the slug in another language."""
    return any(_named((field,)))


def is_translation_id(field: str) -> bool:
    """Return whether a field holds what a language is known by, and no value."""
    return field.startswith(f"id{_IN}")


def _named(fields: Iterable[str]) -> Iterator[tuple[str, str]]:
    for field in fields:
        name, _, code = field.partition(_IN)
        if code and name in _TOLD:
            yield name, code


def _listed(story: Story) -> Iterator[JsonObject]:
    listed = story.body.get("translated_slugs")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("lang"):
            yield each
