"""Notebooks run by papermill and `jupyter execute` themselves, as anybody runs them.

Their kernels listen at TCP ports that are drawn before they are bound; another
program may take one meanwhile. Then they never start, and are started once more.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_STARTUP = "200"
"""Seconds that a kernel may take to start while others run."""
_NEVER_STARTED = ("Kernel died before replying", "Kernel didn't respond in")


def plain_papermill(
    notebook: Path, output: Path, *more: str, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a notebook with papermill, from the folder of its output."""
    options = ("--no-progress-bar", "--start-timeout", _STARTUP)
    command = ("papermill", str(notebook), str(output), *options, *more)
    return _run(command, output.parent, environ)


def plain_execute(
    notebook: Path, *, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a notebook in place with `jupyter execute`, from the folder it lies in."""
    options = ("--inplace", f"--startup_timeout={_STARTUP}")
    return _run(
        ("jupyter", "execute", *options, str(notebook)), notebook.parent, environ
    )


def _run(
    command: tuple[str, ...], folder: Path, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    def once() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env=dict(environ),
            capture_output=True,
            text=True,
            check=False,
        )

    ended = once()
    if ended.returncode and any(each in ended.stderr for each in _NEVER_STARTED):
        print(f"{command} started no kernel and runs once more:\n{ended.stderr}")
        ended = once()
    return ended
