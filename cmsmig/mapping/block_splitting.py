"""A document as blocks of a `bloks` field: nothing is added or lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.blocks.outline import BlockKind, component_of
from cmsmig.richtext.blocks.proposals import Blocks, nodes_of

_ASSET_NAMES = ("alt", "title", "source", "copyright", "meta_data")
"""What an image node and an asset value both hold, under the same names."""
_IMAGE_ATTRIBUTES = ("id", "src", *_ASSET_NAMES)

Uid = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class BlockComponents:
    """The names of the components that blocks become."""

    text: str
    figure: str
    gallery: str
    quote: str
    code: str
    table: str


def block_values(
    document: JsonObject, blocks: Blocks, components: BlockComponents, uid: Uid
) -> list[Json]:
    """Return the value of a `bloks` field: one component for each block.

    `uid` gives the `_uid` for a path that is unique in the field; a component
    that was in the document keeps its own. Raises `UsageError` when the blocks
    are not of this document.
    """
    return [
        _VALUES[block.kind](nodes, components, uid, f"block[{index}]")
        for index, (block, nodes) in enumerate(
            zip(blocks, nodes_of(document, blocks), strict=True)
        )
    ]


def _text(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    return _block(names.text, uid(path), text=_document(nodes))


def _picture(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    held = component_of(nodes[0])
    if held is not None:
        return held
    return _block(names.figure, uid(path), image=_asset(nodes[0]))


def _gallery(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    pictures: list[Json] = [
        _picture((node,), names, uid, f"{path}/image[{index}]")
        for index, node in enumerate(nodes)
    ]
    return _block(names.gallery, uid(path), images=pictures)


def _lift_nodes(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    held = component_of(nodes[0])
    return held if held is not None else _text(nodes, names, uid, path)


def _quote(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    return _block(names.quote, uid(path), text=_document(_content(nodes[0])))


def _code(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    code = "".join(str(each.get("text", "")) for each in _content(nodes[0]))
    block = _block(names.code, uid(path), code=code)
    language = _attributes(nodes[0]).get("class")
    return block if language is None else {**block, "language": language}


def _table(
    nodes: Sequence[JsonObject], names: BlockComponents, uid: Uid, path: str
) -> Json:
    return _block(names.table, uid(path), table=_document(nodes))


_VALUES: Mapping[
    BlockKind, Callable[[Sequence[JsonObject], BlockComponents, Uid, str], Json]
] = {
    BlockKind.TEXT: _text,
    BlockKind.IMAGE: _picture,
    BlockKind.GALLERY: _gallery,
    BlockKind.EMBED: _lift_nodes,
    BlockKind.HTML: _lift_nodes,
    BlockKind.QUOTE: _quote,
    BlockKind.CODE: _code,
    BlockKind.TABLE: _table,
}


def _asset(node: JsonObject) -> JsonObject:
    """Return an image node as an asset value. Spec: destination field types.

    `meta_data` is an object there, and nothing in an image node without any.
    """
    given = _attributes(node)
    return {
        "id": given.get("id"),
        "fieldtype": "asset",
        "filename": given.get("src") or "",
        "name": "",
        "focus": "",
        **{name: given.get(name) for name in _ASSET_NAMES},
        "meta_data": given.get("meta_data") or {},
        "is_external_url": given.get("id") is None,
    }


def _block(component: str, uid: str, **fields: Json) -> JsonObject:
    return {"_uid": uid, "component": component, **fields}


def _document(nodes: Sequence[JsonObject]) -> JsonObject:
    content: list[Json] = list(nodes)
    return {"type": "doc", "content": content}


def _content(node: Json) -> list[JsonObject]:
    content = node.get("content") if isinstance(node, dict) else None
    listed = content if isinstance(content, list) else []
    return [each for each in listed if isinstance(each, dict)]


def _attributes(node: JsonObject) -> JsonObject:
    attributes = node.get("attrs")
    return attributes if isinstance(attributes, dict) else {}
