"""Blocks: runs of a document's top-level nodes, proposed by rules and changed by
people. Blocks say how many nodes they hold, so that nothing can get lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from typing import TypeVar

from cmsmig.canonical import JsonObject
from cmsmig.errors import UsageError
from cmsmig.richtext.blocks.outline import (
    BlockKind,
    NodeOutline,
    Outline,
    kinds_of,
    top_nodes,
)

RULES_VERSION = 1
"""Raised whenever the same document and heuristics would give other proposals."""

Node = TypeVar("Node")


class Heuristic(StrEnum):
    """A rule that a person can switch on."""

    HEADINGS = "headings"
    """A heading of the chosen level or higher begins a new text block."""
    IMAGES = "images"
    """A picture at the top level is a block."""
    EMBEDS = "embeds"
    """A video, frame or raw HTML is a block."""
    TABLES = "tables"
    QUOTES = "quotes"
    CODE = "code"
    GALLERIES = "galleries"
    """Two or more pictures in a row are one block."""


class How(StrEnum):
    """How a block came to be."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    MERGED = "merged"
    SPLIT = "split"
    RETYPED = "retyped"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Heuristics:
    """What is split off; with nothing on, a body is one text block."""

    on: frozenset[Heuristic] = frozenset()
    heading_level: int = 2
    """1 to 6; counts when headings are on."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of top-level nodes."""

    kind: BlockKind
    nodes: int
    """How many, at least 1."""
    why: str = ""
    """One sentence for an editor."""
    how: How = How.PROPOSED


Blocks = tuple[Block, ...]

_RULES: Mapping[BlockKind, tuple[Heuristic, str]] = {
    BlockKind.IMAGE: (Heuristic.IMAGES, "A picture is alone here."),
    BlockKind.EMBED: (Heuristic.EMBEDS, "A video or frame with an address is here."),
    BlockKind.HTML: (Heuristic.EMBEDS, "Separate HTML is here."),
    BlockKind.TABLE: (Heuristic.TABLES, "A table is here."),
    BlockKind.QUOTE: (Heuristic.QUOTES, "A quote is here."),
    BlockKind.CODE: (Heuristic.CODE, "A code block is here."),
}
_SAID: Mapping[BlockKind, str] = {
    BlockKind.TEXT: "text",
    BlockKind.IMAGE: "picture",
    BlockKind.GALLERY: "gallery",
    BlockKind.EMBED: "embed",
    BlockKind.HTML: "HTML",
    BlockKind.QUOTE: "quote",
    BlockKind.CODE: "code",
    BlockKind.TABLE: "table",
}
_PICTURES = frozenset((BlockKind.IMAGE, BlockKind.GALLERY))


def propose_blocks(outline: Outline, heuristics: Heuristics) -> Blocks:
    """Return the blocks that the rules make of a document: a partition of its
    top-level nodes, in order. An empty document has no blocks."""
    blocks: list[Block] = []
    for piece, starts in _pieces(outline, heuristics):
        last = blocks[-1] if blocks else None
        if last is None or starts or last.kind is not BlockKind.TEXT:
            blocks.append(piece if piece.why else replace(piece, why=_place(blocks)))
        else:
            blocks[-1] = replace(last, nodes=last.nodes + piece.nodes)
    if len(blocks) == 1 and blocks[0].kind is BlockKind.TEXT:
        return (replace(blocks[0], why="No rule splits this body."),)
    return tuple(blocks)


def merged(blocks: Blocks, index: int) -> Blocks:
    """Join a block with the one after it: pictures to a gallery, all else to text.

    Raises `UsageError` when there is no block after it.
    """
    first = _at(blocks, index)
    if index + 1 >= len(blocks):
        raise UsageError("This is the last block, and there is none to merge it with.")
    second = blocks[index + 1]
    pictures = first.kind in _PICTURES and second.kind in _PICTURES
    joined = Block(
        BlockKind.GALLERY if pictures else BlockKind.TEXT,
        first.nodes + second.nodes,
        "Merged by hand.",
        How.MERGED,
    )
    return (*blocks[:index], joined, *blocks[index + 2 :])


def split(blocks: Blocks, index: int, at: int) -> Blocks:
    """Cut a block before its node `at`, counted from 0 inside of the block.

    Raises `UsageError` when that leaves a part without a node.
    """
    block = _at(blocks, index)
    if not 0 < at < block.nodes:
        raise UsageError(
            "A block can be split only between two of its parts; this one holds "
            f"{block.nodes}."
        )
    parts = (
        Block(_part_kind(block.kind, nodes), nodes, "Split by hand.", How.SPLIT)
        for nodes in (at, block.nodes - at)
    )
    return (*blocks[:index], *parts, *blocks[index + 1 :])


def retyped(blocks: Blocks, index: int, kind: BlockKind, outline: Outline) -> Blocks:
    """Make a block one of another kind.

    Raises `UsageError` when a block of that kind cannot hold its nodes.
    """
    block = _at(blocks, index)
    allowed = kinds_of(runs_of(outline, blocks)[index])
    if kind not in allowed:
        raise UsageError(
            f"This block can't be of kind `{kind}`; it can be {' or '.join(allowed)}."
        )
    if kind is block.kind:
        return blocks
    new = replace(block, kind=kind, why="Its kind was chosen by hand.", how=How.RETYPED)
    return (*blocks[:index], new, *blocks[index + 1 :])


