"""What the block rules make of every body of every site, as a table.

usage: proposals.py FOLDER_OF_SITES

Each folder below FOLDER_OF_SITES that holds a `sites.json` is read as content. All
rules are on. Exits 1 when the blocks of a body don't hold exactly its document.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cmsmig.mapping.convert.bodies import block_values
from cmsmig.mapping.convert.file_addresses import with_sources
from cmsmig.richtext.blocks.outline import BlockKind, outline_of, top_nodes
from cmsmig.richtext.blocks.proposals import (
    Heuristic,
    Heuristics,
    fits,
    needs_review,
    nodes_of,
    propose_blocks,
)
from cmsmig.richtext.native import NativeEngine
from tests.support.mapping.split_documents import document_nodes

RULES = Heuristics(frozenset(Heuristic))
NAMES = {kind: "figure" if kind is BlockKind.IMAGE else str(kind) for kind in BlockKind}
COLUMNS = ("site", "bodies", "split", "blocks", *BlockKind, "conserved", "ms a body")


def main(sites: Path) -> int:
    """Print the table; return the exit code."""
    rows = [row(each.parent) for each in sorted(sites.glob("*/sites.json"))]
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for each in rows:
        print("| " + " | ".join(str(each[name]) for name in COLUMNS) + " |")
    return (
        0 if rows and all(each["conserved"] == each["bodies"] for each in rows) else 1
    )


def row(site: Path) -> dict:
    """Return the counts of one site."""
    engine, counts, kinds = NativeEngine(), Counter(), Counter()
    seconds = 0.0
    for html in bodies(site):
        document = engine.from_html(with_sources(html)).document
        started = time.perf_counter()
        outline = outline_of(document)
        blocks = propose_blocks(outline, RULES)
        seconds += time.perf_counter() - started
        counts["bodies"] += 1
        counts["split"] += needs_review(blocks)
        counts["blocks"] += len(blocks)
        kinds.update(str(block.kind) for block in blocks)
        counts["conserved"] += fits(blocks, outline) and conserved(document, blocks)
    counts["ms a body"] = round(1000 * seconds / max(counts["bodies"], 1), 2)
    return {"site": site.name, **{name: counts[name] for name in COLUMNS[1:]}, **{
        str(kind): kinds[kind] for kind in BlockKind
    }}  # fmt: skip


def conserved(document: dict, blocks: tuple) -> bool:
    """Say whether blocks, and what they become, hold each node once and in order."""
    nodes = list(top_nodes(document))
    values = block_values(document, blocks, NAMES, lambda path: path)
    return [node for run in nodes_of(document, blocks) for node in run] == nodes and [
        plain(node) for node in document_nodes(values, NAMES)
    ] == [plain(node) for node in nodes]


def plain(value: object) -> object:
    """Return a node without the ids of `blok` nodes, which blocks do not keep."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    copy = {name: plain(each) for name, each in value.items()}
    if copy.get("type") == "blok":
        copy["attrs"] = {"body": copy["attrs"]["body"]}
    return copy


def bodies(site: Path) -> Iterator[str]:
    """Yield the filled RichText values of a content folder, all staged items."""
    for path in sorted((site / "collections").glob("*.json")):
        fields = json.loads(path.read_text("utf-8"))["fields"]
        slugs = [field["slug"] for field in fields if field["type"] == "RichText"]
        items = json.loads((site / "items" / path.name).read_text("utf-8"))["items"]
        for item in items:
            for slug in slugs:
                value = item["fieldData"].get(slug)
                if isinstance(value, str) and value:
                    yield value


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
