"""The story list: its filters and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from cmsmig.canonical import Json
from cmsmig.sandbox.destination.lists import (
    Filter,
    filtered,
    page_reply,
    parts,
    remembered,
)
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_wire import row
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.values import text_of, truthy, whole


def listing(space: Space, call: Call) -> Reply:
    """Answer one page of rows without content; the total is a header."""
    found = remembered(space, call, selected)
    known = {*_FILTERS, "in_trash", "in_release"}
    return page_reply("stories", call, found, lambda story: row(space, story), known)


def selected(space: Space, call: Call) -> list[StoredStory]:
    """Return the stories that a list request names, in its order."""
    asked = call.parameters()
    trashed = truthy(asked.get("in_trash"))
    candidates = [
        story
        for story in _candidates(space, asked, trashed=trashed)
        if (story.deleted_at is not None) is trashed and not story.only_in
    ]
    return filtered(space, asked, candidates, _FILTERS)


def _candidates(
    space: Space, asked: Mapping[str, str], *, trashed: bool
) -> Iterable[StoredStory]:
    """Return all that a call can name, in the order they were made.

    Every filter still looks at each of them; this only leaves out what an index
    excludes.
    """
    if release := whole(asked.get("in_release")):
        held = [s for s in space.stories.values() if release in s.versions]
        return [story.in_release(release) for story in held]
    ids: Iterable[int | None]
    if (uuids := asked.get("by_uuids")) and not trashed:
        ids = map(space.by_uuid.get, parts(uuids))
    elif numbers := asked.get("by_ids"):
        ids = map(whole, parts(numbers))
    elif (path := asked.get("with_slug")) and not trashed:
        ids = space.at_path(path)
    elif (parent := asked.get("with_parent")) and not trashed:
        ids = space.children.get(whole(parent) or 0, ())
    else:
        return space.stories.values()
    known = {own for own in ids if own in space.stories}
    # Ids are given in the order of making.
    return [space.stories[own] for own in sorted(filter(None, known))]


def _path(space: Space, story: StoredStory) -> str:
    return space.full_slug(story).rstrip("/")


def _components(value: Json) -> set[str]:
    if isinstance(value, list):
        return {name for part in value for name in _components(part)}
    if not isinstance(value, dict):
        return set()
    own = {text_of(value.get("component"))} - {""}
    return own | {name for part in value.values() for name in _components(part)}


_FILTERS: dict[str, Filter[StoredStory]] = {
    "starts_with": lambda space, story, text: space.full_slug(story).startswith(text),
    "with_slug": lambda space, story, path: _path(space, story) == path.strip("/"),
    "by_slugs": lambda space, story, slugs: any(
        fnmatchcase(_path(space, story), each.strip("/")) for each in parts(slugs)
    ),
    "by_ids": lambda space, story, ids: str(story.story_id) in parts(ids),
    "by_uuids": lambda space, story, uuids: story.uuid in parts(uuids),
    "with_parent": lambda space, story, own: story.parent_id == (whole(own) or 0),
    "folder_only": lambda space, story, flag: story.is_folder or not truthy(flag),
    "story_only": lambda space, story, flag: not (story.is_folder and truthy(flag)),
    "contain_component": lambda space, story, names: (
        not _components(story.content).isdisjoint(parts(names))
    ),
}
