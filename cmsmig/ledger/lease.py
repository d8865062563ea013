"""One run at a time that changes a project: a lock on `ledger.lock`, held while it
does."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import LedgerLockedError, StorageError

# A POSIX lock belongs to the process, not to the descriptor: a second holder
# in this process would be let in, and closing any descriptor of the file would
# release the lock. So the process remembers what it holds.
_held: set[Path] = set()
"""What this process holds."""
_SIGNED = 400
"""Bytes that a holder says of itself at most."""
_RUN = (1, 0)
"""The byte that one run holds: how many, from where."""
_SEEN = (1, 1)
"""The byte by which others see that it is held; a process that looks holds it for an
instant, which blocks no run."""


@contextmanager
def lease(path: Path, command: str) -> Iterator[None]:
    """Hold the lock at `path` for the body; never waits for it.

    A process that dies holds nothing. Raises `LedgerLockedError` naming the
    holder, and `StorageError` when the file cannot be written.
    """
    known = Path(os.path.realpath(path))
    if known in _held:
        raise LedgerLockedError(
            "This process is already pulling or importing in this project; wait until "
            "that run has ended or stop it."
        )
    descriptor = _open(path)
    try:
        _lock(descriptor, path)
        _sign(descriptor, command, path)
        _held.add(known)
        try:
            yield
        finally:
            _held.discard(known)
            # No one holds it now; what a killed process left says who did.
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def other_holder(path: Path) -> str:
    """Return which other process holds the lock at `path`, as it said; empty where
    none does.

    Reads only. What a killed process left there does not count.
    """
    # Closing a descriptor of the file would release a lock of this process.
    if Path(os.path.realpath(path)) in _held:
        return ""
    try:
        signed = path.read_bytes().decode("utf-8", "replace").strip()
        # Most of the time there is nothing to look for: then the lock itself is not
        # touched.
        return signed if signed and _is_locked(path) else ""
    except OSError:
        return ""


def _is_locked(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, *_SEEN)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be opened for writing ({error.strerror}); give this user "
            "the right to write in the project folder, or move away what is no file."
        ) from error


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, *_RUN)
    except OSError as error:
        holder = os.pread(descriptor, _SIGNED, 0).decode("utf-8", "replace").strip()
        raise LedgerLockedError(
            f"Another run holds {path} ({holder or 'it has not said who it is'}); wait "
            "until it has ended or stop it, then run this again."
        ) from error
    fcntl.lockf(descriptor, fcntl.LOCK_EX, *_SEEN)


def _sign(descriptor: int, command: str, path: Path) -> None:
    started = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    who = f"`{command}`, process {os.getpid()} on {socket.gethostname()}"
    text = f"{who}, since {started}"
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); free some space and run "
            "this again."
        ) from error
