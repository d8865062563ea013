"""What the destination refuses in a story, and what a save changes in its content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.refusals import refuse, refuse_base
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.http.asgi import AnsweredError, Call, json_reply
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy

_SLUG = re.compile(r"[A-Za-z0-9._~-]+")
_NUMBER = re.compile(r"-?[0-9]*\.?[0-9]*")
"""Has to match a whole number value; the empty string does."""


def check_place(space: Space, story: StoredStory) -> None:
    """Refuse an unusable or taken slug, and a parent that is no folder or is below the
    story itself."""
    slug, parent_id = story.slug, story.parent_id
    if not slug:
        refuse("slug", "can't be blank")
    if not _SLUG.fullmatch(slug) or slug in {".", ".."}:
        refuse("slug", "is invalid")
    parent = space.story(parent_id)
    if parent_id and (parent is None or not parent.is_folder):
        refuse("parent_id", "is invalid")
    above = {parent_id, *(folder.story_id for folder in space.ancestors(story))}
    if story.story_id and story.story_id in above:
        refuse("parent_id", "is invalid")
    # A folder and its start page share a path; they never clash.
    if story.is_startpage:
        near = space.children.get(parent_id, set())
    else:
        near = space.places.get((parent_id, slug), set())
    for other in (space.stories[number] for number in near - {story.story_id}):
        same = other.slug == slug and not (other.is_folder or story.is_folder)
        # No source says that a start page leaves its own slug to the others.
        if other.is_startpage is story.is_startpage or same:
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
    """Yield a block and every block below it that schemas know of."""
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


def is_strict(space: Space, call: Call) -> bool:
    """Return whether a save is validated: always in recently created spaces, in older
    ones on a PUT with `strict_mode=1`. Source: destination, strict validation."""
    asked = call.method == "PUT" and truthy(call.parameter("strict_mode"))
    return space.unknowns.strict or asked


def check_values(space: Space, content: JsonObject) -> None:
    """Refuse blank required fields and values whose form does not fit the field type.

    Nested blocks count, in rich text too; translated keys do not. Ends the request
    with 422. Source: destination, strict validation.
    """
    found: list[Json] = [
        one for block in blocks_of(space, content) for one in _of(space, block)
    ]
    if found:
        raise AnsweredError(json_reply(422, {"error": {"base": found}}))


def _of(space: Space, block: JsonObject) -> Iterator[str]:
    component = text_of(block.get("component"))
    for key, definition in schema_of(space, block).items():
        field = object_of(definition)
        wrong = _fault(field, key, block)
        if wrong:
            place = f"The value of the field {key} in the component {component}"
            yield f"Block {text_of(block.get('_uid'))}: {place} {wrong}"


def _fault(field: JsonObject, key: str, block: JsonObject) -> str:
    value = block.get(key)
    if truthy(field.get("required")) and blank(field, value):
        return "can't be blank"
    form = _FORMS.get(text_of(field.get("type")))
    if form is None or key not in block:
        return ""
    fits, message = form
    return "" if fits(value) else message


def is_number(value: Json) -> bool:
    """Return whether a value has the form of a number field's."""
    return isinstance(value, str) and _NUMBER.fullmatch(value) is not None


_ARRAY = (lambda value: value is None or isinstance(value, list), "must be an array")
_OBJECT = (lambda value: value is None or isinstance(value, dict), "must be an object")
_FORMS: dict[str, tuple[Callable[[Json], bool], str]] = {
    "number": (is_number, "must be a string with numbers and allow '-' and '.'"),
    "boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "richtext": (
        lambda value: value is None or object_of(value).get("type") == "doc",
        "must be a prosemirror document",
    ),
    "bloks": _ARRAY,
    "multiasset": _ARRAY,
    "asset": _OBJECT,
    "multilink": _OBJECT,
}
"""By field type. Null counts as absent, except for numbers and booleans."""


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
