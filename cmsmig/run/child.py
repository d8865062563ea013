"""Child processes: their command line, environment, end and last words."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from cmsmig.errors import InterruptedRunError


def this_python(*arguments: str) -> list[str]:
    """Return a command line for the interpreter that runs now.

    `-P`: with `-m` or `-c` Python would import from the current folder first.
    """
    return [sys.executable, "-P", *arguments]


def this_kernel() -> list[str]:
    """Return the command line of a kernel of this interpreter, for a kernelspec."""
    return this_python("-m", "ipykernel_launcher", "-f", "{connection_file}")


def clean_environment(environ: Mapping[str, str], **more: str) -> dict[str, str]:
    """Return an environment without any setting of this project, plus `more`."""
    kept = {k: v for k, v in environ.items() if not k.startswith("CMSMIG_")}
    return {**kept, **more}


def run_child(
    command: Sequence[str],
    environ: Mapping[str, str],
    *,
    cwd: Path | None = None,
    stdout: IO[bytes] | None = None,
) -> int:
    """Run a command to its end and return its exit code.

    Ctrl-C reaches the child through the terminal and SIGTERM is passed on; the
    child decides when it is over. A child that a signal ended counts as stopped.
    """
    process = subprocess.Popen(command, env=dict(environ), cwd=cwd, stdout=stdout)

    def pass_on(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
        signal.SIGTERM: signal.signal(signal.SIGTERM, pass_on),
    }
    try:
        code = process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else InterruptedRunError.exit_code
