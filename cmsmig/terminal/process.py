"""The process of a command, from its first line to its exit code."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from cmsmig.errors import InterruptedRunError


def run_process(main: Callable[[list[str]], None]) -> NoReturn:
    """Run a command with the arguments of this process, then end the process.

    SIGINT and SIGTERM are `KeyboardInterrupt` where the command has no handler, also
    where a shell that began it in the background has SIGINT ignored.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    code = 0
    try:
        main(sys.argv[1:])
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(bool(ending.code))
    except KeyboardInterrupt:
        # It came while the command was ending.
        code = InterruptedRunError.exit_code
    # It is over: a signal no longer changes its code, nor what is done at its end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Python would take its modules apart for half a second, in which a signal is
    # ignored or changes the code.
    os._exit(code)
