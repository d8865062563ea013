"""Requests, output and results of commands, recorded to compare a rewrite with.

usage: python -m tests.proofs.frozen record [--only NAME]... FOLDER [SITES]
       python -m tests.proofs.frozen compare FOLDER_A FOLDER_B
       python -m tests.proofs.frozen against [--only NAME]... REVISION [SITES]

`record` plays each run and writes its record into a file of FOLDER; each content
folder below SITES is a run, too. `compare` prints what differs and exits with 1 if
anything does. `against` records a revision of git and this tree, and compares.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unittest import mock

from tests.proofs.frozen.compare import differences
from tests.proofs.frozen.deeds import play
from tests.proofs.frozen.runs import RUNS, Run
from tests.proofs.frozen.stage import staged

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: Sequence[str]) -> int:
    """Record or compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.frozen")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("folder", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("folders", type=Path, nargs=2)
    judging = commands.add_parser("against")
    judging.add_argument("revision")
    for each in (recording, judging):
        each.add_argument("sites", type=Path, nargs="?")
        each.add_argument("--only", action="append", default=[], metavar="NAME")
    given = parser.parse_args(arguments)
    if given.command == "compare":
        return compare(*given.folders)
    if given.command == "against":
        sites = [str(given.sites.resolve())] if given.sites else []
        only = [f"--only={name}" for name in given.only]
        return against(given.revision, [*only, *sites])
    runs = {**RUNS, **_sites(given.sites)}
    for name in given.only or runs:
        record(name, runs[name], given.folder)
    return 0


def record(name: str, run: Run, folder: Path) -> None:
    """Play a run and write its record."""
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    place = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    own = {each: value for each, value in os.environ.items() if "CMSMIG" not in each}
    with (
        tempfile.TemporaryDirectory(prefix="cmsmig-frozen-", dir=place) as work,
        mock.patch.dict(os.environ, own, clear=True),
    ):
        content = Path(work) / "content"
        run.write(content)
        with staged(Path(work), texts=run.texts, **run.options) as stage:
            play(stage, run.steps)
            text = json.dumps(stage.record(), ensure_ascii=False, indent=1)
    (folder / f"{name}.json").write_text(text + "\n")
    print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)


def compare(one: Path, other: Path) -> int:
    """Print what differs between two folders of records; return the exit code."""
    found = list(differences(one, other))
    print(*found, f"differences: {len(found)}", sep="\n")
    return int(bool(found))


def against(revision: str, chosen: Sequence[str]) -> int:
    """Compare a revision, played by the tests and the sandbox of this tree, with it."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-frozen-") as folder:
        work, tree = Path(folder), Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(tree), revision], check=True)
        try:
            for part in ("tests", "cmsmig/sandbox"):
                shutil.rmtree(tree / part)
                shutil.copytree(ROOT / part, tree / part)
            places = {work / "before": tree, work / "after": ROOT}
            running = [_recording(at, into, chosen) for into, at in places.items()]
            codes = [each.wait() for each in running]
            return 1 if any(codes) else compare(*places)
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def _recording(
    tree: Path, folder: Path, chosen: Sequence[str]
) -> subprocess.Popen[bytes]:
    """Start to record a tree, whose package comes before any that is installed."""
    command = [sys.executable, "-m", "tests.proofs.frozen", "record", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.Popen([*command, *chosen], cwd=tree, env=environment)


def _sites(folder: Path | None) -> Mapping[str, Run]:
    found = sorted(folder.glob("*/sites.json")) if folder else []
    return {
        f"site-{each.parent.name}": Run(["whole"], _linked(each.parent), texts=False)
        for each in found
    }


def _linked(site: Path) -> Callable[[Path], object]:
    return lambda content: content.symlink_to(site.resolve())


if __name__ == "__main__":
    if sys.flags.hash_randomization:
        # Some lists that commands print are in the order of a set.
        command = [sys.executable, "-m", "tests.proofs.frozen", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, "PYTHONHASHSEED": "0"})
    sys.exit(main(sys.argv[1:]))
