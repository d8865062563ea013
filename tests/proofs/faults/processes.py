"""Processes of the command itself, on sockets, in real time, killed at any moment."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cmsmig.sandbox.server import environment_file_text
from tests.proofs.faults.cases import Case
from tests.proofs.faults.left import (
    answered,
    cache_of,
    confirmed,
    ledger_of,
    published_by_decision,
)
from tests.proofs.faults.scenes import PULL, RATE, Scene, Scenes
from tests.proofs.frozen.compare import differing
from tests.proofs.measuring.processes import COMMAND, Project, sandbox
from tests.support.rehearsal import write_env
from tests.support.sandbox.history import Entry

LONGEST = 60.0
"""Seconds after which a process counts as hanging."""
_SECONDS: dict[tuple[str, ...], float] = {}
"""How long an undisturbed process takes; measured once."""


def killed_at_times(case: Case, scene: Scene, scenes: Scenes) -> list[str]:
    """Kill processes at their moments, run the command until it is done, and return
    what is wrong."""
    seconds = _undisturbed(scene, scenes)
    with _begun(scene, scenes) as here:
        for number, share in enumerate(case.moments):
            code = _ended(here, scene.command, share * seconds, case.in_flight)
            if code not in (0, None) or (number == 0 and code is not None):
                return [f"process {number} ended by itself with {code}"]
        return _problems(here, scene, len(case.moments) * case.in_flight)


def _undisturbed(scene: Scene, scenes: Scenes) -> float:
    if scene.command not in _SECONDS:
        with _begun(scene, scenes) as here:
            _SECONDS[scene.command] = here.run(*scene.command).seconds
    return _SECONDS[scene.command]


@contextmanager
def _begun(scene: Scene, scenes: Scenes) -> Iterator[Project]:
    """Serve the site to a copy of a project as it is before a command."""
    with (
        tempfile.TemporaryDirectory(dir=scenes.world.work.parent) as work,
        sandbox(scenes.folder / "content", rate=RATE) as served,
    ):
        shutil.copytree(scene.start.folder, work, dirs_exist_ok=True)
        here = Project(Path(work), served)
        write_env(here.folder, environment_file_text(served.announced, RATE))
        yield here


def _ended(
    here: Project, arguments: tuple[str, ...], within: float, in_flight: int = 8
) -> int | None:
    """Run a process; return its exit code, None if it had to be killed by then."""
    settings = {**here.settings, "CMSMIG_IN_FLIGHT": str(in_flight)}
    with (here.work / "said").open("w") as said:
        try:
            return subprocess.run(
                [*COMMAND, "--project", str(here.folder), *arguments],
                stdout=said,
                stderr=said,
                env={**os.environ, **settings},
                timeout=within,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return None


def _problems(here: Project, scene: Scene, unknown: int) -> list[str]:
    """Return what is not as an undisturbed command leaves it, once it is done."""
    project, served = here.folder, here.served
    for wanted in ("", "", '"writes": 0'):
        code = _ended(here, scene.command, LONGEST)
        said = (here.work / "said").read_text()
        if code != 0 or (scene.command != PULL and wanted not in said):
            return [f"the command ended with {code}: {said[-500:]}"]
        if scene.command != PULL:
            published_by_decision(project)
    entries = [Entry(**each) for each in served.history()]
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
    code = _ended(here, ("verify",), LONGEST)
    found += [(here.work / "said").read_text()] if code else []
    return [*found, *_too_many(again.total(), unknown)]


def _too_many(requests: int, unknown: int) -> list[str]:
    return [f"{requests} requests too many"] if requests > unknown else []
