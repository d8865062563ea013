"""One importing run at a time; a dead process holds nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cmsmig.errors import LedgerLockedError
from cmsmig.ledger.lease import (
    lease,
    other_holder,
)
from tests.support.ledger.files import held
from tests.support.timelimit import patience


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the lease is, in a folder that is not there yet."""
    return tmp_path / "project" / "ledger.lock"


def test_a_second_process_is_refused_at_once_with_the_holder(path: Path) -> None:
    """Never by waiting: the sentence names command, process and start.

    Closing its descriptor leaves the holder its lease: a third one is refused too.
    """
    with held(path) as child:
        for _ in range(2):
            with pytest.raises(LedgerLockedError) as caught, lease(path, "cmsmig link"):
                pytest.fail("two runs held the lease")
            message = str(caught.value)
            assert "`cmsmig import`" in message
            assert f"process {child.pid} " in message
            assert "UTC" in message
            assert caught.value.exit_code == 6


def test_the_same_process_cannot_hold_it_twice(path: Path) -> None:
    """Two notebooks cells at once: the second is refused, the first keeps it."""
    other = path.parent / "." / path.name
    with lease(path, "cmsmig import"):
        with (
            pytest.raises(LedgerLockedError, match="already pulling or importing"),
            lease(other, "cmsmig link"),
        ):
            pytest.fail("two runs held the lease")
        assert _refused(path), "the first holder lost its lock"
    assert not _refused(path)
    with lease(path, "cmsmig import"):
        assert _refused(path)


def _refused(path: Path) -> bool:
    """Return whether another process is refused now."""
    code = (
        "import fcntl, os, sys\n"
        "d = os.open(sys.argv[1], os.O_RDWR)\n"
        "fcntl.lockf(d, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code, path], capture_output=True, check=False
    )
    return ended.returncode != 0


def test_an_error_within_frees_it(path: Path) -> None:
    """A run that fails does not lock out the next one."""
    with pytest.raises(ZeroDivisionError), lease(path, "cmsmig import"):
        _ = 1 / 0
    assert not _refused(path)


def test_no_child_inherits_the_descriptor(path: Path) -> None:
    """A child that outlives the run holds nothing of it."""
    code = (
        "import os\n"
        "for n in os.listdir('/dev/fd'):\n"
        "    try: print(os.fstat(int(n)).st_ino)\n"
        "    except OSError: pass\n"
    )
    with lease(path, "cmsmig import"):
        ended = subprocess.run(
            [sys.executable, "-S", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            close_fds=False,
        )
        inode = str(os.stat(path).st_ino)
    inodes = ended.stdout.split()
    assert len(inodes) >= 3
    assert inode not in inodes


def test_another_process_is_seen_while_it_holds_the_lease(path: Path) -> None:
    """Its signature while it lives; nothing of a killed one, nothing of our own."""
    assert other_holder(path) == ""
    with held(path) as child:
        signed = other_holder(path)
        assert signed.startswith("`cmsmig import`")
        assert f"process {child.pid} " in signed
        child.kill()
        child.wait(timeout=patience())
        assert path.read_text() == signed
        assert other_holder(path) == ""
    with lease(path, "cmsmig link"):
        assert other_holder(path) == ""
        assert _refused(path), "looking released the lease"


_LOOKER = """
import sys
from cmsmig.ledger import lease
real = lease.fcntl.lockf
def held_up(descriptor, operation, *which):
    real(descriptor, operation, *which)
    print("looking", flush=True)
    sys.stdin.readline()
lease.fcntl.lockf = held_up
print(lease.other_holder(lease.Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_looking_never_keeps_a_run_from_starting(path: Path) -> None:
    """A process that checks whether the lease is held, and hangs in that check,
    does not keep a run from starting."""
    with held(path):
        pass  # what it signed stays there, since it was killed
    looking = subprocess.Popen(
        [sys.executable, "-c", _LOOKER, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert looking.stdin is not None
    assert looking.stdout is not None
    go_on = threading.Timer(0.3, lambda: print(file=looking.stdin, flush=True))
    try:
        assert looking.stdout.readline() == "looking\n"
        go_on.start()
        with lease(path, "cmsmig link"):
            assert "`cmsmig link`" in path.read_text()
            assert looking.stdout.readline() == "\n", "the run was seen too early"
    finally:
        go_on.cancel()
        looking.kill()
        looking.communicate(timeout=patience())
