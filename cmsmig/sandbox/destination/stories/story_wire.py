"""Stories as the wire shows them, in each of their languages."""

from __future__ import annotations

import hashlib
import zlib

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import OWNER, TRANSLATED, Space, StoredStory
from cmsmig.sandbox.destination.stories.story_rules import schema_of
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

WRITABLE = (
    "name",
    "slug",
    "content",
    "parent_id",
    "is_folder",
    "is_startpage",
    "default_root",
    "path",
    "position",
    "tag_list",
    "group_id",
    "sort_by_date",
    "meta_data",
    "first_published_at",
    "publish_at",
    "expire_at",
    "pinned",
    "disable_fe_editor",
    "translated_slugs_attributes",
)
_PLAIN = (
    "path",
    "default_root",
    "sort_by_date",
    "meta_data",
    "publish_at",
    "expire_at",
    "first_published_at",
)

_SIGN = "__i18n__"
_UNSET: tuple[Json, ...] = (None, "", [], {})
_KINDS = ("fieldtype", "linktype", "type", "plugin", "_uid", "component")
"""Keys of an object that name its kind, and nothing that it holds."""


def single(
    space: Space,
    story: StoredStory,
    *,
    refreshed: bool = False,
    content: Json = None,
) -> JsonObject:
    """Return a story with its content, or with `content` in its place.

    `refreshed`: the paths of internal links are brought up to date, as the
    service does on a read.
    """
    content = story.content if content is None else content
    if refreshed:
        content = with_link_paths(space, content)
    return {
        **_common(space, story),
        "content": content,
        "breadcrumbs": _breadcrumbs(space, story),
        "preview_token": _preview_token(space),
        "user_ids": [],
        "space_role_ids": [],
        "ideas": [],
        "translated_slugs": translated_slugs(story),
        "localized_paths": localized_paths(story),
        "translated_stories": [],
        "experiment_ids": [],
        "variant_type": None,
    }


def _preview_token(space: Space) -> JsonObject:
    """Return what the editor signs a preview with: a digest, never the token itself.

    Source: the service's documentation of its visual editor.
    """
    moment = str(int(space.clock()))
    signed = f"{space.space_id}:{space.preview_token}:{moment}".encode()
    digest = hashlib.sha1(signed, usedforsecurity=False).hexdigest()
    return {"token": digest, "timestamp": moment}


def row(space: Space, story: StoredStory) -> JsonObject:
    """Return a story as a list shows it: without content."""
    component = story.component
    return {
        **_common(space, story),
        "content_type": component if isinstance(component, str) else None,
        "content_summary": None,
        "release_ids": [*story.versions],
    }


def _common(space: Space, story: StoredStory) -> JsonObject:
    parent = space.stories.get(story.parent_id)
    shown: JsonObject = {
        "id": story.story_id,
        "uuid": story.uuid,
        "name": story.name,
        "slug": story.slug,
        "full_slug": space.full_slug(story),
        "parent_id": story.parent_id,
        "parent": _parent(parent) if parent is not None else None,
        "is_folder": story.is_folder,
        "is_startpage": story.is_startpage,
        "published": story.published is not None,
        "unpublished_changes": story.unpublished_changes,
        "published_at": story.published_at,
        "created_at": story.created_at,
        "updated_at": story.updated_at,
        "deleted_at": story.deleted_at,
        "imported_at": None,
        "is_scheduled": False,
        "pinned": bool(story.body.get("pinned")),
        "position": story.body.get("position") or 0,
        "tag_list": story.body.get("tag_list") or [],
        "group_id": story.body.get("group_id"),
        "disable_fe_editor": bool(story.body.get("disable_fe_editor")),
        "disble_fe_editor": bool(story.body.get("disable_fe_editor")),
        "alternates": _alternates(space, story),
        "can_not_view": None,
        "scheduled_dates": None,
        "favourite_for_user_ids": [],
        "last_author_id": OWNER,
        "last_author": {
            "id": OWNER,
            "userid": "sandbox",
            "friendly_name": "Sandbox Editor",
        },
        "stage": None,
        "current_version_id": story.story_id + 1,
        "main_version_id": None,
        "base_version_id": None,
    }
    shown.update({key: story.body.get(key) for key in _PLAIN})
    return shown


