"""How fast both converters are: HTML text to JSON text, one process each.

Ours in both modes, beside the official converter as it ships and with its window
and schema reused, over well-formed bodies of about 1, 8 and 100 KB (fixed seed).
Rivals take turns, so that a busy machine is busy for all; medians over the rounds,
with the least and most, and the processor time, which counts all threads. Then a
folder of bodies on one process and on all cores.

Environment, for a quicker run: BENCH_ROUNDS (7), BENCH_SECONDS (1, per turn),
BENCH_STAGES (1,8,100,cores). Needs Node but for the last stage.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cmsmig.errors import OfficialUnavailableError
from cmsmig.official.install import Installation, installation
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.steps.batch_conversion import convert_folder, document_text
from tests.proofs.converter.webflow_bodies import webflow_bodies

SIZES = {"1": (1_100, 60), "8": (8_200, 30), "100": (102_000, 6)}
"""Bytes of a body, and how many different ones."""
OURS = ("exact", "faithful")
RIVALS = {
    "exact": "ours, exact",
    "faithful": "ours, faithful",
    "stock": "official, as it ships",
    "warm": "official, window and schema reused",
}
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "1"))
STAGES = os.environ.get("BENCH_STAGES", "1,8,100,cores").split(",")
MANY = 1_500
"""Bodies of the folder that all cores convert."""


def main(arguments: list[str]) -> int:
    """Run the stages and print the tables."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: "
          f"{os.getloadavg()[0]:.1f}; {ROUNDS} rounds of {SECONDS:g} s")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        sizes = [stage for stage in STAGES if stage in SIZES]
        if sizes:
            side_by_side(Path(folder), sizes)
        if "cores" in STAGES:
            on_all_cores(Path(folder))
    return 0


# Side by side.


def side_by_side(folder: Path, sizes: list[str]) -> None:
    """Let every rival convert every size, in turns, and print the table."""
    bodies, runs = compared(folder, sizes, ROUNDS)
    for size in sizes:
        mean = statistics.mean(len(each.encode()) for each in bodies[size])
        of_size = {name: took for (of, name), took in runs.items() if of == size}
        print_size(f"{mean:,.0f} B", of_size)


