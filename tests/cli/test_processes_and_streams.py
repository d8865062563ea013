"""Several processes at once, and streams that are closed or full."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.support.cli.bad_input import Rig


def test_three_pulls_at_once_are_one_pull(rig: Callable[..., Rig], whole: Rig) -> None:
    """One of them reads; the others end at once with the owner's name."""
    started = rig(decided=False)
    with ExitStack() as stack:
        running = [stack.enter_context(started.process("pull")) for _ in range(3)]
        said = [process.communicate(timeout=50)[1] for process in running]
    codes = [process.returncode for process in running]
    assert set(codes) <= {0, 6}, said
    assert 0 in codes
    for code, text in zip(codes, said, strict=True):
        assert "Traceback" not in text
        assert (code == 6) == ("Another run holds" in text)
    assert started.raw() == whole.raw()


STREAMS = (
    (">&-", 1, "Standard output is closed"),
    ("2>&-", 0, ""),
    ("<&-", 0, ""),
    ("<&- >&- 2>&-", 1, ""),
    ("2>/dev/full", 0, ""),
    (">/dev/full", 1, "Standard output does not take"),
)


def test_streams_that_are_closed_or_full(rig: Callable[..., Rig]) -> None:
    """One sentence, never a traceback; no file takes the place of a stream."""
    started = rig()
    for closed, code, says in STREAMS:
        if "/dev/full" in closed and not Path("/dev/full").exists():
            continue
        script = f'exec "$0" -m cmsmig.cli --project "$1" plan --json {closed}'
        ended = subprocess.run(
            ["/bin/sh", "-c", script, sys.executable, str(started.folder)],
            capture_output=True,
            check=False,
            text=True,
            env={**os.environ, "CMSMIG_STATE_DIR": str(started.state)},
            timeout=50,
        )
        assert ended.returncode == code, (closed, ended.stderr)
        assert "Traceback" not in ended.stderr
        assert says in ended.stderr
        assert not says or len(ended.stderr.splitlines()) == 1
    started.done("plan")
