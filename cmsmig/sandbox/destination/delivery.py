"""What the public reads: asset files, and stories with relations resolved.

In front of the stories is an edge with cache versions, kept answers and rates. Source:
delivery, cache version and rate limits.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from urllib.parse import urlencode

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.lists import page_of
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_list import selected
from cmsmig.sandbox.destination.stories.story_rules import blocks_of
from cmsmig.sandbox.destination.stories.story_wire import (
    in_language,
    path_in_language,
    single,
    with_link_paths,
)
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.http.rate_limits import SecondWindow
from cmsmig.sandbox.values import list_of, object_of, text_of, whole

MOST_RESOLVED = 50
"""Stories that one answer resolves. Spec: limits."""
_PER_PAGE = 25
"""Rows of a list that names no number."""
_WEEK = 7 * 86_400.0
_SPACE_SECONDS = 2.0
"""How long the answer about the space is kept."""
_MOST_KEPT = 64
_POLICY = ("X-RateLimit-Policy", '"space-concurrent-requests";q=30')
"""Sent with drafts only, and no rate."""
_PAGE_RATES = ((25, 50), (50, 15), (75, 10), (100, 6))
"""Rows of a page at most, and how many such lists a second may hold, where no cache
answers."""

_SHOWN = (
    *("id", "uuid", "name", "slug", "full_slug", "content", "position", "tag_list"),
    *("created_at", "updated_at", "published_at", "first_published_at", "meta_data"),
    *("sort_by_date", "is_startpage", "parent_id", "group_id", "alternates", "path"),
)
"""Keys of a delivered story that the management side has alike. Source: the service's
documentation, the story object of the delivery side."""

Address: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
Fields: TypeAlias = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AssetDelivery:
    """Public asset files; without a token, 404 until the bytes are there."""

    space: Space

    async def answer(self, call: Call) -> Reply:
        """Answer one GET or HEAD."""
        reply = self._file(call)
        return replace(reply, service="delivery", route="public asset")

    def _file(self, call: Call) -> Reply:
        if call.method not in {"GET", "HEAD"}:
            return Reply(405)
        key = call.path.removeprefix("/a/")
        asset = self.space.assets.get(self.space.by_key.get(key, 0))
        if asset is None or asset.data is None:
            return Reply(404, b"Not found", "text/plain")
        tag = hashlib.md5(asset.data, usedforsecurity=False).hexdigest()
        headers = (("ETag", f'"{tag}"'),)
        return Reply(200, asset.data, asset.content_type, headers)


@dataclass(slots=True)
class DeliveryEdge:
    """Answers `/v2/cdn`; the token is in the query.

    A public token reads what is published, the preview token drafts as well. A
    published answer is kept under its whole address, with the cache version in it,
    and given again unchanged; a published call without a version, or with one that
    is neither kept nor the present one, is sent to the present one.
    """

    journal: Journal
    window: SecondWindow
    """Of the parts of a second that lists take: the larger a page, the more."""
    minimum_cache: int = 0
    """Seconds that an answer is kept at least; cache versions come in such steps."""
    kept: OrderedDict[Address, tuple[float, Reply]] = field(default_factory=OrderedDict)

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        reply = self._refusal(call) or self._kept(call) or self._fresh(call)
        return replace(reply, service="cdn", route="delivered stories")

    @property
    def _space(self) -> Space:
        return self.journal.space

    def _refusal(self, call: Call) -> Reply | None:
        allowed = {self._space.preview_token}
        if not is_draft(call):
            allowed.add(self._space.public_token)
        if call.parameter("token") in allowed:
            return None
        return _with_cache(json_reply(401, {"error": "Unauthorized"}), "Error")

    def _kept(self, call: Call) -> Reply | None:
        until, reply = self.kept.get(_address(call), (0.0, None))
        if reply is None or self.window.clock() >= until:
            return None
        return _with_cache(reply, "Hit")

    def _fresh(self, call: Call) -> Reply:
        rows = 1 if of_space(call) else whole(call.parameter("per_page")) or _PER_PAGE
        rates = (rate for most, rate in _PAGE_RATES if rows <= most)
        if not self.window.admit(1 / next(rates, _PAGE_RATES[-1][1])):
            return _with_cache(json_reply(429, {"error": "Too many requests"}), "Error")
        state = self.journal.state()
        version = state.version - state.version % max(self.minimum_cache, 1)
        fixed = is_draft(call) or of_space(call)
        if not fixed and whole(call.parameter("cv")) != version:
            return _with_cache(_redirect(call, version), "Miss")
        reply = StoryDelivery(state, version).reply(call)
        if is_draft(call):
            reply = replace(reply, headers=(*reply.headers, _POLICY))
        elif reply.status == 200:
            self._keep(call, reply)
        return _with_cache(reply, "Miss" if reply.status < 400 else "Error")

    def _keep(self, call: Call, reply: Reply) -> None:
        seconds = _SPACE_SECONDS if of_space(call) else self.minimum_cache or _WEEK
        self.kept[_address(call)] = (self.window.clock() + seconds, reply)
        self.kept.move_to_end(_address(call))
        if len(self.kept) > _MOST_KEPT:
            self.kept.popitem(last=False)


def _address(call: Call) -> Address:
    return call.path, tuple(sorted(call.query))


def _redirect(call: Call, version: int) -> Reply:
    """Return the way to the same address with another cache version."""
    query = [(name, value) for name, value in call.query if name != "cv"]
    asked = urlencode([*query, ("cv", str(version))])
    address = f"http://{call.headers['host']}{call.raw_path}?{asked}"
    return Reply(301, headers=(("Location", address),))


def _with_cache(reply: Reply, how: str) -> Reply:
    return replace(
        reply, headers=(*reply.headers, ("X-Cache", f"{how} from cloudfront"))
    )


@dataclass(frozen=True, slots=True)
class StoryDelivery:
    """The delivery API's stories, as they are in one state of the space."""

    space: Space
    version: int
    """The cache version that this state has."""

    def reply(self, call: Call) -> Reply:
        """Answer one GET of a story, of a list, or of the space."""
        if call.method != "GET":
            return not_found()
        if of_space(call):
            return json_reply(200, {"space": self._space()})
        path = call.path.removeprefix("/v2/cdn/stories").strip("/")
        stories = [s for s in selected(self.space, call) if _visible(s, call)]
        return self._single(call, path, stories) if path else self._list(call, stories)

    def _space(self) -> JsonObject:
        return {
            "id": self.space.space_id,
            "name": "Sandbox",
            "domain": "",
            "version": self.space.version,
            "language_codes": [*self.space.languages],
        }

    def _single(self, call: Call, path: str, stories: list[StoredStory]) -> Reply:
        found = next((s for s in stories if path in self._names(s)), None)
        if found is None:
            return not_found()
        shown = _delivered(self.space, found, call)
        extra = resolved(self.space, [shown], call)
        return json_reply(200, {"story": shown, "cv": self.version, **extra})

    def _list(self, call: Call, stories: list[StoredStory]) -> Reply:
        rows, headers = page_of(call, stories)
        shown = [_delivered(self.space, story, call) for story in rows]
        extra = resolved(self.space, shown, call)
        body = {"stories": shown, "cv": self.version, **extra}
        return json_reply(200, body, headers=headers)

    def _names(self, story: StoredStory) -> set[str]:
        full = self.space.full_slug(story).strip("/")
        return {full, story.uuid, str(story.story_id)}