def _alternates(space: Space, story: StoredStory) -> list[Json]:
    own = space.alternates.get(story.group_id, set()) if story.group_id else set()
    others = [space.stories[one] for one in sorted(own - {story.story_id})]
    return [
        {
            "id": other.story_id,
            "name": other.name,
            "slug": other.slug,
            "published": other.published is not None,
            "full_slug": space.full_slug(other),
            "is_folder": other.is_folder,
            "parent_id": other.parent_id,
        }
        for other in others
    ]


def _parent(parent: StoredStory) -> JsonObject:
    return {
        "id": parent.story_id,
        "uuid": parent.uuid,
        "name": parent.name,
        "slug": parent.slug,
        "disble_fe_editor": bool(parent.body.get("disable_fe_editor")),
    }


def _breadcrumbs(space: Space, story: StoredStory) -> list[Json]:
    above = reversed(list(space.ancestors(story)))
    return [
        {
            "id": folder.story_id,
            "name": folder.name,
            "slug": space.full_slug(folder),
            "published": False,
            "is_folder": True,
            "parent_id": folder.parent_id,
            "path": folder.body.get("path"),
            "disable_fe_editor": bool(folder.body.get("disable_fe_editor")),
            "disble_fe_editor": bool(folder.body.get("disable_fe_editor")),
            "translated_slugs": translated_slugs(folder),
        }
        for folder in above
    ]


def with_link_paths(
    space: Space, value: Json, language: str = "", *, public: bool = False
) -> Json:
    """Return content with the paths that the targets of its links have, in a language
    where one is named; those that visitors know where it is `public`. Source:
    destination, multilink value."""

    def fresh_of(part: Json) -> Json:
        return with_link_paths(space, part, language, public=public)

    if isinstance(value, list):
        return [fresh_of(part) for part in value]
    if not isinstance(value, dict):
        return value
    fresh = {key: fresh_of(part) for key, part in value.items()}
    if value.get("fieldtype") == "multilink" and value.get("linktype") == "story":
        target = space.story_by_uuid(text_of(value.get("id")))
        if target is not None and language:
            path = path_in_language(space, target, language, public=public)
            fresh["cached_url"] = path
        elif target is not None:
            fresh["cached_url"] = space.full_slug(target)
    return fresh


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


def path_in_language(
    space: Space, story: StoredStory, language: str, *, public: bool = False
) -> str:
    """Return the path of a story in a language; with the slug that visitors know where
    it is `public`. Source: delivery, published and draft content differ."""
    rows = story.translations(public=public)
    slugs = [text_of(row.get("slug")) for row in rows if row.get("lang") == language]
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
    for row in story.translations():
        kept = {key: row.get(key) for key in ("lang", "slug", "name")}
        own = translation_id(story, text_of(kept["lang"]))
        shown.append({"id": own, **kept, "published": published})
    return shown


def translation_id(story: StoredStory, language: str) -> int:
    """Return the id of a story's slug in another language."""
    return 10**12 + zlib.crc32(f"{story.story_id}:{language}".encode())


def localized_paths(story: StoredStory) -> list[Json]:
    """Return the paths of the other languages."""
    keys = ("name", "lang", "published")
    rows = map(object_of, translated_slugs(story))
    return [{"path": row["slug"], **{key: row[key] for key in keys}} for row in rows]


def merge_translations(story: StoredStory, changes: JsonObject) -> None:
    """Merge the named languages into those that the story has."""
    if TRANSLATED not in changes:
        return
    languages = {text_of(row.get("lang")): row for row in story.translations()}
    ids = {translation_id(story, language): language for language in languages}
    for wanted in map(object_of, list_of(changes[TRANSLATED])):
        own = ids.get(whole(wanted.get("id")) or 0)
        language = text_of(wanted.get("lang")) or own or ""
        if truthy(wanted.get("_destroy")):
            languages.pop(language, None)
            continue
        names = ("slug", "name")
        kept: JsonObject = {key: wanted[key] for key in names if key in wanted}
        present = languages.get(language, {})
        languages[language] = {**present, "lang": language, **kept}
    changes[TRANSLATED] = [*languages.values()]
