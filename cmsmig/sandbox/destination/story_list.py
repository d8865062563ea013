"""The story list: its filters, order and pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TypeAlias

from cmsmig.canonical import Json
from cmsmig.sandbox.destination.refusals import page_of
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.story_wire import row
from cmsmig.sandbox.exchange import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, truthy, whole

Test: TypeAlias = Callable[[Space, StoredStory, str], bool]


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer one page of rows without content; the total is a header."""
    page = page_of(call, selected(space, call))
    rows: list[Json] = [row(space, story) for story in page.rows]
    return json_reply(200, {"stories": rows}, headers=page.headers)


def selected(space: Space, call: Call) -> list[StoredStory]:
    """Return the stories that a list request names, in its order."""
    trashed = truthy(call.parameter("in_trash"))
    tests = [
        (_TESTS[name], value)
        for name, value in call.parameters().items()
        if name in _TESTS and isinstance(value, str) and value
    ]
    chosen = [
        story
        for story in space.stories.values()
        if (story.deleted_at is not None) is trashed
        and all(test(space, story, value) for test, value in tests)
    ]
    return _ordered(space, call, chosen)


def _ordered(space: Space, call: Call, chosen: list[StoredStory]) -> list[StoredStory]:
    wanted = call.parameter("by_uuids_ordered")
    if wanted:
        places = {uuid: index for index, uuid in enumerate(_parts(wanted))}
        return sorted(chosen, key=lambda story: places[story.uuid])
    key, _, direction = (call.parameter("sort_by") or "").partition(":")
    if not key:
        return chosen

    def rank(story: StoredStory) -> tuple[bool, str]:
        value = row(space, story).get(key)
        if isinstance(value, int):
            return True, f"{value:020d}"
        return value is not None, text_of(value)

    return sorted(chosen, key=rank, reverse=direction.startswith("desc"))


@lru_cache(maxsize=64)
def _parts(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _path(space: Space, story: StoredStory) -> str:
    return space.full_slug(story).rstrip("/")


def _starts_with(space: Space, story: StoredStory, value: str) -> bool:
    return space.full_slug(story).startswith(value)


def _by_slugs(space: Space, story: StoredStory, value: str) -> bool:
    path = _path(space, story)
    exact, patterns = _slug_patterns(value)
    return path in exact or any(fnmatchcase(path, part) for part in patterns)


@lru_cache(maxsize=64)
def _slug_patterns(value: str) -> tuple[frozenset[str], tuple[str, ...]]:
    parts = [part.strip("/") for part in _parts(value)]
    patterns = (part.replace("[", "[[]") for part in parts if "*" in part)
    return frozenset(part for part in parts if "*" not in part), tuple(patterns)


def _excluding_slugs(space: Space, story: StoredStory, value: str) -> bool:
    return not _by_slugs(space, story, value)


def _with_slug(space: Space, story: StoredStory, value: str) -> bool:
    return _path(space, story) == value.strip("/")


def _by_ids(space: Space, story: StoredStory, value: str) -> bool:
    return str(story.story_id) in _parts(value)


def _excluding_ids(space: Space, story: StoredStory, value: str) -> bool:
    return not _by_ids(space, story, value)


def _by_uuids(space: Space, story: StoredStory, value: str) -> bool:
    return story.uuid in _parts(value)


def _with_parent(space: Space, story: StoredStory, value: str) -> bool:
    return story.parent_id == (whole(value) or 0)


def _folder_only(space: Space, story: StoredStory, value: str) -> bool:
    return story.is_folder or not truthy(value)


def _story_only(space: Space, story: StoredStory, value: str) -> bool:
    return not (story.is_folder and truthy(value))


def _root_folders_only(space: Space, story: StoredStory, value: str) -> bool:
    return not truthy(value) or (story.is_folder and not story.parent_id)


def _search(space: Space, story: StoredStory, value: str) -> bool:
    wanted = value.lower()
    return (
        wanted in story.name.lower()
        or wanted in space.full_slug(story).lower()
        or value == str(story.story_id)
        or value == story.uuid
    )


def _contain_component(space: Space, story: StoredStory, value: str) -> bool:
    return bool(set(_parts(value)) & _components(story.content))


def _components(value: Json) -> set[str]:
    if isinstance(value, list):
        return {name for part in value for name in _components(part)}
    if not isinstance(value, dict):
        return set()
    own = {text_of(value.get("component"))} - {""}
    return own | {name for part in value.values() for name in _components(part)}


def _is_published(space: Space, story: StoredStory, value: str) -> bool:
    return (story.published_content is not None) is truthy(value)


def _with_tag(space: Space, story: StoredStory, value: str) -> bool:
    tags = story.body.get("tag_list")
    return isinstance(tags, list) and bool(set(_parts(value)) & set(map(str, tags)))


def _pinned(space: Space, story: StoredStory, value: str) -> bool:
    return bool(story.body.get("pinned")) is truthy(value)


_TESTS: dict[str, Test] = {
    "starts_with": _starts_with,
    "by_slugs": _by_slugs,
    "excluding_slugs": _excluding_slugs,
    "with_slug": _with_slug,
    "by_ids": _by_ids,
    "excluding_ids": _excluding_ids,
    "by_uuids": _by_uuids,
    "by_uuids_ordered": _by_uuids,
    "with_parent": _with_parent,
    "folder_only": _folder_only,
    "story_only": _story_only,
    "root_folders_only": _root_folders_only,
    "search": _search,
    "text_search": _search,
    "contain_component": _contain_component,
    "is_published": _is_published,
    "with_tag": _with_tag,
    "pinned": _pinned,
}