def of_space(call: Call) -> bool:
    """Return whether a call asks for the space itself."""
    return call.path.strip("/") == "v2/cdn/spaces/me"


def is_draft(call: Call) -> bool:
    """Return whether a call asks for what editors see."""
    return call.parameter("version") == "draft"


def resolved(space: Space, stories: list[JsonObject], call: Call) -> JsonObject:
    """Return `rels`, at most 50 stories, and `rel_uuids` when there are more."""
    wanted = (call.parameter("resolve_relations") or "").split(",")
    pairs = {name.strip().partition(".")[::2] for name in wanted if "." in name}
    uuids: dict[str, None] = {}
    for story in stories:
        for block in blocks_of(space, object_of(story["content"])):
            uuids.update(dict.fromkeys(_targets(block, frozenset(pairs))))
    targets = [space.story_by_uuid(uuid) for uuid in uuids]
    rels: list[Json] = [
        _delivered(space, s, call) for s in targets if s and _visible(s, call)
    ]
    if len(uuids) > MOST_RESOLVED:
        return {"rels": rels[:MOST_RESOLVED], "rel_uuids": [*uuids], "links": []}
    return {"rels": rels, "links": []}


def _targets(block: JsonObject, pairs: Fields) -> list[str]:
    component = text_of(block.get("component"))
    found: list[str] = []
    for name, key in sorted(pairs):
        if name == component:
            value = block.get(key)
            found += [text_of(one) for one in list_of(value)] or [text_of(value)]
    return [uuid for uuid in found if uuid]


