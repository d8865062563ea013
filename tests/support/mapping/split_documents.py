"""The document that the blocks of a field were made of, to compare it with that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.blocks.outline import BlockKind

_ASSET_NAMES = ("alt", "title", "source", "copyright")
"""What an image node and an asset value both hold, under the same names."""


def document_nodes(
    value: Json, components: Mapping[BlockKind, str]
) -> list[JsonObject]:
    """Return the top-level nodes of the document that a field's blocks were made of.

    The ids of `blok` nodes are not kept by blocks and are left out here.
    """
    listed = value if isinstance(value, list) else []
    found: list[JsonObject] = []
    for block in listed:
        if isinstance(block, dict):
            found.extend(_nodes(block, components))
    return found


def _nodes(block: JsonObject, names: Mapping[BlockKind, str]) -> Iterator[JsonObject]:
    component = block.get("component")
    if component == names[BlockKind.TEXT]:
        yield from _content(block.get("text"))
    elif component == names[BlockKind.TABLE]:
        yield from _content(block.get("table"))
    elif component == names[BlockKind.QUOTE]:
        quoted: list[Json] = list(_content(block.get("text")))
        yield {"type": "blockquote", "content": quoted}
    elif component == names[BlockKind.CODE]:
        yield _code_node(block)
    elif component == names[BlockKind.GALLERY]:
        images = block.get("images")
        for each in images if isinstance(images, list) else []:
            if isinstance(each, dict):
                yield from _nodes(each, names)
    elif component == names[BlockKind.IMAGE] and block.keys() <= {
        "_uid",
        "component",
        "image",
    }:
        yield _image_node(block.get("image"))
    else:
        yield {"type": "blok", "attrs": {"body": [block]}}


def _code_node(block: JsonObject) -> JsonObject:
    attributes: JsonObject = {"class": block.get("language")}
    node: JsonObject = {"type": "code_block", "attrs": attributes}
    if code := block.get("code"):
        node["content"] = [{"type": "text", "text": code}]
    return node


def _image_node(value: Json) -> JsonObject:
    asset = value if isinstance(value, dict) else {}
    attributes: JsonObject = {"id": asset.get("id"), "src": asset.get("filename")}
    attributes |= {name: asset.get(name) for name in _ASSET_NAMES}
    attributes["meta_data"] = asset.get("meta_data") or None
    return {"type": "image", "attrs": attributes}


def _content(node: Json) -> list[JsonObject]:
    content = node.get("content") if isinstance(node, dict) else None
    listed = content if isinstance(content, list) else []
    return [each for each in listed if isinstance(each, dict)]


def blocks_in(value: Json) -> Iterator[JsonObject]:
    """Yield every block inside a value."""
    if isinstance(value, list):
        for each in value:
            yield from blocks_in(each)
    if isinstance(value, dict):
        if "component" in value:
            yield value
        for each in value.values():
            yield from blocks_in(each)
