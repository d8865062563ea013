"""The story list: its filters, order and pages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NoReturn, TypeAlias

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
from cmsmig.sandbox.destination.stories.story_wire import row
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, text_of, truthy, whole

Condition: TypeAlias = Callable[[JsonObject], bool]
_Compare: TypeAlias = Callable[[Json, Json], bool]
_PLAIN_NUMBER = re.compile(r"[+-]?(\d++\.?\d*|\.\d+)")


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
    if wanted := _conditions_of(asked.get("filter_query")):
        chosen = [story for story in chosen if _matches(story.content, wanted)]
    return _ordered(space, asked, chosen)


def _candidates(
    space: Space, asked: JsonObject, *, trashed: bool
) -> Iterable[StoredStory]:
    """Return all that a call can name, in the order they were made.

    Every filter still looks at each of them; this only leaves out what an index
    excludes.
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
    number = _as_number(value)
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


# `filter_query`: conditions on what a story holds.


def _conditions_of(query: Json) -> tuple[Condition, ...]:
    """Return the conditions of a `filter_query`, all of which have to hold.

    Ends the request with 422 for a query that is no object of objects, and for
    an operation that there is not.
    """
    if query is None:
        return ()
    if not isinstance(query, dict):
        _refuse("filter_query must be an object")
    found: list[Condition] = []
    for field, operations in query.items():
        if field == "__or":
            found.append(_any_of(operations))
        else:
            found += _of_field(field, operations)
    return tuple(found)


def _matches(content: JsonObject, conditions: tuple[Condition, ...]) -> bool:
    """Return whether a story's content meets every condition."""
    return all(condition(content) for condition in conditions)


def _as_number(value: Json) -> float | None:
    """Return a number, also one written as text, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and _PLAIN_NUMBER.fullmatch(value.strip()):
        number = float(value)
        return number if math.isfinite(number) else None
    return None


def _any_of(alternatives: Json) -> Condition:
    if isinstance(alternatives, dict):
        alternatives = list(alternatives.values())
    choices = [_conditions_of(one) for one in list_of(alternatives)]
    return lambda content: any(_matches(content, choice) for choice in choices)


def _of_field(field: str, operations: Json) -> list[Condition]:
    if not isinstance(operations, dict) or not operations:
        _refuse(f"filter_query[{field}] names no operation")
    return [_condition(field, *pair) for pair in operations.items()]


def _condition(field: str, operation: str, wanted: Json) -> Condition:
    negated = operation in {"not_in", "not_like"}
    compare = _OPERATIONS.get(operation.removeprefix("not_") if negated else operation)
    if compare is None:
        _refuse(f"filter_query has no operation {operation}")
    known = compare
    return lambda content: known(_at(content, field), wanted) is not negated


def _refuse(message: str) -> NoReturn:
    raise AnsweredError(json_reply(422, {"error": message}))


def _at(content: JsonObject, field: str) -> Json:
    value: Json = content
    for step in field.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _parts(wanted: Json) -> set[str]:
    rows = wanted if isinstance(wanted, list) else text_of(wanted).split(",")
    return {text_of(row).strip() for row in rows}


def _held(value: Json) -> set[str]:
    return {_word(one) for one in list_of(value)}


def _word(value: Json) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else text_of(value)


def _like(value: Json, wanted: Json) -> bool:
    pattern = text_of(wanted).replace("[", "[[]").lower()
    return fnmatchcase(_word(value).lower(), pattern)


def _is(value: Json, wanted: Json) -> bool:
    kind = text_of(wanted)
    if kind not in _KINDS:
        _refuse(f"filter_query has no kind {kind}")
    return _KINDS[kind](value)


_KINDS: dict[str, Callable[[Json], bool]] = {
    "empty": lambda value: value is None or value == "",
    "not_empty": lambda value: value is not None and value != "",
    "empty_array": lambda value: value == [],
    "not_empty_array": lambda value: isinstance(value, list) and bool(value),
    "null": lambda value: value is None,
    "not_null": lambda value: value is not None,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
}


def _moment(value: Json) -> float | None:
    try:
        moment = datetime.fromisoformat(text_of(value))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _both(
    read: Callable[[Json], float | None], holds: Callable[[float, float], bool]
) -> _Compare:
    def compare(value: Json, wanted: Json) -> bool:
        left, right = read(value), read(wanted)
        return left is not None and right is not None and holds(left, right)

    return compare


_OPERATIONS: dict[str, _Compare] = {
    "in": lambda value, wanted: value is not None and _word(value) in _parts(wanted),
    "like": _like,
    "in_array": lambda value, wanted: not _held(value).isdisjoint(_parts(wanted)),
    "all_in_array": lambda value, wanted: _parts(wanted) <= _held(value),
    "exists": lambda value, wanted: (value is not None) is (text_of(wanted) == "true"),
    "is": _is,
    "gt_date": _both(_moment, float.__gt__),
    "lt_date": _both(_moment, float.__lt__),
    "gt_int": _both(_as_number, float.__gt__),
    "lt_int": _both(_as_number, float.__lt__),
    "gt_float": _both(_as_number, float.__gt__),
    "lt_float": _both(_as_number, float.__lt__),
}
