"""The destination's pages for an editor: a story is changed by hand, on a page or with
JSON. What a page sends goes the way of the management API."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import not_found
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_routes import update
from cmsmig.sandbox.destination.stories.story_rules import schema_of
from cmsmig.sandbox.http.asgi import (
    AnsweredError,
    Call,
    Reply,
    Route,
    Router,
    json_reply,
)
from cmsmig.sandbox.http.forms import form, json_field, link, page, table, text_field
from cmsmig.sandbox.values import object_of, text_of, whole

_ROOT = "The destination: its stories"
_ACTS = {
    "publish": ("GET", "/publish", "Publish"),
    "unpublish": ("GET", "/unpublish", "Unpublish"),
    "delete": ("DELETE", "", "Delete"),
}


@dataclass(slots=True)
class StoryPages:
    """Answers `/_sandbox` and `/_sandbox/stories/{id}`, and the acts on a story; no
    token, no quota.

    Each act (`edit`, `publish`, `unpublish`, `delete`) takes `story_id`; `edit` also
    `story`, an object of `name` and `slug`, and `content`, the fields that change. A
    POST of `open-and-save` opens and saves the story of `story_id`, or all, as the
    visual editor does.
    """

    space: Space
    apply: Callable[[Call], Reply]
    """Does a management call, without a token."""
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        routes = (
            Route("POST", "/_sandbox/open-and-save", "open and save", self._save),
            Route("GET", "/_sandbox", "stories page", self._stories),
            Route("GET", "/_sandbox/stories/{id}", "story page", self._story),
            Route("POST", "/_sandbox/edit", "edit", self._edit),
            *(
                Route("POST", f"/_sandbox/{verb}", verb, partial(self._act, verb))
                for verb in _ACTS
            ),
        )
        self.router = Router(routes, lambda call: Reply(404))

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        return replace(self.router.answer(call), service="control")

    def _save(self, call: Call) -> Reply:
        story_id = whole(call.document().get("story_id"))
        named = None if story_id is None else [story_id]
        return json_reply(200, open_and_save(self.space, named))

    def _stories(self, call: Call) -> Reply:
        stories = [s for s in self.space.stories.values() if s.is_plain]
        stories.sort(key=self.space.full_slug)
        rows = [
            (
                link(f"/_sandbox/stories/{each.story_id}", text_of(each.body["name"])),
                escape(self.space.full_slug(each)),
                _state(each),
            )
            for each in stories
            if not each.is_folder
        ]
        return page(_ROOT, _ROOT, [table(("Story", "Path", "State"), rows)])

    def _story(self, call: Call) -> Reply:
        story = self._known(call.record_id)
        sent: JsonObject = {"story_id": story.story_id}
        names = [
            text_field(key, key.title(), story.body.get(key))
            for key in ("name", "slug")
        ]
        fields = [
            text_field(key, key, value, long=True)
            if isinstance(value, str)
            else json_field(key, key, value)
            for key, value in story.content.items()
            if key not in ("_uid", "component")
        ]
        parts = [
            f"<p>{escape(self.space.full_slug(story))}, {_state(story)}</p>",
            *(
                form(verb, label, sent, then="/_sandbox/" if verb == "delete" else "")
                for verb, (_, _, label) in _ACTS.items()
            ),
            form("edit", "Save the name", sent, under="story", fields=names),
            form("edit", "Save the content", sent, under="content", fields=fields),
        ]
        return page(_ROOT, text_of(story.body.get("name")), parts)

    def _edit(self, call: Call) -> Reply:
        sent = call.document()
        story = self._named(call, {"story", "content"})
        named, fields = object_of(sent.get("story")), object_of(sent.get("content"))
        if named.keys() - {"name", "slug"} or not (named or fields):
            _refuse("name, slug or content is needed, and nothing else")
        content: Json = {**story.content, **fields}
        body = {"story": {**named, "content": content}}
        return self._asked(story, "PUT", "", json.dumps(body).encode())

    def _act(self, verb: str, call: Call) -> Reply:
        method, path, _ = _ACTS[verb]
        return self._asked(self._named(call, set()), method, path)

    def _asked(
        self, story: StoredStory, method: str, end: str, body: bytes = b""
    ) -> Reply:
        path = f"/v1/spaces/{self.space.space_id}/stories/{story.story_id}{end}"
        return self.apply(Call(method, path, path, (), {}, body))

    def _named(self, call: Call, more: set[str]) -> StoredStory:
        sent = call.document()
        if unknown := sent.keys() - {"story_id", *more}:
            _refuse(f"unknown: {', '.join(sorted(unknown))}")
        return self._known(whole(sent.get("story_id")) or 0)

    def _known(self, story_id: int) -> StoredStory:
        story = self.space.story(story_id)
        if story is None or story.is_folder:
            raise AnsweredError(not_found())
        return story


def _state(story: StoredStory) -> str:
    if story.published is None:
        return "draft"
    return "published, with changes" if story.unpublished_changes else "published"


def _refuse(what: str) -> None:
    raise AnsweredError(json_reply(400, {"error": what}))


_WITHOUT_VALUE = frozenset({"section", "tab"})
"""Types that only arrange the form."""


def open_and_save(
    space: Space, story_ids: Iterable[int] | None = None
) -> dict[str, Json]:
    """Open and save stories, all of them when none is named.

    Returns the ids under `saved`, `unchanged` (nothing was sent), and `refused` with
    the service's answer. A save is the same update that the management API takes.
    """
    saved: list[Json] = []
    unchanged: list[Json] = []
    refused: list[Json] = []
    for story_id in [*space.stories] if story_ids is None else story_ids:
        story = space.story(story_id)
        if story is None or story.is_folder:
            continue
        filled = opened(space, story)
        if filled == story.content:
            unchanged.append(story_id)
            continue
        try:
            update(space, _save(story, filled))
        except AnsweredError as error:
            answer = error.reply.body.decode("utf-8", "replace")
            refused.append({"story_id": story_id, "answer": answer})
        else:
            saved.append(story_id)
    return {"saved": saved, "unchanged": unchanged, "refused": refused}


def opened(space: Space, story: StoredStory) -> JsonObject:
    """Return a story's content as the form holds it once the story is opened."""
    content = story.content
    absent = {
        key: _empty(space, field)
        for key, field in schema_of(space, content).items()
        if key not in content
        and isinstance(field, dict)
        and field.get("type") not in _WITHOUT_VALUE
    }
    return content | absent


