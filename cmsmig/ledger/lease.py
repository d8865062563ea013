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
from cmsmig.plain_file import require_plain

# A POSIX lock belongs to the process, not to the descriptor: a second holder
# in this process would be let in, and closing any descriptor of the file would
# release the lock. So the process remembers what it holds.
_held: set[Path] = set()


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
            # Nobody holds it now; what stays there after a kill says who did.
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        require_plain(path)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be opened for writing ({error.strerror}); give this user "
            "the right to write in the project folder, or move away what is no file."
        ) from error


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(descriptor, 400, 0).decode("utf-8", "replace").strip()
        raise LedgerLockedError(
            f"Another run holds {path} ({holder or 'it has not said who it is'}); wait "
            "until it has ended or stop it, then run this again."
        ) from error


def _sign(descriptor: int, command: str, path: Path) -> None:
    started = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    text = (
        f"`{command}`, process {os.getpid()} on {socket.gethostname()}, since {started}"
    )
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); free some space and run "
            "this again."
        ) from error
