"""The story list: its filters, order and pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TypeAlias

from cmsmig.canonical import Json
from cmsmig.sandbox.destination.refusals import page_of
from cmsmig.sandbox.destination.selections import remembered
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_filter import (
    as_number,
    conditions_of,
    matches,
)
from cmsmig.sandbox.destination.stories.story_wire import row
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, truthy, whole

Test: TypeAlias = Callable[[Space, StoredStory, str], bool]


def listing(space: Space, call: Call) -> Reply:
    """Answer one page of rows without content; the total is a header."""
    page = page_of(call, remembered(space, call, selected))
    rows: list[Json] = [row(space, story) for story in page.rows]
    return json_reply(200, {"stories": rows}, headers=page.headers)


def selected(space: Space, call: Call) -> list[StoredStory]:
    """Return the stories that a list request names, in its order."""
    trashed = truthy(call.parameter("in_trash"))
    tests = [
        (_TESTS[name], text)
        for name, value in call.parameters().items()
        if name in _TESTS and (text := _text(value))
    ]
    wanted = conditions_of(call.parameters().get("filter_query"))
    chosen = [
        story
        for story in _candidates(space, call, trashed=trashed)
        if (story.deleted_at is not None) is trashed
        and not story.only_in
        and all(test(space, story, value) for test, value in tests)
        and (not wanted or matches(story.content, wanted))
    ]
    return _ordered(space, call, chosen)


def _candidates(space: Space, call: Call, *, trashed: bool) -> Iterable[StoredStory]:
    """Return all that a call can name, in the order they were made.

    Every filter still looks at each of them; this only leaves out what an index
    tells not to be there.
    """
    asked = call.parameters()
    if release := whole(_text(asked.get("in_release"))):
        held = [s for s in space.stories.values() if release in s.versions]
        return [story.in_release(release) for story in held]
    ids: Iterable[int | None]
    if (uuids := _text(asked.get("by_uuids"))) and not trashed:
        ids = map(space.by_uuid.get, _parts(uuids))
    elif numbers := _text(asked.get("by_ids")):
        ids = map(whole, _parts(numbers))
    elif (path := _text(asked.get("with_slug"))) and not trashed:
        ids = space.at_path(path)
    elif (parent := _text(asked.get("with_parent"))) and not trashed:
        ids = space.children.get(whole(parent) or 0, ())
    else:
        return space.stories.values()
    known = {own for own in ids if own in space.stories}
    # Ids are given in the order of making.
    return [space.stories[own] for own in sorted(filter(None, known))]


def _ordered(space: Space, call: Call, chosen: list[StoredStory]) -> list[StoredStory]:
    wanted = _text(call.parameters().get("by_uuids_ordered"))
    if wanted:
        places = {uuid: index for index, uuid in enumerate(_parts(wanted))}
        return sorted(chosen, key=lambda story: places[story.uuid])
    for part in reversed((call.parameter("sort_by") or "").split(",")):
        key, *options = part.strip().split(":")
        if key:
            chosen = _sorted(space, chosen, key, options)
    return chosen


def _sorted(
    space: Space, chosen: list[StoredStory], key: str, options: list[str]
) -> list[StoredStory]:
    """Return the stories in the order of one key; those without it come last."""
    numeric = bool({"int", "float"} & set(options))
    ranks = {story.story_id: _rank(space, story, key, numeric) for story in chosen}
    present = [story for story in chosen if ranks[story.story_id] is not None]
    absent = [story for story in chosen if ranks[story.story_id] is None]
    present.sort(
        key=lambda story: ranks[story.story_id] or (0.0, ""),
        reverse=options[:1] == ["desc"],
    )
    if "nulls_first" in options:
        return [*absent, *present]
    return [*present, *absent]


def _rank(
    space: Space, story: StoredStory, key: str, numeric: bool
) -> tuple[float, str] | None:
    if key.startswith("content."):
        value: Json = story.content.get(key.removeprefix("content."))
    else:
        value = row(space, story).get(key)
    if isinstance(value, int | float):
        return float(value), ""
    if not isinstance(value, str) or not value:
        return None
    if not numeric:
        return 0.0, value
    number = as_number(value)
    return None if number is None else (number, "")


def _text(value: Json) -> str:
    """Return a parameter's text; the parts of a list are joined by commas."""
    if isinstance(value, list):
        return ",".join(part for part in value if isinstance(part, str))
    return text_of(value)


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
    return (story.published is not None) is truthy(value)


def _with_tag(space: Space, story: StoredStory, value: str) -> bool:
    tags = story.body.get("tag_list")
    return isinstance(tags, list) and bool(set(_parts(value)) & set(map(str, tags)))


def _references(space: Space, story: StoredStory, value: str) -> bool:
    return value in json.dumps(story.content, ensure_ascii=False)


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
    "reference_search": _references,
}
