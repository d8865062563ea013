"""How fast everything is, in one table, each beside a rival or a floor.

usage: bench.py [--only TEXT ...] [--json] [--folder DIR]

Rows: conversion of bodies of 1, 8 and 100 KB beside the official converter (needs
Node); pull, plan, plan again, import, import again and verify of a generated site
against a sandbox without quota, beside plain httpx at the same concurrency against
the same sandbox; an import at 60 calls a second, from the first to the last call,
beside calls / rate; `cmsmig --help` and `import cmsmig` beside bare Python; notebooks
without a browser beside papermill with an empty one. The last column says how many
times as fast as that it is; medians of the rounds.

`--only` takes the rows whose name holds a text. Environment: BENCH_ROUNDS (3),
BENCH_ITEMS (1000), BENCH_SECONDS (1, a converter's turn).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.proofs.bench import starts, steps
from tests.proofs.bench.taken import Row, Taken, table
from tests.proofs.budget import pace
from tests.proofs.converter import bench as converters
from tests.proofs.growth.growth import COLLECTIONS, at_work, tell
from tests.proofs.growth.site import GrowingSite

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
ITEMS = int(os.environ.get("BENCH_ITEMS", "1000"))
CONVERSIONS = {
    f"convert {size} KB, {mode}": (size, mode)
    for size in converters.SIZES
    for mode in converters.OURS
}
PACED = "import at 60 calls a second"
BESIDE = {
    **dict.fromkeys(CONVERSIONS, "official converter, as it ships"),
    **steps.BESIDE,
    PACED: "calls / rate",
    **dict.fromkeys(starts.STARTS, starts.BESIDE_STARTS),
    **dict.fromkeys([*starts.OPENED, starts.OVERHEAD], starts.BESIDE_NOTEBOOKS),
}
"""Every row by name, and what it is measured beside."""


def main() -> int:
    """Measure what is asked for and print the table."""
    asked = _arguments()
    names = [n for n in BESIDE if not asked.only or any(t in n for t in asked.only)]
    if not names:
        sys.exit(f"--only is a part of one of these: {', '.join(BESIDE)}")
    taken: dict[str, list[Taken]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory(prefix="cmsmig-bench-") as made:
        folder = asked.folder or Path(made)
        for name, took in _conversions(folder, names):
            taken[name].append(took)
        for number in range(ROUNDS):
            tell(f"round {number + 1} of {ROUNDS}")
            for name, took in _round(folder, names):
                taken[name].append(took)
    rows = [Row(name, BESIDE[name], each) for name, each in taken.items() if each]
    if asked.json:
        print(json.dumps({**_machine(), "rows": [row.document() for row in rows]}))
    else:
        print(", ".join(f"{key}: {value}" for key, value in _machine().items()))
        print(f"\n{table(rows)}")
    return 0


def _round(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Taken]]:
    """Yield each row once, but for those of the converters, who take turns."""
    yield from starts.starts([name for name in starts.STARTS if name in names])
    made = [name for name in steps.MADE if name in names]
    shown = [n for n in (*starts.OPENED, starts.OVERHEAD) if n in names]
    if made or shown:
        site = GrowingSite(ITEMS, COLLECTIONS)
        with at_work(site, folder, steps.IN_FLIGHT) as here:
            yield from steps.steps(site, here, made)
            if shown and not (here.project / "decisions").exists():
                here.step("pull")
                here.step("decide", "--accept-proposals", "--reviewer", "bench")
            yield from starts.notebooks(here, shown)
    if PACED in names:
        yield PACED, _paced(folder)


def _paced(folder: Path) -> Taken:
    tell("  import at 60 calls a second")
    run = pace.measure(folder, 60, 0)
    return Taken(run.seconds, run.cpu, 0, run.least, run.calls, run.sandbox_cpu)


def _conversions(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Taken]]:
    """Yield every round of the converters, as seconds a document."""
    wanted = {name: CONVERSIONS[name] for name in names if name in CONVERSIONS}
    sizes = [
        size for size in converters.SIZES if any(size in w for w in wanted.values())
    ]
    if not sizes:
        return
    runs = converters.compared(folder, sizes, ROUNDS)
    for name, (size, mode) in wanted.items():
        official = runs.get((size, "stock"), [])
        for number, run in enumerate(runs[size, mode]):
            beside = _each(official[number]) if official else 0.0
            cpu = run["cpu"] / run["documents"]
            yield name, Taken(_each(run), cpu, run["rss"], beside)


def _each(run: dict) -> float:
    return run["seconds"] / run["documents"]


def _machine() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "rounds": ROUNDS,
        "items": ITEMS,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--folder", type=Path, help="keep the generated site here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
