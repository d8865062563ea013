"""How fast both converters are: HTML text to JSON text, one process each.

Ours and the official converter as it ships, over well-formed bodies
of about 1, 8 and 100 KB. Rivals take turns, so that a busy machine is busy for all;
`make bench` prints them. Needs Node for the official one.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cmsmig.errors import OfficialUnavailableError
from cmsmig.official.install import installation
from cmsmig.richtext.native import NativeEngine
from cmsmig.steps.batch_conversion import document_text
from tests.proofs.converter.webflow_bodies import webflow_bodies

SIZES = {"1": (1_100, 60), "8": (8_200, 30), "100": (102_000, 6)}
"""Bytes of a body, and how many different ones."""
OURS = "ours"
SECONDS = float(os.environ.get("BENCH_SECONDS", "1"))


def compared(
    folder: Path, sizes: list[str], rounds: int
) -> dict[tuple[str, str], list[dict]]:
    """Return what each rival took, by size and name."""
    bodies = {size: webflow_bodies(*SIZES[size]) for size in sizes}
    file = folder / "bodies.json"
    file.write_text(json.dumps(bodies), encoding="utf-8")
    runs: dict[tuple[str, str], list[dict]] = {}
    with ExitStack() as stack:
        rivals: dict[str, subprocess.Popen[str]] = {}
        for name, command in commands(folder).items():
            pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            rivals[name] = subprocess.Popen([*command, str(file)], text=True, **pipes)
            stack.callback(rivals[name].communicate)
        for number in range(rounds + 1):
            for size in sizes:
                for name, process in rivals.items():
                    wanted = {"size": size, "seconds": SECONDS}
                    print(json.dumps(wanted), file=process.stdin, flush=True)
                    took = json.loads(process.stdout.readline())
                    if number:  # the first round is for warming up
                        runs.setdefault((size, name), []).append(took)
            print(f"\rround {number} of {rounds}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return runs


def commands(folder: Path) -> dict[str, list[str]]:
    """Return how each rival is started; without Node only ours."""
    this = [sys.executable, "-m", "tests.proofs.converter.bench"]
    ours = {OURS: this}
    try:
        official = asyncio.run(installation())
    except OfficialUnavailableError as error:
        print(error)
        return ours
    script = folder / "bench.mjs"  # Node finds modules from where a script lies
    shutil.copyfile(Path(__file__).with_name("bench.mjs"), script)
    (folder / "node_modules").symlink_to(official.folder / "node_modules")
    return ours | {"stock": [official.node, str(script)]}


def work(file: str) -> None:
    """Be one of ours: convert each body that is asked for, until the input ends."""
    engine = NativeEngine()
    bodies = json.loads(Path(file).read_text(encoding="utf-8"))
    for line in sys.stdin:
        wanted = json.loads(line)
        documents = 0
        started, busy = time.perf_counter(), time.process_time()
        until = started + wanted["seconds"]
        while time.perf_counter() < until:
            for each in bodies[wanted["size"]]:
                document_text(engine.from_html(each).document)
                documents += 1
                if time.perf_counter() > until:
                    break
        took, busy = time.perf_counter() - started, time.process_time() - busy
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        unit = 1 if sys.platform == "darwin" else 1024
        said = {
            "documents": documents,
            "seconds": took,
            "cpu": busy,
            "rss": used * unit,
        }
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    work(*sys.argv[1:])
