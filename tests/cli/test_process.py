"""The process of a command: what a signal does to it before and after its work."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cmsmig.cli.console import STOPPED
from tests.support.run.small_notebooks import write_notebook
from tests.support.timelimit import patience

COMMAND = """
import os, sys, time
from pathlib import Path
from cmsmig import cli
from cmsmig.run import locations, unattended

def stopped(*given, **more):
    os.kill(os.getpid(), {number})
    time.sleep(600)

locations.notebooks_folder = lambda: Path({notebooks!r})
{module}.{name} = stopped
sys.argv = ["cmsmig", "--project", {project!r}, "run", "--reports", {reports!r}]
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        pytest.param("locations", "notebooks_folder", id="before"),
        pytest.param("unattended", "balance_of", id="balance"),
    ],
)
def test_a_signal_outside_the_notebooks_ends_a_run_with_5(
    tmp_path: Path, module: str, name: str, number: int
) -> None:
    """Before the first one and after the last one, in one sentence."""
    write_notebook(tmp_path / "notebooks", "04_first", "1")
    script = COMMAND.format(
        module=module,
        name=name,
        number=int(number),
        notebooks=str(tmp_path / "notebooks"),
        project=str(tmp_path / "project"),
        reports=str(tmp_path / "reports"),
    )
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )
    assert ended.returncode == 5, ended.stderr
    assert ended.stderr.splitlines()[-1] == STOPPED
    assert "Traceback" not in ended.stderr


OVER = """
import atexit, os
from cmsmig.cli.console import run_process
run_process(lambda given: atexit.register(os.kill, os.getpid(), {number}))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_a_command_changes_nothing(number: int) -> None:
    """What Python does at its end is neither stopped nor shown as an error."""
    ended = subprocess.run(
        [sys.executable, "-c", OVER.format(number=int(number))],
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
