"""A private folder for Unix domain sockets, short enough for their paths.

TCP ports of a kernel are drawn by its parent and bound by the kernel a second
later: until then any other process may take them, another kernel among them. A
socket in a folder that nobody else may enter cannot be taken.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LONGEST_PATH = 103
"""Bytes that the path of a socket may have: `sun_path` holds 104 on macOS and 108
on Linux (unix(4), unix(7)), the zero at its end included."""
_NAME_IN_FOLDER = "/k-5"
_NAME_OF_FOLDER = "cmsmig-12345678"


@contextmanager
def socket_prefix(places: Sequence[str] = ()) -> Iterator[str | None]:
    """Yield what the paths of a kernel's sockets begin with; None without a place.

    Makes a folder for this user alone in the first of `places` (else the folders
    for temporary files) whose path leaves room, and removes it in the end.
    """
    for place in places or (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if _leaves_room(place) and os.access(place, os.W_OK | os.X_OK):
            with tempfile.TemporaryDirectory(
                prefix="cmsmig-", dir=place, ignore_cleanup_errors=True
            ) as folder:
                yield str(Path(folder) / "k")
            return
    yield None


def _leaves_room(place: str) -> bool:
    longest = os.path.join(place, _NAME_OF_FOLDER) + _NAME_IN_FOLDER
    return len(os.fsencode(longest)) <= LONGEST_PATH
