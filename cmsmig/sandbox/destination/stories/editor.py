"""The visual editor, simulated: a story is opened and saved, and nothing is changed.

Source: destination, absent equals empty (opening fills every absent schema key of the
block in the form, no other block, no translated key; a save without a change writes
nothing).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.story_routes import update
from cmsmig.sandbox.destination.stories.story_rules import schema_of
from cmsmig.sandbox.http.asgi import AnsweredError, Call
from cmsmig.sandbox.values import text_of

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
