"""The story list: its filters, order and pages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.lists import (
    Filter,
    filtered,
    page_reply,
    parts,
    remembered,
    text_in,
)
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_filter import (
    as_number,
    conditions_of,
    matches,
)
from cmsmig.sandbox.destination.stories.story_wire import row
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.values import list_of, text_of, truthy, whole


def listing(space: Space, call: Call) -> Reply:
    """Answer one page of rows without content; the total is a header."""
    found = remembered(space, call, selected)
    return page_reply("stories", call, found, lambda story: row(space, story))


def selected(space: Space, call: Call) -> list[StoredStory]:
    """Return the stories that a list request names, in its order."""
    asked = call.parameters()
    trashed = truthy(asked.get("in_trash"))
    candidates = [
        story
        for story in _candidates(space, asked, trashed=trashed)
        if (story.deleted_at is not None) is trashed and not story.only_in
    ]
    chosen = filtered(space, asked, candidates, _FILTERS)
    if wanted := conditions_of(asked.get("filter_query")):
        chosen = [story for story in chosen if matches(story.content, wanted)]
    return _ordered(space, asked, chosen)


def _candidates(
    space: Space, asked: JsonObject, *, trashed: bool
) -> Iterable[StoredStory]:
    """Return all that a call can name, in the order they were made.

    Every filter still looks at each of them; this only leaves out what an index
    tells not to be there.
    """
    if release := whole(asked.get("in_release")):
        held = [s for s in space.stories.values() if release in s.versions]
        return [story.in_release(release) for story in held]
    ids: Iterable[int | None]
    if (uuids := text_in(asked, "by_uuids")) and not trashed:
        ids = map(space.by_uuid.get, parts(uuids))
    elif numbers := text_in(asked, "by_ids"):
        ids = map(whole, parts(numbers))
    elif (path := text_in(asked, "with_slug")) and not trashed:
        ids = space.at_path(path)
    elif (parent := text_in(asked, "with_parent")) and not trashed:
        ids = space.children.get(whole(parent) or 0, ())
    else:
        return space.stories.values()
    known = {own for own in ids if own in space.stories}
    # Ids are given in the order of making.
    return [space.stories[own] for own in sorted(filter(None, known))]


def _ordered(
    space: Space, asked: JsonObject, chosen: list[StoredStory]
) -> list[StoredStory]:
    if wanted := text_in(asked, "by_uuids_ordered"):
        places = {uuid: index for index, uuid in enumerate(parts(wanted))}
        return sorted(chosen, key=lambda story: places[story.uuid])
    for part in reversed(text_in(asked, "sort_by").split(",")):
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


def _path(space: Space, story: StoredStory) -> str:
    return space.full_slug(story).rstrip("/")


def _by_slugs(space: Space, story: StoredStory, value: str) -> bool:
    path = _path(space, story)
    exact, patterns = _slug_patterns(value)
    return path in exact or any(fnmatchcase(path, part) for part in patterns)


@lru_cache(maxsize=64)
def _slug_patterns(value: str) -> tuple[frozenset[str], tuple[str, ...]]:
    slugs = [part.strip("/") for part in parts(value)]
    patterns = (slug.replace("[", "[[]") for slug in slugs if "*" in slug)
    return frozenset(slug for slug in slugs if "*" not in slug), tuple(patterns)


def _search(space: Space, story: StoredStory, value: str) -> bool:
    wanted = value.lower()
    return (
        wanted in story.name.lower()
        or wanted in space.full_slug(story).lower()
        or value == str(story.story_id)
        or value == story.uuid
    )


def _components(value: Json) -> set[str]:
    if isinstance(value, list):
        return {name for part in value for name in _components(part)}
    if not isinstance(value, dict):
        return set()
    own = {text_of(value.get("component"))} - {""}
    return own | {name for part in value.values() for name in _components(part)}


def _tagged(space: Space, story: StoredStory, names: str) -> bool:
    tags = map(str, list_of(story.body.get("tag_list")))
    return not set(parts(names)).isdisjoint(tags)


_FILTERS: dict[str, Filter[StoredStory]] = {
    "starts_with": lambda space, story, text: space.full_slug(story).startswith(text),
    "by_slugs": _by_slugs,
    "excluding_slugs": lambda space, story, slugs: not _by_slugs(space, story, slugs),
    "with_slug": lambda space, story, path: _path(space, story) == path.strip("/"),
    "by_ids": lambda space, story, ids: str(story.story_id) in parts(ids),
    "excluding_ids": lambda space, story, ids: str(story.story_id) not in parts(ids),
    "by_uuids": lambda space, story, uuids: story.uuid in parts(uuids),
    "by_uuids_ordered": lambda space, story, uuids: story.uuid in parts(uuids),
    "with_parent": lambda space, story, own: story.parent_id == (whole(own) or 0),
    "folder_only": lambda space, story, flag: story.is_folder or not truthy(flag),
    "story_only": lambda space, story, flag: not (story.is_folder and truthy(flag)),
    "root_folders_only": lambda space, story, flag: (
        not truthy(flag) or (story.is_folder and not story.parent_id)
    ),
    "search": _search,
    "text_search": _search,
    "contain_component": lambda space, story, names: (
        not _components(story.content).isdisjoint(parts(names))
    ),
    "is_published": lambda space, story, flag: (
        (story.published is not None) is truthy(flag)
    ),
    "with_tag": _tagged,
    "pinned": lambda space, story, flag: bool(story.body.get("pinned")) is truthy(flag),
    "reference_search": lambda space, story, text: (
        text in json.dumps(story.content, ensure_ascii=False)
    ),
}
