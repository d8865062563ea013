"""A Chromium for the tests: found, else installed where that may be, else asked for."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
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
    "apt-get": "sudo apt-get install -y chromium",
    "dnf": "sudo dnf install -y chromium",
    "brew": "brew install --cask chromium",
}
"""What installs it, by the program that does."""


class NoChromiumError(Exception):
    """There is no Chromium; the message names the one command that brings it."""


def chromium() -> str:
    """Return the path of a Chromium, installed now if need be.

    It is installed only as root and with apt-get. Raises `NoChromiumError`.
    """
    named = os.environ.get(NAMED_BY)
    if named:
        found = shutil.which(named)
        if found is None:
            raise NoChromiumError(
                f"{NAMED_BY} names {named}, which is no program; correct it, or take "
                "it away for the browser to be searched for."
            )
        return found
    return _found() or _installed()


def _found() -> str | None:
    return next(filter(None, map(shutil.which, (*USUAL_NAMES, *ON_A_MAC))), None)


def _installed() -> str:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        # Another test process may be installing: apt-get refuses a second one.
        with Path(tempfile.gettempdir(), "cmsmig-chromium.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _found() is None:
                environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
                for command in ("update", "install -y chromium"):
                    apt = ("apt-get", *command.split())
                    subprocess.run(apt, env=environ, capture_output=True, check=False)
        if found := _found():
            return found
    known = (command for name, command in INSTALLERS.items() if shutil.which(name))
    install = next(known, f"export {NAMED_BY}=/path/to/chromium")
    raise NoChromiumError(
        "The browser tests need Chromium and found none. Install it with this one "
        f"command, then run the tests again:  {install}  (or set {NAMED_BY} to a "
        "Chromium or Chrome that is there)."
    )
