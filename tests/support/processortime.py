"""A limit of processor time: other programs of the machine do not count."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLongError(AssertionError):
    """Something used more of the processor than it may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TooLongError` in the block once this process has worked so long in it."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TooLongError(f"more than {seconds:g} seconds of processor time")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
