"""Files that are read and written only where they are files.

Any file of ours may turn out to be a pipe without a writer, a device
that never ends, or a link to one: reading it would hang or fill the memory.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader, BufferedWriter
from pathlib import Path

MEGABYTE = 1024 * 1024
SMALL = MEGABYTE
"""The most bytes of a file that people write by hand."""
_TOML = "cmsmig.toml"
"""The file at the top of a project."""
LARGE = 512 * MEGABYTE
"""The most bytes of a file that is read into memory as a whole."""


def open_plain(path: Path) -> BufferedReader:
    """Open a file for reading; never waits.

    Raises `OSError`, with a text for people, when it is none.
    """
    # Do not wait for a writer of a pipe.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _require_plain(os.fstat(descriptor).st_mode, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_plain(path: Path, most: int = LARGE) -> bytes:
    """Return a file's bytes.

    Raises `OSError`, with a text for people, when it is none or larger than `most`.
    """
    found = bytearray()
    with open_plain(path) as file:
        # As much as is asked for at once is set aside at once.
        while len(found) <= most and (more := file.read(MEGABYTE)):
            found += more
    if len(found) > most:
        size = f"{most // MEGABYTE} MB"
        raise OSError(errno.EFBIG, f"it is larger than {size}", str(path))
    return bytes(found)


def open_fresh(path: Path) -> BufferedWriter:
    """Open a new file for writing that replaces any other at its path; never waits."""
    path.unlink(missing_ok=True)
    return open(path, "xb")


def open_appending(path: Path) -> BufferedWriter:
    """Open a file to add to its end, a new one if there is none; never waits."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    try:
        _require_plain(os.fstat(descriptor).st_mode, path)
        return os.fdopen(descriptor, "ab")
    except BaseException:
        os.close(descriptor)
        raise


def require_in_place(path: Path) -> None:
    """Raise `OSError`, with a text for people, where a link leads what is to be written
    out of its project; outside of projects, where it or its folder is a link."""
    whole = path.absolute()
    root = next((each for each in whole.parents if (each / _TOML).is_file()), None)
    if root is not None:
        # `Path.resolve` raises for links in a circle, `realpath` does not.
        real, top = os.path.realpath(whole), os.path.realpath(root)
        led = not Path(real).is_relative_to(top)
    else:
        # What begins a project may be put into a folder that a person linked.
        named = (whole,) if whole.name == _TOML else (whole, whole.parent)
        led = any(each.is_symlink() for each in named)
    if led:
        reason = "a link leads it out of its folder; take the link away"
        raise OSError(errno.ELOOP, reason, str(path))


def for_oneself(path: str, flags: int) -> int:
    """Open a new file that no other user may read: the `opener` of `open`."""
    return os.open(path, flags, 0o600)


def require_plain(path: Path) -> None:
    """Raise `OSError`, with a text for people, if `path` exists and is no file."""
    try:
        _require_plain(os.stat(path).st_mode, path)
    except FileNotFoundError:
        return


def _require_plain(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
