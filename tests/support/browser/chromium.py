"""A Chromium for the tests: found, else installed where that may be, else asked for."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NAMED_BY = "CMSMIG_CHROMIUM"
"""The variable that names a browser when it has an unusual name or place."""
USUAL_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
ON_A_MAC = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
INSTALLERS = {
    "apt-get": "apt-get install -y chromium",
    "dnf": "dnf install -y chromium",
    "brew": "brew install --cask chromium",
}
"""What installs it, by the program that does."""


class NoChromiumError(Exception):
    """There is no Chromium; the message names the one command that brings it."""


def _run(command: Sequence[str]) -> bool:
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=environ, capture_output=True, check=False, timeout=600
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@dataclass(frozen=True)
class Machine:
    """What the search may look at and do."""

    environ: Mapping[str, str]
    is_root: bool
    which: Callable[[str], str | None] = shutil.which
    run: Callable[[Sequence[str]], bool] = _run
    """Run a command and return whether it succeeded."""

    @classmethod
    def this(cls) -> Machine:
        """Return the machine that the tests run on."""
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        return cls(dict(os.environ), is_root)


def chromium(machine: Machine) -> str:
    """Return the path of a Chromium, installed now if need be.

    It is installed only as root and with apt-get. Raises `NoChromiumError`.
    """
    named = machine.environ.get(NAMED_BY)
    if named:
        found = machine.which(named)
        if found is None:
            raise NoChromiumError(
                f"{NAMED_BY} names {named}, which is no program; correct it, or take "
                "it away for the browser to be searched for."
            )
        return found
    return _found(machine) or _installed(machine)


def _found(machine: Machine) -> str | None:
    names = (*USUAL_NAMES, *ON_A_MAC)
    return next(filter(None, map(machine.which, names)), None)


def _installed(machine: Machine) -> str:
    if machine.is_root and machine.which("apt-get"):
        with _one_installer():
            if _found(machine) is None:
                machine.run(("apt-get", "update"))
                machine.run(("apt-get", "install", "-y", "chromium"))
        if found := _found(machine):
            return found
    raise NoChromiumError(
        "The browser tests need Chromium and found none. Install it with this one "
        f"command, then run the tests again:  {_command(machine)}  (or set "
        f"{NAMED_BY} to a Chromium or Chrome that is there)."
    )


@contextmanager
def _one_installer() -> Iterator[None]:
    """Wait for the installation of another test process: apt-get refuses a second
    one."""
    with Path(tempfile.gettempdir(), "cmsmig-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _command(machine: Machine) -> str:
    for program, command in INSTALLERS.items():
        if machine.which(program):
            needs_root = program != "brew" and not machine.is_root
            return f"sudo {command}" if needs_root else command
    return f"export {NAMED_BY}=/path/to/chromium"
