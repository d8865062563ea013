"""Bodies that are too much of something: done, nothing lost, no more than linear.

First at full size and at half of it; then every construct of bodies and field values on
every path, up to 256 KB, one in `--share` of them: the exponent is 1.2 or less. Exits 1
with findings.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from cmsmig.steps.batch_conversion import document_text
from tests.support.richtext.constructs import KINDS, constructs
from tests.support.richtext.extremes import EXTREMES, Extreme, missing_texts
from tests.support.richtext.growth import STEEPEST, Growth, measured, paths_of
from tests.support.timelimit import at_most

TOO_STEEP = 3.0
"""How many times as long twice as much may take; 2 is linear."""
NOISE = 0.2
"""Seconds below which a measurement says nothing."""
HANG = 300.0
SHOWN = 15


def main(arguments: list[str]) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="extremes", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="a part of what to measure")
    parser.add_argument("--share", type=int, default=25, help="measure one in N")
    options = parser.parse_args(arguments)
    os.nice(19)
    found = 0
    print("| what | how much | s | to half | |\n|" + "---|" * 5)
    for extreme in EXTREMES:
        if options.name in extreme.name:
            found += _excessive(extreme)
    return int(found + _growing(options.name, options.share) > 0)


def _excessive(extreme: Extreme) -> int:
    """Convert an extreme, print what it took, return how many findings there are."""
    engine, took, ratio, wrong = NativeEngine(), 0.0, 0.0, []
    try:
        took, made = _took(engine, extreme.written(extreme.full))
        half = extreme.written(extreme.full // 2)
        ratio = took / max(_took(engine, half)[0], 1e-9)
        if took > NOISE and ratio > TOO_STEEP:  # once more: others use the machine
            ratio = _took(engine, extreme.written(extreme.full))[0]
            ratio /= max(_took(engine, half)[0], 1e-9)
        wrong = list(_wrong(extreme, made))
    except Exception as error:
        wrong.append(f"{type(error).__name__}: {str(error)[:80]}")
    if took > NOISE and ratio > TOO_STEEP:
        wrong.append(f"{ratio:.1f} times as long for twice as much")
    cells = (extreme.name, extreme.full, f"{took:.2f}", f"{ratio:.1f}")
    print("|", " | ".join(map(str, cells)), "|", "; ".join(wrong), "|", flush=True)
    return len(wrong)


def _took(engine: NativeEngine, html: str) -> tuple[float, Converted]:
    with at_most(HANG):
        began = time.process_time()
        made = engine.from_html(html)
        return time.process_time() - began, made


def _wrong(extreme: Extreme, made: Converted) -> Iterator[str]:
    yield from {each.what for each in problems(made.document)}
    document_text(made.document)
    render_rich_text(made.document)
    gone = missing_texts(extreme, extreme.full, made)
    if gone > 0:
        yield f"{gone} texts are gone"


def _growing(name: str, share: int) -> int:
    """Measure how constructs grow; print the steepest and the slowest, and return how
    many are too steep."""
    found: list[Growth] = []
    for kind in KINDS:
        named = [each for each in constructs(kind) if name in each.name]
        for each in named if name else named[::share]:
            for path, work in paths_of(each).items():
                found.append(measured(each, path, work))
                if found[-1].exponent > STEEPEST:
                    print("too steep:", found[-1].row(), flush=True)
    bad = sum(each.exponent > STEEPEST for each in found)
    print(f"\n{len(found)} constructs and paths, {bad} too steep; steepest, slowest:")
    print(
        "| exponent | KB | seconds | for a fourth | path | construct |\n|" + "---|" * 6
    )
    steepest = sorted(found, key=lambda each: -each.exponent)[:SHOWN]
    slowest = sorted(found, key=lambda each: -each.seconds[0])[:SHOWN]
    for each in (*steepest, *slowest):
        print(each.row())
    return bad