def compared(
    folder: Path, sizes: list[str], rounds: int
) -> tuple[dict[str, list[str]], dict[tuple[str, str], list[dict]]]:
    """Return the bodies by size, and what each rival took by size and name."""
    bodies = {size: webflow_bodies(*SIZES[size]) for size in sizes}
    file = folder / "bodies.json"
    file.write_text(json.dumps(bodies), encoding="utf-8")
    runs: dict[tuple[str, str], list[dict]] = {}
    with ExitStack() as stack:
        rivals = {
            name: stack.enter_context(rival(command))
            for name, command in commands(folder, file).items()
        }
        for number in range(rounds + 1):
            for size in sizes:
                for name, ask in rivals.items():
                    took = ask.send({"size": size, "seconds": SECONDS})
                    if number:  # the first round is for warming up
                        runs.setdefault((size, name), []).append(took)
            print(f"\rround {number} of {rounds}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return bodies, runs


def commands(folder: Path, file: Path) -> dict[str, list[str]]:
    """Return how each rival is started; without Node only ours."""
    this = [sys.executable, "-m", "tests.proofs.converter.bench"]
    ours = {name: [*this, name, str(file)] for name in OURS}
    try:
        official = asyncio.run(installation())
    except OfficialUnavailableError as error:
        print(error)
        return ours
    script = beside_package(folder, official)
    theirs = [official.node, str(script)]
    return ours | {name: [*theirs, name, str(file)] for name in ("stock", "warm")}


def beside_package(folder: Path, official: Installation) -> Path:
    """Lay the script where Node finds the package's modules from."""
    script = folder / "bench.mjs"
    shutil.copyfile(Path(__file__).with_name("bench.mjs"), script)
    (folder / "node_modules").symlink_to(official.folder / "node_modules")
    return script


class Rival:
    """A process that converts when it is asked to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def hear(self) -> dict:
        """Return what it says next."""
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"A rival ended early: {self._process.args}")
        return json.loads(line)

    def send(self, wanted: dict) -> dict:
        """Ask for a run and return what it took."""
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return self.hear()


@contextmanager
def rival(command: list[str]) -> Iterator[Rival]:
    """Start a rival, yield it when it is ready, end it."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        started = Rival(process)
        started.hear()
        yield started
        process.stdin.close()


def print_size(size: str, runs: dict[str, list[dict]]) -> None:
    """Print the rivals of one size, with ours as a multiple of theirs."""
    rates = {
        name: [run["documents"] / run["seconds"] for run in each]
        for name, each in runs.items()
    }
    medians = {name: statistics.median(each) for name, each in rates.items()}
    print(f"\n| bodies of {size} | documents/s | least - most | MB/s | ms | "
          "CPU ms | x as it ships | x reused | max RSS |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    for name, each in runs.items():
        speed = statistics.median(run["bytes"] / run["seconds"] / 1e6 for run in each)
        cpu = statistics.median(1000 * run["cpu"] / run["documents"] for run in each)
        ratios = [
            f"{medians[name] / medians[other]:.1f}" if other in medians else "-"
            for other in ("stock", "warm")
        ]
        most = max(run["rss"] for run in each) / 1e6
        print(
            f"| {RIVALS[name]} | {medians[name]:,.1f} | {min(rates[name]):,.1f} - "
            f"{max(rates[name]):,.1f} | {speed:.2f} | {1000 / medians[name]:.2f} | "
            f"{cpu:.2f} | {' | '.join(ratios)} | {most:.0f} MB |"
        )


def work(mode: str, file: str) -> None:
    """Be one of ours: convert when asked to, until nobody asks."""
    engine = NativeEngine(Mode(mode))
    bodies = json.loads(Path(file).read_text(encoding="utf-8"))
    lengths = {each: len(each.encode()) for size in bodies.values() for each in size}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        wanted = json.loads(line)
        documents = length = 0
        started, busy = time.perf_counter(), time.process_time()
        until = started + wanted["seconds"]
        while time.perf_counter() < until:
            for each in bodies[wanted["size"]]:
                document_text(engine.from_html(each).document)
                documents += 1
                length += lengths[each]
                if time.perf_counter() > until:
                    break
        took, busy = time.perf_counter() - started, time.process_time() - busy
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        unit = 1 if sys.platform == "darwin" else 1024
        said = {"documents": documents, "bytes": length, "seconds": took,
                "cpu": busy, "rss": used * unit}  # fmt: skip
        print(json.dumps(said), flush=True)


# All cores.


def on_all_cores(folder: Path) -> None:
    """Convert a folder of bodies by one process and by as many as there are cores."""
    source = folder / "bodies"
    source.mkdir()
    bodies = webflow_bodies(8_200, MANY)
    for number, each in enumerate(bodies):
        (source / f"{number:05}.html").write_text(each, encoding="utf-8")
    cores = os.cpu_count() or 1
    print(f"\n| {MANY} bodies of 8 KB, files to files | processes | seconds | "
          "least - most | documents/s | x one process |")  # fmt: skip
    print("|---|---|---|---|---|---|")
    for mode in OURS:
        taken: dict[int, list[float]] = {1: [], cores: []}
        for _ in range(max(3, ROUNDS // 2)):
            for processes, seconds in taken.items():
                started = time.perf_counter()
                convert_folder(
                    source, folder / f"{mode}-{processes}", mode=mode, kind="html",
                    processes=processes,
                )  # fmt: skip
                seconds.append(time.perf_counter() - started)
        one = statistics.median(taken[1])
        for processes, seconds in taken.items():
            middle = statistics.median(seconds)
            spread = f"{min(seconds):.2f} - {max(seconds):.2f}"
            print(
                f"| ours, {mode} | {processes} | {middle:.2f} | {spread} | "
                f"{MANY / middle:,.0f} | {one / middle:.2f} |"
            )
        if not same_bytes(folder / f"{mode}-1", folder / f"{mode}-{cores}"):
            sys.exit(f"{mode}: {cores} processes did not write the bytes of one.")


def same_bytes(one: Path, other: Path) -> bool:
    """Return whether two folders hold the same files."""
    held = [
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (one, other)
    ]
    return held[0] == held[1]


if __name__ == "__main__":
    if len(sys.argv) == 3:
        work(*sys.argv[1:])
    else:
        sys.exit(main([]))
