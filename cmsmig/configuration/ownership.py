"""Whose files settings and code are read from: the user's own alone.

The search for a project climbs to the top of the file system, so a stranger's
file may be above the working folder. Source of the rule: git's `safe.directory`.
"""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

from cmsmig.errors import SettingsError

_OTHERS_READ = stat.S_IRWXG | stat.S_IRWXO


def require_own(path: Path, top: Path | None = None) -> None:
    """Raise `SettingsError` unless `path` is the user's and stays as it is.

    Neither the file nor a folder that it is in, up to `top`, may be one that
    anyone writes; what a link leads to counts too. A missing file passes.
    """
    if not os.path.lexists(path):
        return
    for place in dict.fromkeys((path, Path(os.path.realpath(path)))):
        _require_owner(path, place)
        _require_closed(path, place)
        for folder in _folders(place, top):
            _require_closed(path, folder)


def readable_by_others(path: Path) -> str:
    """Return one sentence if others on this machine may open the file, else nothing."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if not mode & _OTHERS_READ:
        return ""
    return (
        f"{path} holds tokens, and its rights ({stat.S_IMODE(mode):04o}) let others on "
        f"this machine open it; keep it to yourself with `chmod 600 {path}`."
    )


def _folders(place: Path, top: Path | None) -> tuple[Path, ...]:
    parents = tuple(place.parents)
    last = parents.index(top) if top in parents else 0
    return parents[: last + 1]


def _require_owner(path: Path, place: Path) -> None:
    try:
        owner = place.lstat().st_uid
    except OSError:
        return
    if owner not in _own_ids():
        raise SettingsError(
            f"{path} belongs to {_name(owner)}, so nothing is read from it: it could "
            "run code and send tokens elsewhere; name a project of your own with "
            f"--project, or make it yours with `chown {_name(os.geteuid())} {place}` "
            "if you know what is in it."
        )


def _require_closed(path: Path, place: Path) -> None:
    try:
        mode = place.lstat().st_mode
    except OSError:
        return
    if stat.S_ISLNK(mode) or not mode & stat.S_IWOTH:
        return
    what = f"it is in {place}, which anyone" if place.is_dir() else "anyone"
    raise SettingsError(
        f"{path} is not read, because {what} on this machine may write; take that "
        f"right away with `chmod o-w {place}`, or move the project to a folder of your "
        "own."
    )


def _own_ids() -> frozenset[int]:
    """Return the user's id, and under sudo also the id of who called it."""
    own = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    if own == 0 and caller.isascii() and caller.isdigit():
        return frozenset((own, int(caller[:10])))
    return frozenset((own,))


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"the user {user}"
