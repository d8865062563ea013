"""What the public reads: asset files, and stories with relations resolved."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.lists import page_of
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_list import selected
from cmsmig.sandbox.destination.stories.story_rules import blocks_of
from cmsmig.sandbox.destination.stories.story_translations import (
    in_language,
    path_in_language,
)
from cmsmig.sandbox.destination.stories.story_wire import single, with_link_paths
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of

MOST_RESOLVED = 50
"""Stories that one answer resolves. Spec: limits."""

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
            return Reply(404, b"Not found", "text/plain", item=key)
        tag = hashlib.md5(asset.data, usedforsecurity=False).hexdigest()
        headers = (("ETag", f'"{tag}"'),)
        return Reply(200, asset.data, asset.content_type, headers, item=key)


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
        body: JsonObject = {"stories": [*shown], "cv": self.version, **extra}
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
    shown = single(space, story)
    if not is_draft(call):
        shown["name"] = story.published_name
        shown["content"] = object_of(story.published_content)
    language = call.parameter("language") or ""
    is_own = space.unknowns.links_in_language and language in space.languages
    spoken = in_language(space, shown["content"], language)
    shown["content"] = with_link_paths(space, spoken, language if is_own else "")
    if is_draft(call):
        shown["content"] = _marked(space, story, shown["content"])
    shown["lang"] = language or "default"
    shown["default_full_slug"] = None
    if language:
        shown["default_full_slug"] = shown["full_slug"]
        shown["full_slug"] = path_in_language(space, story, language)
    return shown


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