def _save(story: StoredStory, content: JsonObject) -> Call:
    path = f"/v1/stories/{story.story_id}"
    body = json.dumps({"story": {"content": content}}).encode()
    return Call("PUT", path, path, (), {}, body, {"id": str(story.story_id)})


def _empty(space: Space, field: JsonObject) -> Json:
    """Return the empty value of a field's type."""
    kind = text_of(field.get("type"))
    if space.unknowns.editor_fills_defaults and field.get("default_value"):
        return field["default_value"]
    if kind == "table":
        return _empty_table(space)
    if kind == "custom":
        own = dict.fromkeys(space.unknowns.plugin_keys, "")
        return {"plugin": field.get("field_type"), "_uid": space.new_uuid(), **own}
    return deepcopy(_EMPTY.get(kind, ""))


_EMPTY: dict[str, Json] = {
    "boolean": False,
    "options": [],
    "multiasset": [],
    "bloks": [],
    "richtext": {"type": "doc", "content": [{"type": "paragraph"}]},
    "asset": {
        **dict.fromkeys(("id", "alt", "copyright", "focus", "source", "title")),
        "name": "",
        "filename": "",
        "fieldtype": "asset",
        "meta_data": {},
    },
    "multilink": {
        **dict.fromkeys(("id", "url", "cached_url"), ""),
        "linktype": "story",
        "fieldtype": "multilink",
    },
}
"""The empty values that hold no mark of their own; of the other types a text."""


def _empty_table(space: Space) -> JsonObject:
    def cell(component: str) -> JsonObject:
        return {"_uid": space.new_uuid(), "component": component, "value": ""}

    row: JsonObject = {
        "_uid": space.new_uuid(),
        "component": "_table_row",
        "body": [cell("_table_col"), cell("_table_col")],
    }
    return {
        "fieldtype": "table",
        "thead": [cell("_table_head"), cell("_table_head")],
        "tbody": [row],
    }
