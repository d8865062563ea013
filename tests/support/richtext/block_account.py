"""What is wrong with the blocks of a document: they hold each node once, in order."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.bodies import block_values
from cmsmig.richtext.blocks.block_runs import Blocks, fits, nodes_of
from cmsmig.richtext.blocks.outline import BlockKind, outline_of, top_nodes
from cmsmig.richtext.schema.validate import documents_in, problems
from tests.support.mapping.split_documents import blocks_in, document_nodes

NAMES = {kind: "figure" if kind is BlockKind.IMAGE else str(kind) for kind in BlockKind}


def wrong_blocks(document: JsonObject, blocks: Blocks) -> list[str]:
    """Return what is wrong with the blocks, and with the values that they become."""
    return list(_wrong(document, blocks))


def _wrong(document: JsonObject, blocks: Blocks) -> Iterator[str]:
    nodes, runs = list(top_nodes(document)), nodes_of(document, blocks)
    if [node for run in runs for node in run] != nodes or not all(runs):
        yield "the nodes of the blocks are not those of the document"
    if not fits(blocks, outline_of(document)):
        yield "a block is of a kind that it can't be"
    values = block_values(document, blocks, NAMES, lambda path: f"uid {path}")
    again = [_unnamed(node) for node in document_nodes(values, NAMES)]
    if again != [_unnamed(node) for node in nodes] or len(values) != len(blocks):
        yield "the nodes of the values are not those of the document"
    uids = [block["_uid"] for block in blocks_in(values)]
    if len(set(map(str, uids))) != len(uids):
        yield "two blocks have one _uid"
    for _, inner in documents_in({"body": values}):
        yield from map(str, problems(inner))


def _unnamed(value: Json) -> Json:
    """Leave out the ids of `blok` nodes, which blocks have no place for."""
    if isinstance(value, list):
        return [_unnamed(each) for each in value]
    if not isinstance(value, dict):
        return value
    copy = {name: _unnamed(each) for name, each in value.items()}
    attributes = copy.get("attrs")
    if copy.get("type") == "blok" and isinstance(attributes, dict):
        copy["attrs"] = {"body": attributes["body"]}
    return copy