def _visible(story: StoredStory, call: Call) -> bool:
    if story.is_folder:
        return False
    return is_draft(call) or story.published is not None


def _delivered(space: Space, story: StoredStory, call: Call) -> JsonObject:
    whole = single(space, story)
    shown = {key: whole[key] for key in _SHOWN}
    public = not is_draft(call)
    shown["translated_slugs"] = [*_paths(space, story, public=public)]
    shown["release_id"] = None
    if public:
        shown["name"] = story.published_name
        shown["content"] = object_of(story.published_content)
    language = call.parameter("language") or ""
    is_own = space.unknowns.links_in_language and language in space.languages
    spoken = in_language(space, shown["content"], language)
    named = language if is_own else ""
    shown["content"] = with_link_paths(space, spoken, named, public=public)
    if not public:
        shown["content"] = _marked(space, story, shown["content"])
    shown["lang"] = language or "default"
    shown["default_full_slug"] = None
    if language:
        shown["default_full_slug"] = shown["full_slug"]
        shown["full_slug"] = path_in_language(space, story, language, public=public)
    return shown


def _paths(space: Space, story: StoredStory, *, public: bool) -> Iterator[Json]:
    """Yield the names and paths of a story in each language of the space, also in
    those in which it has none of its own."""
    rows = {text_of(each["lang"]): each for each in story.translations(public=public)}
    for language in (*rows, *(each for each in space.languages if each not in rows)):
        path = path_in_language(space, story, language, public=public)
        yield {
            "path": path.removeprefix(f"{language}/"),
            "name": rows.get(language, {}).get("name"),
            "lang": language,
            "published": story.published is not None if language in rows else None,
        }


def _marked(space: Space, story: StoredStory, value: Json) -> Json:
    """Return a draft's content with what the visual editor finds its blocks by."""
    if isinstance(value, list):
        return [_marked(space, story, each) for each in value]
    if not isinstance(value, dict):
        return value
    shown = {key: _marked(space, story, each) for key, each in value.items()}
    name = text_of(value.get("component"))
    if name and "_uid" in value and not name.startswith("_table_"):
        mark: JsonObject = {
            "name": name,
            "space": str(space.space_id),
            "uid": value["_uid"],
            "id": str(story.story_id),
        }
        shown["_editable"] = f"<!--#storyblok#{json.dumps(mark)}-->"
    return shown


@dataclass(frozen=True, slots=True)
class Change:
    """One story before a change."""

    at: float
    version: int
    """Of the space, before the change."""
    story_id: int
    before: StoredStory | None
    """None: it was not there."""


@dataclass(slots=True)
class Journal:
    """The changes of the last `seconds`; notes none when there are 0."""

    space: Space
    seconds: float
    clock: Callable[[], float]
    """The current time; a clock of the space that replays requests does not run."""
    changes: deque[Change] = field(default_factory=deque)

    def __post_init__(self) -> None:
        if self.seconds:
            self.space.touched = self._note

    def state(self) -> Space:
        """Return the space as it was `seconds` ago."""
        moment = self.clock() - self.seconds
        newer = [change for change in self.changes if change.at > moment]
        if not newer:
            return self.space
        stories = dict(self.space.stories)
        for change in reversed(newer):
            if change.before is None:
                stories.pop(change.story_id, None)
            else:
                stories[change.story_id] = change.before
        return _with_stories(self.space, stories, newer[0].version)

    def _note(self, story: StoredStory) -> None:
        now = self.clock()
        while self.changes and self.changes[0].at <= now - self.seconds:
            self.changes.popleft()
        known = self.space.stories.get(story.story_id)
        before = None if known is None else replace(known, body=dict(known.body))
        change = Change(now, self.space.version, story.story_id, before)
        self.changes.append(change)


def _with_stories(space: Space, stories: dict[int, StoredStory], version: int) -> Space:
    past = replace(
        space,
        stories={},
        by_uuid={},
        places={},
        children={},
        alternates={},
        selections={},
        touched=lambda story: None,
    )
    for story in stories.values():
        past.place(story)
        if story.deleted_at is not None:
            past.displace(story)
    past.version = version
    return past
