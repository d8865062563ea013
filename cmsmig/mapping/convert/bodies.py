"""Bodies through the engine: as one document or as blocks, which add and lose nothing;
and the file addresses that the engine leaves in text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from html import escape
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject, compact
from cmsmig.character_references import shown_text
from cmsmig.data_address import is_data
from cmsmig.mapping.convert.field_context import Encoded, FieldUse, as_text, is_unfilled
from cmsmig.mapping.convert.file_addresses import (
    in_source,
    in_text,
    may_hold,
    may_name_file,
    replaced,
)
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.mapping.propose.block_designs import block_components
from cmsmig.richtext.blocks.block_runs import Block, Blocks, nodes_of
from cmsmig.richtext.blocks.outline import BlockKind, component_of, top_nodes
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.schema.content_model import empty_paragraph

_ASSET_NAMES = ("alt", "title", "source", "copyright", "meta_data")
"""What an image node and an asset value both hold, under the same names."""
_KEPT = frozenset((BlockKind.IMAGE, BlockKind.EMBED, BlockKind.HTML))
"""The kinds of blocks that may be in the document as the component that they become."""

_Find: TypeAlias = Callable[[str, Set[str]], Iterator[tuple[int, int]]]


def empty_document() -> JsonObject:
    """Return the rich text document of a field that was never filled."""
    return {"type": "doc", "content": [empty_paragraph()]}


def encode_richtext(value: Json, use: FieldUse) -> Encoded:
    """Convert an HTML body. Spec: import rule 5."""
    if is_unfilled(value):
        return Encoded(empty_document())
    engine, policy = use.context.engine, use.context.embeds
    if isinstance(value, str):
        return _rewrite_addresses(engine.from_html(value, policy, use), use)
    why = "The field holds rich text; this value is carried as JSON text."
    body = f"<p>{escape(as_text(value))}</p>"
    carried = _rewrite_addresses(engine.from_html(body, policy, use), use)
    loss = use.loss("wrong-type", value, why, Severity.MEANING)
    return Encoded(carried.value, (*carried.losses, loss))


def encode_blocks(value: Json, use: FieldUse) -> Encoded:
    """Convert an HTML body and store it as the blocks that were decided on."""
    if is_unfilled(value):
        return Encoded([])
    encoded = encode_richtext(value, use)
    document = encoded.value if isinstance(encoded.value, dict) else empty_document()
    place = BodyKey(*use.key, use.design.origin)
    whole = (Block(BlockKind.TEXT, len(top_nodes(document))),)
    values = block_values(
        document,
        use.context.blocks.get(place, whole),
        block_components(use.context.design),
        use.uid,
    )
    return Encoded(values, encoded.losses)


def block_values(
    document: JsonObject,
    blocks: Blocks,
    names: Mapping[BlockKind, str],
    uid: Callable[[str], str],
) -> list[Json]:
    """Return the value of a `bloks` field: one component for each block.

    `names` are the components of the kinds. `uid` gives the `_uid` for a path that is
    unique in the field; a component that is in the document keeps its own. Raises
    `UsageError` when the blocks are not of this document.
    """

    def value(kind: BlockKind, nodes: Sequence[JsonObject], path: str) -> Json:
        fields: JsonObject
        if kind in _KEPT and (held := component_of(nodes[0])) is not None:
            return held
        if kind is BlockKind.IMAGE:
            fields = {"image": _asset(nodes[0])}
        elif kind is BlockKind.GALLERY:
            pictures = (
                value(BlockKind.IMAGE, (node,), f"{path}/image[{index}]")
                for index, node in enumerate(nodes)
            )
            fields = {"images": [*pictures]}
        elif kind is BlockKind.QUOTE:
            fields = {"text": _document(_content(nodes[0]))}
        elif kind is BlockKind.CODE:
            fields = _code(nodes[0])
        elif kind is BlockKind.TABLE:
            fields = {"table": _document(nodes)}
        else:
            kind = BlockKind.TEXT
            fields = {"text": _document(nodes)}
        return {"_uid": uid(path), "component": names[kind], **fields}

    return [
        value(block.kind, nodes, f"block[{index}]")
        for index, (block, nodes) in enumerate(
            zip(blocks, nodes_of(document, blocks), strict=True)
        )
    ]


def _code(node: JsonObject) -> JsonObject:
    code = "".join(str(each.get("text", "")) for each in _content(node))
    language = _attributes(node).get("class")
    return {"code": code} if language is None else {"code": code, "language": language}


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


def _document(nodes: Sequence[JsonObject]) -> JsonObject:
    return {"type": "doc", "content": [*nodes]}


def _content(node: Json) -> list[JsonObject]:
    content = node.get("content") if isinstance(node, dict) else None
    listed = content if isinstance(content, list) else []
    return [each for each in listed if isinstance(each, dict)]


def _attributes(node: JsonObject) -> JsonObject:
    attributes = node.get("attrs")
    return attributes if isinstance(attributes, dict) else {}


def encode_markdown(value: Json, use: FieldUse) -> Encoded:
    """Convert text that reads as Markdown into a rich text document."""
    if is_unfilled(value):
        return Encoded(empty_document())
    engine, policy = use.context.engine, use.context.embeds
    return _rewrite_addresses(engine.from_markdown(as_text(value), policy, use), use)


def _rewrite_addresses(converted: Converted, use: FieldUse) -> Encoded:
    """Rewrite the file addresses in a document's text and in its raw HTML.

    The engine sees to attributes; what readers see as text, scripts, styles
    and source sets inside of embeds are left to this. One that holds its own bytes
    and is not uploaded shows them still.
    """
    hosts = use.context.file_hosts
    written = compact(converted.document).decode("utf-8", "surrogatepass")
    if not may_name_file(written, hosts):
        return Encoded(converted.document, converted.losses)
    listed = {loss.what for loss in converted.losses}
    missing: dict[str, Loss] = {}
    found = False
    for text, find in _texts(converted.document):
        for start, end in find(text, hosts):
            found = True
            address = text[start:end]
            if _new_address(address, use) is not None or is_data(address):
                continue
            if shown_text(address) not in listed:
                missing.setdefault(address, use.missing_loss(shown_text(address)))
    losses = (*converted.losses, *missing.values())
    if not found:
        return Encoded(converted.document, losses)

    def rewrite(text: str, find: _Find) -> str:
        places = find(text, hosts)
        return replaced(text, places, lambda found: _new_address(found, use))

    return Encoded(_rewritten(converted.document, rewrite), losses)


def _new_address(address: str, use: FieldUse) -> str | None:
    """Return the new address; in raw HTML the old one may be escaped."""
    new = use.file(address)
    if new is None and "&" in address:
        new = use.file(shown_text(address))
        return None if new is None else escape(new, quote=False)
    return new


def _texts(document: JsonObject) -> Iterator[tuple[str, _Find]]:
    """Yield a document's texts in their order, however deep, with its blocks', and what
    finds addresses in each."""
    stack: list[tuple[Json, _Find]] = [(document, in_source)]
    while stack:
        node, find = stack.pop()
        if isinstance(node, str):
            if may_hold(node):
                yield node, find
        elif isinstance(node, list):
            stack.extend((each, find) for each in reversed(node))
        elif isinstance(node, dict):
            find = _finder(node)
            stack.extend((node[name], find) for name in reversed(_read(node)))


def _finder(node: JsonObject) -> _Find:
    """Return what finds addresses in the texts of a node: in what readers see, one that
    holds a picture is an example."""
    return in_text if node.get("type") == "text" else in_source


def _rewritten(node: JsonObject, rewrite: Callable[[str, _Find], str]) -> JsonObject:
    find = _finder(node)

    def value(given: Json) -> Json:
        if isinstance(given, str):
            return rewrite(given, find)
        if isinstance(given, list):
            return [value(each) for each in given]
        return _rewritten(given, rewrite) if isinstance(given, dict) else given

    return {**node, **{name: value(node[name]) for name in _read(node)}}


def _read(node: JsonObject) -> list[str]:
    """Return the keys below which there is text: not those of a node's marks."""
    kind = node.get("type")
    if "component" in node:
        return [name for name in node if name not in ("component", "_uid")]
    if kind == "text":
        return ["text"]
    if kind == "blok":
        return ["attrs"] if isinstance(node.get("attrs"), dict) else []
    if "body" in node:
        return ["body"]
    return ["content"] if "content" in node else []
