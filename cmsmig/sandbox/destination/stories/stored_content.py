"""What a save changes in content: `_uid` and `_editable` of the blocks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories.story_rules import (
    document_blocks,
    nested_blocks,
    schema_of,
)
from cmsmig.sandbox.values import list_of, object_of, text_of


def stored(space: Space, content: JsonObject) -> JsonObject:
    """Return content as a save stores it: without `_editable`, and with a `_uid` per
    block that no other block of the story has. Does not change its argument.
    Source: destination, what a save does."""
    blocks = [*_blocks(space, content)]
    uids = {text_of(block.get("_uid")) for block in blocks} - {""}
    if len(uids) == len(blocks) and not any("_editable" in each for each in blocks):
        return content
    fresh = object_of(json.loads(json.dumps(content)))
    seen = set[str]()
    for block in _blocks(space, fresh):
        block.pop("_editable", None)
        uid = text_of(block.get("_uid"))
        if not uid or uid in seen:
            uid = block["_uid"] = space.new_uuid()
        seen.add(uid)
    return fresh


def _blocks(space: Space, content: JsonObject) -> Iterator[JsonObject]:
    """Yield every block in order, also those of and inside unknown components."""
    pending = [content]
    while pending:
        block = pending.pop()
        yield block
        schema = schema_of(space, block)
        inner: list[JsonObject] = []
        for key, value in block.items():
            if isinstance(value, list | dict):
                inner += _inside(schema.get(key.partition("__i18n__")[0]), value)
        pending += reversed(inner)


def _inside(definition: Json, value: Json) -> list[JsonObject]:
    if isinstance(definition, dict):
        return nested_blocks(definition, value)
    if isinstance(value, list):
        rows = [one for one in list_of(value) if isinstance(one, dict)]
        return [one for one in rows if "component" in one]
    document = object_of(value)
    return document_blocks(document) if document.get("type") == "doc" else []
