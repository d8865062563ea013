"""What the destination refuses in a story."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import refuse, refuse_base
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy

_SLUG = re.compile(r"[A-Za-z0-9._~-]+")


def check_place(
    space: Space,
    *,
    slug: str,
    parent_id: int,
    own_id: int,
    is_startpage: bool,
) -> None:
    """Refuse an unusable or taken slug, and a parent that is no folder."""
    if not slug:
        refuse("slug", "can't be blank")
    if not _SLUG.fullmatch(slug) or slug in {".", ".."}:
        refuse("slug", "is invalid")
    parent = space.story(parent_id)
    if parent_id and (parent is None or not parent.is_folder):
        refuse("parent_id", "is invalid")
    if is_startpage:
        _check_startpage(space, parent_id, own_id)
        return
    for other in space.places.get((parent_id, slug), set()) - {own_id}:
        # A folder and its start page share a path; they never clash.
        if not space.stories[other].is_startpage:
            refuse("slug", "has already been taken")


def check_content(content: JsonObject) -> None:
    """Refuse content that names no component."""
    if not text_of(content.get("component")):
        refuse("content", "component can't be blank")


def check_folder_types(space: Space, parent_id: int, content: JsonObject) -> None:
    """Refuse a content type that the folder is closed to.

    A folder that locks its subfolders decides for all that is below it.
    """
    name = content.get("component")
    parent = space.story(parent_id)
    if parent is None:
        return
    above = [
        folder
        for folder in space.ancestors(parent)
        if truthy(folder.content.get("lock_subfolders_content_types"))
    ]
    for folder in (parent, *above):
        allowed = list_of(folder.content.get("content_types"))
        if allowed and name not in allowed:
            refuse_base(f"The content type {name} is not allowed in this folder")


def check_size(space: Space, sent: bytes, content: Json) -> None:
    """Refuse a story that is larger than the service takes."""
    largest = space.unknowns.largest_story
    if not largest or len(sent) <= largest:
        return
    text = json.dumps(content, ensure_ascii=False)
    if len(text.encode("utf-8", "surrogatepass")) > largest:
        refuse_base(f"The story is larger than {largest} bytes")


def schema_of(space: Space, block: JsonObject) -> JsonObject:
    """Return the schema of a block's component, empty when it is unknown."""
    component = space.component(text_of(block.get("component")))
    return object_of(component.get("schema")) if component is not None else {}


def blocks_of(space: Space, block: JsonObject) -> Iterator[JsonObject]:
    """Yield a block and every block below it, as far as schemas tell."""
    yield block
    for key, value in schema_of(space, block).items():
        for nested in nested_blocks(object_of(value), block.get(key)):
            yield from blocks_of(space, nested)


def nested_blocks(field: JsonObject, value: Json) -> list[JsonObject]:
    """Return the blocks that a bloks or richtext value holds directly."""
    if field.get("type") == "bloks":
        return [one for one in list_of(value) if isinstance(one, dict)]
    if field.get("type") == "richtext":
        return document_blocks(object_of(value))
    return []


def document_blocks(document: JsonObject) -> list[JsonObject]:
    """Return the blocks inside a rich text document's blok nodes, in its order."""
    found: list[JsonObject] = []
    pending = [document]
    while pending:
        node = pending.pop()
        if node.get("type") == "blok":
            body = list_of(object_of(node.get("attrs")).get("body"))
            found += [block for block in body if isinstance(block, dict)]
        children = node.get("content")
        if isinstance(children, list):
            pending += [
                child for child in reversed(children) if isinstance(child, dict)
            ]
    return found


def blank(field: JsonObject, value: Json) -> bool:
    """Return whether a required field counts as empty."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, bool | int | float):
        return False
    if not value:
        return True
    if isinstance(value, dict):
        if field.get("type") == "asset":
            return not text_of(value.get("filename"))
        if field.get("type") == "multilink":
            keys = ("id", "url", "cached_url", "email")
            return not any(text_of(value.get(key)) for key in keys)
    return False


def _check_startpage(space: Space, parent_id: int, own_id: int) -> None:
    for other in space.children.get(parent_id, set()) - {own_id}:
        if space.stories[other].is_startpage:
            refuse("slug", "has already been taken")
