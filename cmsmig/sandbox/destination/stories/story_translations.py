"""A story's names and slugs in other languages."""

from __future__ import annotations

import zlib

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_rules import schema_of
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

KEY = "translated_slugs_attributes"
"""Where a story's body holds them, as they were sent."""


_SIGN = "__i18n__"
_UNSET: tuple[Json, ...] = (None, "", [], {})
_KINDS = ("fieldtype", "linktype", "type", "plugin", "_uid", "component")
"""Keys of an object that name its kind, and nothing that it holds."""


def speaks(space: Space, code: str) -> bool:
    """Return whether the end of a translated key is a language of the space."""
    return code in {_written(each) for each in space.languages}


def in_language(space: Space, value: Json, language: str) -> Json:
    """Return content in a language. A field without a translation, and one that is not
    translatable, keeps the default language. An empty `language` is the default.
    Source: destination, what a save does."""
    if isinstance(value, list):
        return [in_language(space, each, language) for each in value]
    if not isinstance(value, dict):
        return value
    shown = {
        key: in_language(space, each, language)
        for key, each in value.items()
        if _SIGN not in key
    }
    schema = schema_of(space, value)
    for key, each in value.items():
        own, sign, code = key.partition(_SIGN)
        open_to_it = truthy(object_of(schema.get(own)).get("translatable"))
        is_meant = sign and code == _written(language) and open_to_it
        if is_meant and not _falls_back(space, each):
            shown[own] = in_language(space, each, language)
    return shown


def _falls_back(space: Space, value: Json) -> bool:
    """Return whether a translation is so empty that the default language is shown.
    That is not documented, so this can be switched."""
    reading = space.unknowns.empty_translation
    if reading == "none":
        return value is None
    return value in _UNSET or (reading == "all" and _holds_nothing(value))


def _holds_nothing(value: Json) -> bool:
    if isinstance(value, dict):
        if value.get("type") == "doc":
            return all(map(_holds_nothing, list_of(value.get("content"))))
        return all(_holds_nothing(value[key]) for key in value if key not in _KINDS)
    if isinstance(value, list):
        return not value
    return value in (None, "", False)


def path_in_language(space: Space, story: StoredStory, language: str) -> str:
    """Return the path of a story in a language."""
    rows = map(object_of, translated_slugs(story))
    slugs = [text_of(row["slug"]) for row in rows if row["lang"] == language]
    folder, _, own = space.full_slug(story).strip("/").rpartition("/")
    slug = next((each for each in slugs if each), own)
    return "/".join(part for part in (language, folder, slug) if part)


def _written(language: str) -> str:
    """Return a language's code as translated keys write it: with `_` for `-`."""
    return language.replace("-", "_")


def translated_slugs(story: StoredStory) -> list[Json]:
    """Return the slugs of the other languages, each with an id of its own."""
    published = story.published is not None
    shown: list[Json] = []
    for row in list_of(story.body.get(KEY)):
        kept = {key: object_of(row).get(key) for key in ("lang", "slug", "name")}
        own = translation_id(story, text_of(kept["lang"]))
        shown.append({"id": own, **kept, "published": published})
    return shown


def translation_id(story: StoredStory, language: str) -> int:
    """Return the id of a story's slug in another language."""
    return 10**12 + zlib.crc32(f"{story.story_id}:{language}".encode())


def localized_paths(story: StoredStory) -> list[Json]:
    """Return the paths of the other languages."""
    rows = [object_of(row) for row in translated_slugs(story)]
    return [
        {
            "path": row["slug"],
            "name": row["name"],
            "lang": row["lang"],
            "published": row["published"],
        }
        for row in rows
    ]


def merge_translations(story: StoredStory, changes: JsonObject) -> None:
    """Merge the named languages into those that the story has."""
    if KEY not in changes:
        return
    rows = [object_of(row) for row in list_of(story.body.get(KEY))]
    languages = {text_of(row.get("lang")): row for row in rows}
    ids = {translation_id(story, language): language for language in languages}
    for wanted in map(object_of, list_of(changes[KEY])):
        own = ids.get(whole(wanted.get("id")) or 0)
        language = text_of(wanted.get("lang")) or own or ""
        if truthy(wanted.get("_destroy")):
            languages.pop(language, None)
            continue
        names = ("slug", "name")
        kept: JsonObject = {key: wanted[key] for key in names if key in wanted}
        present = languages.get(language, {})
        languages[language] = {**present, "lang": language, **kept}
    changes[KEY] = [*languages.values()]
