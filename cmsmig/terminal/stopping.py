"""Ctrl-C in a step: the first ends it after the calls in flight, another at once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from cmsmig.steps.worker_pool import StopSignal
from cmsmig.terminal.console import complain


@contextmanager
def stoppable() -> Iterator[StopSignal]:
    """Let the first Ctrl-C end the step after the calls in flight."""
    stop = StopSignal()

    def ask(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        complain("Stopping after the calls in flight; again to stop now.")

    before = {
        number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
