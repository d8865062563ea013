"""Progress for a person: an observer that writes to standard error."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

from cmsmig.events import (
    BudgetWaited,
    Event,
    Noticed,
    RequestRetried,
    RequestSent,
    StepAdvanced,
    StepFinished,
    StepStarted,
)
from cmsmig.masking import masked
from cmsmig.printable import printable
from cmsmig.ui.format import duration

_EVERY = 2.0
"""Seconds between two lines of a step when nobody looks at a terminal."""
_TELLING_WAIT = 1.0
_SAME_PAUSE = 0.5
"""Seconds by which the ends of what is one pause for many callers may differ."""


class Progress:
    """One line per step, renewed in place on a terminal; waits and retries named."""

    def __init__(
        self,
        stream: TextIO,
        *,
        clock: Callable[[], float] = time.monotonic,
        stamp: Callable[[], str] | None = None,
    ) -> None:
        """`stamp` returns the time that each line begins with where no terminal is."""
        self._stream = stream
        self._stamp = stamp
        self._live = stream.isatty()
        self._clock = clock
        self._step = ""
        self._total: int | None = None
        self._done = 0
        self._started = 0.0
        self._shown = 0.0
        self._calls = 0
        self._paused_until: dict[str, float] = {}

    def __call__(self, event: Event) -> None:
        """Take note of an event, and show what changed."""
        match event:
            case StepStarted(step, total):
                self._begin(step, total)
            case StepAdvanced(step) if step == self._step:
                # The one before may still be ending.
                self._done += 1
                self._show()
            case StepFinished(step, note):
                self._say(f"{step}: {note}")
            case RequestSent(quota=True):
                self._calls += 1
            case RequestRetried(service, method, path, reason, delay):
                self._say(
                    f"{service}: {method} {path} again in {delay:.1f} s ({reason})"
                )
            case BudgetWaited(service, delay, reason) if (
                delay > _TELLING_WAIT and reason != "pace"
            ):
                self._pause(service, delay, reason)
            case Noticed(where, what):
                self._say(f"{where}: {what}")
            case _:
                pass

    def _pause(self, service: str, delay: float, reason: str) -> None:
        """Tell of a pause once, however many callers wait for its end."""
        until = self._clock() + delay
        reported = self._paused_until.get(service, float("-inf"))
        if until > reported + _SAME_PAUSE:
            self._paused_until[service] = until
            self._say(f"{service}: waiting {delay:.1f} s, {reason}")

    def _begin(self, step: str, total: int | None) -> None:
        self._step, self._total = step, total
        self._done = self._calls = 0
        self._started = self._shown = self._clock()

    def _show(self) -> None:
        now = self._clock()
        if not self._live and now - self._shown < _EVERY:
            return
        self._shown = now
        self._write(self._line(now), final=not self._live)

    def _line(self, now: float) -> str:
        elapsed = max(now - self._started, 0.001)
        of = f"/{self._total}" if self._total else ""
        line = f"{self._step}: {self._done}{of}"
        if self._calls:
            line += f", {self._calls / elapsed:.1f} calls/s"
        if self._total and 0 < self._done < self._total:
            left = elapsed / self._done * (self._total - self._done)
            line += f", {duration(left)} left"
        return line

    def _say(self, text: str) -> None:
        self._write(text, final=True)

    def _write(self, text: str, *, final: bool) -> None:
        stamp = "" if self._live or self._stamp is None else f"{self._stamp()} "
        start = "\r\x1b[K" if self._live else stamp
        line = printable(masked(text))
        # A terminal that is gone stops no work.
        with suppress(OSError):
            self._stream.write(f"{start}{line}" + ("\n" if final else ""))
            self._stream.flush()


def moment() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
