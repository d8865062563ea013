"""Has git merge decision files by what they decide, in one clone."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from cmsmig.errors import StorageError, UsageError
from cmsmig.plain_file import require_in_place
from cmsmig.settings import Project

_NAME = "cmsmig"
_DRIVER = f"merge.{_NAME}.driver"
_ENTRY = "-P -m cmsmig.cli"
"""git starts the driver at the top of the working tree: without `-P` Python would
import modules from a branch that is only being merged."""
_OLD_ENTRY = " -m cmsmig.cli"
ATTRIBUTES = """\
# Decision files are merged by what they decide; `cmsmig decisions merge --install`
# sets that up in a clone. Without it, git merges their lines.
/decisions/*.yaml merge=cmsmig
/targets/*/conflicts.yaml merge=cmsmig
"""


def install_driver(project: Project, python: str) -> list[str]:
    """Write the driver into the repository's own settings, and `.gitattributes` into
    the project folder unless it is there; return what was done.

    Raises `UsageError` outside of a repository and `StorageError`.
    """
    line = f"{shlex.quote(python)} {_ENTRY} decisions merge -- %O %A %B %P"
    _set(project, f"merge.{_NAME}.name", "decisions of cmsmig")
    _set(project, _DRIVER, line)
    done = ["git calls cmsmig for decision files in this clone"]
    path = project.root / ".gitattributes"
    return [*done, f"{path.name} {_write(path)}"]


def renew_driver(folder: Path) -> bool:
    """Replace a driver in the form of earlier releases in the repository of `folder`;
    return whether there was one."""
    try:
        found = _config(folder, "--get", _DRIVER).stdout.decode("utf-8", "replace")
        python, old, rest = found.rstrip("\n").partition(_OLD_ENTRY)
        if not old or python.endswith(" -P"):
            return False
        return _config(folder, _DRIVER, f"{python} {_ENTRY}{rest}").returncode == 0
    except OSError:
        return False


def _config(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", "-C", str(folder), "config", "--local", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def _set(project: Project, name: str, value: str) -> None:
    try:
        ended = _config(project.root, name, value)
    except OSError as error:
        raise UsageError("git is not there; install it first.") from error
    if ended.returncode:
        raise UsageError(
            f"{project.root} is in no git repository that can be set up; run `git "
            "init` there first."
        )


def _write(path: Path) -> str:
    try:
        require_in_place(path)
        there = path.read_text("utf-8") if path.exists() else ""
        if "merge=cmsmig" in there:
            return "was there and stays as it is"
        with path.open("a", encoding="utf-8") as file:
            file.write(ATTRIBUTES)
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be written ({error}).") from error
    return "names them; commit it"