def rejected(
    blocks: Blocks, index: int, outline: Outline, heuristics: Heuristics
) -> Blocks:
    """Dissolve a block into the text around it.

    The text before takes it up, and so does the text after unless a heading
    begins that one. A text block goes back to the text before it. Raises
    `UsageError` when it has no text to go back to.
    """
    block = _at(blocks, index)
    before = index > 0 and blocks[index - 1].kind is BlockKind.TEXT
    if block.kind is BlockKind.TEXT and not before:
        raise UsageError(
            "No text is before this block that it could return to; merge it with its "
            "neighbour if they belong together."
        )
    start = index - 1 if before else index
    end = index + 1
    if block.kind is not BlockKind.TEXT and end < len(blocks):
        runs = runs_of(outline, blocks)
        after = blocks[end].kind is BlockKind.TEXT
        if after and not _begins(runs[end][0], heuristics):
            end += 1
    nodes = sum(each.nodes for each in blocks[start:end])
    text = Block(BlockKind.TEXT, nodes, "Taken back into the text.", How.REJECTED)
    return (*blocks[:start], text, *blocks[end:])


def accepted(blocks: Blocks) -> Blocks:
    """Return the blocks with what was only proposed accepted."""
    return tuple(
        replace(block, how=How.ACCEPTED) if block.how is How.PROPOSED else block
        for block in blocks
    )


def nodes_of(
    document: JsonObject, blocks: Blocks
) -> tuple[tuple[JsonObject, ...], ...]:
    """Return each block's nodes; one after the other they are the document's.

    Raises `UsageError` when the blocks are not of this document.
    """
    return _cut(top_nodes(document), blocks)


def runs_of(outline: Outline, blocks: Blocks) -> tuple[Outline, ...]:
    """Return each block's part of an outline, as `nodes_of` does of a document."""
    return _cut(outline, blocks)


def fits(blocks: Blocks, outline: Outline) -> bool:
    """Return whether blocks partition a document and their kinds hold its nodes."""
    if sum(block.nodes for block in blocks) != len(outline):
        return False
    return all(
        block.nodes > 0 and block.kind in kinds_of(run)
        for block, run in zip(blocks, runs_of(outline, blocks), strict=True)
    )


def needs_review(blocks: Blocks) -> bool:
    """Return whether a proposal splits anything: one text block needs no person."""
    return len(blocks) > 1 or any(block.kind is not BlockKind.TEXT for block in blocks)


def _cut(nodes: tuple[Node, ...], blocks: Blocks) -> tuple[tuple[Node, ...], ...]:
    ends = list(accumulate(block.nodes for block in blocks))
    if (ends[-1] if ends else 0) != len(nodes):
        raise UsageError(
            f"The blocks hold {ends[-1] if ends else 0} parts and the body has "
            f"{len(nodes)}; decide on this body again."
        )
    starts = [0, *ends]
    return tuple(nodes[a:b] for a, b in zip(starts, ends, strict=False))


def _pieces(outline: Outline, heuristics: Heuristics) -> Iterator[tuple[Block, bool]]:
    """Yield blocks of a node each, galleries whole, and whether a new one starts."""
    index = 0
    while index < len(outline):
        node = outline[index]
        galleries = Heuristic.GALLERIES in heuristics.on
        pictures = _pictures(outline, index) if galleries else 0
        rule = _RULES.get(node.role)
        if pictures > 1:
            why = f"{pictures} pictures follow each other here."
            yield Block(BlockKind.GALLERY, pictures, why), True
        elif rule is not None and rule[0] in heuristics.on:
            yield Block(node.role, 1, rule[1]), True
        elif _begins(node, heuristics):
            why = f"A heading of level {node.level} begins here."
            yield Block(BlockKind.TEXT, 1, why), True
        else:
            yield Block(BlockKind.TEXT, 1), False
        index += max(pictures, 1)


def _pictures(outline: Outline, start: int) -> int:
    end = start
    while end < len(outline) and outline[end].role is BlockKind.IMAGE:
        end += 1
    return end - start


def _begins(node: NodeOutline, heuristics: Heuristics) -> bool:
    wanted = Heuristic.HEADINGS in heuristics.on
    return wanted and 0 < node.level <= heuristics.heading_level


def _place(before: Sequence[Block]) -> str:
    if not before:
        return "The body begins with this text."
    return f"The text continues here after the {_SAID[before[-1].kind]}."


def _part_kind(kind: BlockKind, nodes: int) -> BlockKind:
    if kind is BlockKind.GALLERY and nodes == 1:
        return BlockKind.IMAGE
    return kind


def _at(blocks: Blocks, index: int) -> Block:
    if not 0 <= index < len(blocks):
        raise UsageError(f"This body has no block {index + 1}; it has {len(blocks)}.")
    return blocks[index]
