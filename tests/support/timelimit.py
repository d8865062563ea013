"""Limits of tests: seconds of an idle machine, and of processor time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from pytest_timeout import timeout_sigalrm

_TICK = 2.0
_PATIENCE = 60.0


def crowding() -> float:
    """Return how many programs want each core of this machine, at least one."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def patience() -> float:
    """Return the seconds that a test waits for what has to come."""
    return _PATIENCE * crowding()


def set_timer(item: pytest.Item, settings: Any) -> bool:
    """Fail the test that runs, with every stack, once `settings.timeout` is used up.

    The more programs want the machine, the slower that happens.
    """
    left = float(settings.timeout)
    tick = min(_TICK, left)

    def passed(number: int, frame: FrameType | None) -> None:
        nonlocal left
        left -= tick / crowding()
        if left <= 0:
            cancel()
            timeout_sigalrm(item, settings)

    def cancel() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    item.cancel_timeout = cancel  # type: ignore[attr-defined]
    signal.signal(signal.SIGALRM, passed)
    signal.setitimer(signal.ITIMER_REAL, tick, tick)
    return True


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
