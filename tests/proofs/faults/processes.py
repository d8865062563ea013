"""Processes of the command itself, on sockets, in real time, killed at any moment."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cmsmig.sandbox.history import Entry
from cmsmig.sandbox.server import environment_file_text
from tests.proofs.faults.cases import Case
from tests.proofs.faults.left import (
    answered,
    cache_of,
    confirmed,
    ledger_of,
)
from tests.proofs.faults.scenes import PULL, RATE, Scene, Scenes
from tests.proofs.frozen.compare import differing
from tests.proofs.measuring.served import COMMAND, Served, sandbox
from tests.support.rehearsal import write_env

LONGEST = 60.0
"""Seconds after which a process counts as hanging."""
_SECONDS: dict[tuple[str, ...], float] = {}
"""How long an undisturbed process takes; measured once."""


def killed_at_times(case: Case, scene: Scene, scenes: Scenes) -> list[str]:
    """Kill processes at their moments, run the command until it is done, and return
    what is wrong."""
    with tempfile.TemporaryDirectory(dir=scenes.world.work.parent) as folder:
        work = Path(folder)
        shutil.copytree(scene.start.folder, work, dirs_exist_ok=True)
        content = scenes.folder / "content"
        with _served(content, work) as served:
            seconds = _undisturbed(scene, scenes)
            for number, share in enumerate(case.moments):
                code = _ended(work, scene.command, share * seconds, case.in_flight)
                if code not in (0, None) or (number == 0 and code is not None):
                    return [f"process {number} ended by itself with {code}"]
            return _problems(work, scene, served, len(case.moments) * case.in_flight)


def _undisturbed(scene: Scene, scenes: Scenes) -> float:
    if scene.command not in _SECONDS:
        with tempfile.TemporaryDirectory(dir=scenes.world.work.parent) as folder:
            work = Path(folder)
            shutil.copytree(scene.start.folder, work, dirs_exist_ok=True)
            with _served(scenes.folder / "content", work):
                begun = time.monotonic()
                code = _ended(work, scene.command, LONGEST)
                assert code == 0, f"an undisturbed process ended with {code}"
                _SECONDS[scene.command] = time.monotonic() - begun
    return _SECONDS[scene.command]


@contextmanager
def _served(content: Path, work: Path) -> Iterator[Served]:
    """Serve the site to the project that is there."""
    with sandbox(content, rate=RATE) as served:
        write_env(work / "project", environment_file_text(served.announced, RATE))
        yield served


def _ended(
    work: Path, arguments: tuple[str, ...], within: float, in_flight: int = 8
) -> int | None:
    """Run a process; return its exit code, None if it had to be killed by then."""
    settings = {"STATE_DIR": str(work / "state"), "IN_FLIGHT": str(in_flight)}
    with (work / "said").open("w") as said:
        try:
            return subprocess.run(
                [*COMMAND, "--project", str(work / "project"), *arguments],
                stdout=said,
                stderr=said,
                env={**os.environ, **{f"CMSMIG_{k}": v for k, v in settings.items()}},
                timeout=within,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return None


def _problems(work: Path, scene: Scene, served: Served, unknown: int) -> list[str]:
    """Return what is not as an undisturbed command leaves it, once it is done."""
    for wanted in ("", '"writes": 0'):
        code = _ended(work, scene.command, LONGEST)
        said = (work / "said").read_text()
        if code != 0 or (scene.command != PULL and wanted not in said):
            return [f"the command ended with {code}: {said[-500:]}"]
    project, entries = work / "project", [Entry(**each) for each in served.history()]
    found = [f"violation {each}" for each in served.summary()["violations"]]
    if scene.command == PULL:
        there, whole = cache_of(project), scene.whole.cache
        names = sorted(there.keys() | whole.keys())
        odd = [name for name in names if there.get(name) != whole.get(name)]
        again = answered(entries) - answered(scene.whole.entries)
        return [*found, *odd, *_too_many(again.total(), unknown)]
    again = confirmed(entries) - confirmed(scene.whole.entries)
    found += differing("space", scene.whole.space, served.page("state?comparable"))
    found += differing("ledger", scene.whole.ledger, ledger_of(project))
    code = _ended(work, ("verify",), LONGEST)
    found += [(work / "said").read_text()] if code else []
    return [*found, *_too_many(again.total(), unknown)]


def _too_many(requests: int, unknown: int) -> list[str]:
    return [f"{requests} requests too many"] if requests > unknown else []
