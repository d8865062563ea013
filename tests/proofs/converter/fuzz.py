"""Mutated bodies through the converter: nothing raises, hangs, crawls or is lost.

A thousand inputs at a time, each thousand in a process of its own and always the same
for a seed. Prints the smallest input of each finding; exits 1 with any.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor, as_completed

from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from cmsmig.steps.batch_conversion import document_text, losses_text
from tests.proofs.converter.searching import falsified
from tests.support.richtext.bodies import mutated
from tests.support.richtext.reading import unread
from tests.support.timelimit import at_most

ENGINE = NativeEngine()
SHARE = 1_000
START, PER_BYTE = 0.5, 20e-6
"""Seconds that a conversion may take: 100 times what a byte takes as a rule."""


def main(arguments: list[str]) -> int:
    """Check all inputs, on all cores, and return the exit code."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", default="one")
    parser.add_argument("--start", type=int, default=0, help="thousands to leave out")
    options = parser.parse_args(arguments)
    os.nice(19)
    found = 0
    shares = range(options.start, -(-options.count // SHARE))
    with ProcessPoolExecutor(max_tasks_per_child=10) as pool:
        work = [pool.submit(fuzzed, f"{options.seed}/{each}") for each in shares]
        for done, each in enumerate(as_completed(work), 1):
            found += each.result()
            print(
                f"{done} of {len(work)} thousand inputs, {found} findings", flush=True
            )
    return int(found > 0)


def fuzzed(start: str) -> bool:
    """Check a thousand inputs; return whether there is a finding."""
    return falsified(check, mutated, count=SHARE, start=start)


def check(html: str) -> None:
    """Insist that an input converts in time, and that nothing is lost."""
    with at_most(5 * (START + PER_BYTE * len(html))):
        made = ENGINE.from_html(html)
        marked = ENGINE.from_markdown(html)
        render_rich_text(made.document)
    for each in (made, marked):
        assert problems(each.document) == ()
        document_text(each.document).encode("utf-8", "surrogatepass")
    losses_text(made).encode("utf-8", "surrogatepass")
    assert unread(html, made) == []
