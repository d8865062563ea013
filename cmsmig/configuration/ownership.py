"""Whose settings are read: the user's own alone.

The search for a project climbs to the top of the file system, so a stranger's
file may be above the working folder. Source of the rule: git's `safe.directory`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cmsmig.errors import SettingsError

_OTHERS_READ = stat.S_IRWXG | stat.S_IRWXO


def require_own(path: Path) -> None:
    """Raise `SettingsError` unless `path` is the user's. A missing file passes."""
    try:
        owner = path.stat().st_uid
    except OSError:
        return
    if owner not in _own_ids():
        raise SettingsError(
            f"{path} belongs to another user (id {owner}), so nothing is read from it: "
            "it could run code and send tokens elsewhere; name a project of your own "
            f"with --project, or make it yours with `chown {os.geteuid()} {path}` if "
            "you know what is in it."
        )


def readable_by_others(path: Path) -> str:
    """Return one sentence if others on this machine may open the file, else nothing."""
    mode = path.stat().st_mode
    if not mode & _OTHERS_READ:
        return ""
    return (
        f"{path} holds tokens, and its rights ({stat.S_IMODE(mode):04o}) let others on "
        f"this machine open it; keep it to yourself with `chmod 600 {path}`."
    )


def _own_ids() -> frozenset[int]:
    """Return the user's id, and under sudo also the id of who called it."""
    own = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    if own == 0 and caller.isascii() and caller.isdigit():
        return frozenset((own, int(caller[:10])))
    return frozenset((own,))
