"""Who decides: the name that signs decisions, asked once per project.

It is kept next to the decisions, not in them: a name in a field has accepted nothing.
"""

from __future__ import annotations

from pathlib import Path

from cmsmig.errors import StorageError
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.plain_file import open_fresh, read_plain, require_in_place

_MOST = 400
"""Bytes of a name."""


def known_reviewer(workspace: Workspace) -> str:
    """Return the name that decisions of this project were signed with last.

    Empty where there is none, and unattended: there a parameter says it. Reads only.
    """
    if not workspace.interactive:
        return ""
    try:
        text = read_plain(_path(workspace), _MOST).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return " ".join(text.split())


def remember_reviewer(workspace: Workspace, name: str) -> None:
    """Keep a name for the other notebooks. Writes nothing in a dry run.

    Raises `StorageError` where the project folder cannot be written.
    """
    told = " ".join(name.split())
    if workspace.dry_run or not told or told == known_reviewer(workspace):
        return
    path = _path(workspace)
    try:
        require_in_place(path)
        with open_fresh(path) as file:
            file.write(f"{told}\n".encode())
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); correct the rights of the "
            "folder. What you accepted is written."
        ) from error


def _path(workspace: Workspace) -> Path:
    return workspace.project.root / "reviewer.txt"
