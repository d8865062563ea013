"""Stories as the wire shows them."""

from __future__ import annotations

import hashlib

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import OWNER, Space, StoredStory
from cmsmig.sandbox.destination.stories.story_translations import (
    localized_paths,
    path_in_language,
    translated_slugs,
)
from cmsmig.sandbox.values import text_of

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


def single(
    space: Space,
    story: StoredStory,
    *,
    refreshed: bool = False,
    content: Json = None,
) -> JsonObject:
    """Return a story with its content, or with what is to stand in its place.

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


def with_link_paths(space: Space, value: Json, language: str = "") -> Json:
    """Return content with the paths that the targets of its links have, in a language
    where one is named. Source: destination, multilink value."""
    if isinstance(value, list):
        return [with_link_paths(space, part, language) for part in value]
    if not isinstance(value, dict):
        return value
    fresh = {key: with_link_paths(space, part, language) for key, part in value.items()}
    if value.get("fieldtype") == "multilink" and value.get("linktype") == "story":
        target = space.story_by_uuid(text_of(value.get("id")))
        if target is not None and language:
            fresh["cached_url"] = path_in_language(space, target, language)
        elif target is not None:
            fresh["cached_url"] = space.full_slug(target)
    return fresh
