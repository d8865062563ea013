"""What the block rules make of every body of every site, as a table.

All rules are on. Exits 1 when the blocks of a body don't hold exactly its document.
"""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from cmsmig.richtext.blocks.block_runs import (
    Heuristic,
    Heuristics,
    needs_review,
    propose_blocks,
)
from cmsmig.richtext.blocks.outline import BlockKind, outline_of
from cmsmig.richtext.native import NativeEngine
from cmsmig.steps.decide.cross_check import SiteBody
from tests.proofs.converter.sites import bodies_of_sites
from tests.proofs.measuring.results import print_table
from tests.support.richtext.block_account import wrong_blocks

RULES = Heuristics(frozenset(Heuristic))
COLUMNS = ("site", "bodies", "split", "blocks", *BlockKind, "wrong", "ms a body")


def main(arguments: list[str]) -> int:
    """Print the table; return the exit code."""
    sites = bodies_of_sites(Path(arguments[0]))
    rows = [{"site": name, **_row(bodies)} for name, bodies in sites.items()]
    print_table(rows)
    return int(not rows or any(each["wrong"] for each in rows))


def _row(bodies: list[SiteBody]) -> dict[str, object]:
    """Return the counts of one site."""
    engine, counts, seconds = NativeEngine(), Counter[str](), 0.0
    for body in bodies:
        if body.markdown:
            continue
        document = engine.from_html(body.text).document
        started = time.perf_counter()
        blocks = propose_blocks(outline_of(document), RULES)
        seconds += time.perf_counter() - started
        counts.update(str(block.kind) for block in blocks)
        counts["bodies"] += 1
        counts["split"] += needs_review(blocks)
        counts["blocks"] += len(blocks)
        counts["wrong"] += bool(wrong_blocks(document, blocks))
    milliseconds = round(1000 * seconds / max(counts["bodies"], 1), 2)
    return {name: counts[name] for name in COLUMNS[1:]} | {"ms a body": milliseconds}
