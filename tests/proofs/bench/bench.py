"""How fast everything is, in one table, each with a rival or a floor.

usage: bench.py [--only TEXT ...] [--json] [--folder DIR]

Rows: conversion of bodies of 1, 8 and 100 KB, compared with the official converter
(needs Node); pull, plan, plan again, import, import again and verify of a generated
site in a sandbox without quota, with plain httpx at the same concurrency; an import of
400 related stories, and once more, with the official CLI (needs Node); an import at
60 calls a second, from the first to the last call, with calls / rate; `cmsmig --help`
and `import cmsmig` with bare Python; notebooks without a browser with papermill and an
empty one. The last column says how many times as fast as that it is; medians of the
rounds.

`--only` takes the rows whose name holds a text. Environment: BENCH_ROUNDS (3),
BENCH_ITEMS (1000), BENCH_SECONDS (1, a converter's turn).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.proofs.bench import rounds
from tests.proofs.bench.official_cli import push
from tests.proofs.budget import pace
from tests.proofs.converter import bench as converters
from tests.proofs.growth.growth import COLLECTIONS, Figures, at_work
from tests.proofs.growth.site import GrowingSite
from tests.proofs.measuring.processes import MEGABYTE, Measured
from tests.proofs.measuring.results import print_table, tell

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
ITEMS = int(os.environ.get("BENCH_ITEMS", "1000"))
CONVERSIONS = {f"convert {size} KB": size for size in converters.SIZES}
PACED = "import at 60 calls a second"
RIVALS = {
    **dict.fromkeys(CONVERSIONS, "official converter, as it ships"),
    **rounds.RIVALS,
    **dict.fromkeys(push.ROWS, push.RIVAL),
    PACED: "calls / rate",
    **dict.fromkeys(rounds.STARTS, rounds.RIVAL_OF_STARTS),
    **dict.fromkeys([*rounds.OPENED, rounds.OVERHEAD], rounds.RIVAL_OF_NOTEBOOKS),
}
"""Every row by name, and what it is compared with."""


def main() -> int:
    """Measure what is asked for and print the table."""
    asked = _arguments()
    names = [n for n in RIVALS if not asked.only or any(t in n for t in asked.only)]
    if not names:
        sys.exit(f"--only is a part of one of these: {', '.join(RIVALS)}")
    taken: dict[str, list[Figures]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory(prefix="cmsmig-bench-") as made:
        folder = asked.folder or Path(made)
        for name, took in _conversions(folder, names):
            taken[name].append(took)
        for number in range(ROUNDS):
            tell(f"round {number + 1} of {ROUNDS}")
            for name, took in _round(folder, names):
                taken[name].append(took)
    if asked.json:
        print(json.dumps({**_machine(), "rounds": taken}))
    else:
        print(", ".join(f"{key}: {value}" for key, value in _machine().items()))
        print_table(_row(name, each) for name, each in taken.items() if each)
    return 0


def _row(name: str, found: list[Figures]) -> dict[str, object]:
    """Return the medians of all rounds, and how many times as fast as the other."""
    middle = {key: statistics.median(each[key] for each in found) for key in found[0]}
    calls, busy = round(middle["calls"]), middle["sandbox_cpu"]
    return {
        "": name,
        "s": _seconds(middle["seconds"]),
        "CPU s": _seconds(middle["cpu"]),
        "peak MB": f"{middle['peak'] / MEGABYTE:.0f}",
        "calls": calls or "-",
        "CPU ms a call": f"{1000 * middle['cpu'] / calls:.2f}" if calls else "-",
        "sandbox could, calls/s": f"{calls / busy:,.0f}" if calls and busy else "-",
        "compared with": RIVALS[name],
        "its s": _seconds(middle["floor"]),
        "x its speed": f"{middle['floor'] / middle['seconds']:.2f}",
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds >= 10 else f"{seconds:.4f}"


def _round(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield each row once, but for those of the converters, who take turns."""
    yield from rounds.starts([name for name in rounds.STARTS if name in names])
    made = [name for name in rounds.MADE if name in names]
    shown = [n for n in (*rounds.OPENED, rounds.OVERHEAD) if n in names]
    if made or shown:
        site = GrowingSite(ITEMS, COLLECTIONS)
        with at_work(site, folder) as here:
            yield from rounds.steps(site, here, made)
            if shown and not (here.folder / "decisions").exists():
                here.decided()
            yield from rounds.notebooks(here, shown)
    pushed = [name for name in push.ROWS if name in names]
    if pushed:
        yield from (row for row in push.rows(folder) if row[0] in pushed)
    if PACED in names:
        tell("  import at 60 calls a second")
        row = pace.paced(60, 0)
        took = Measured(row["took s"], row["CPU s"], 0, 0, row["calls"],
                        row["sandbox CPU s"])  # fmt: skip
        yield PACED, {**took.figures(), "floor": row["calls"] / 60}


def _conversions(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield every round of the converters, as seconds a document."""
    wanted = {name: CONVERSIONS[name] for name in names if name in CONVERSIONS}
    sizes = [
        size for size in converters.SIZES if any(size in w for w in wanted.values())
    ]
    if not sizes:
        return
    runs = converters.compared(folder, sizes, ROUNDS)
    for name, size in wanted.items():
        official = runs.get((size, "stock"), [])
        for number, run in enumerate(runs[size, converters.OURS]):
            floor = _each(official[number]) if official else 0.0
            cpu = run["cpu"] / run["documents"]
            took = Measured(_each(run), cpu, run["rss"])
            yield name, {**took.figures(), "floor": floor}


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
