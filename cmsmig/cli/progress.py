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
    StepAdvanced,
    StepFinished,
    StepStarted,
    unobserved,
)
from cmsmig.masking import masked
from cmsmig.printable import printable
from cmsmig.ui.format import duration
from cmsmig.ui.meter import Meter, Stage

_EVERY = 2.0
"""Seconds between two lines of a step where no terminal is."""
_SHOWN_WAIT = 1.0
"""Seconds; shorter waits are no news."""
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
        self._meter = Meter(unobserved, clock)
        self._shown = 0.0
        self._paused_until: dict[str, float] = {}

    def __call__(self, event: Event) -> None:
        """Take note of an event, and show what changed."""
        self._meter(event)
        match event:
            case StepStarted():
                self._shown = self._meter.clock()
            case StepAdvanced(step) if step == self._meter.stages[-1].step:
                # The one before may still be ending.
                self._show(self._meter.stages[-1])
            case StepFinished(step, note):
                self._say(f"{step}: {note}")
            case RequestRetried(service, method, path, reason, delay):
                self._say(
                    f"{service}: {method} {path} again in {delay:.1f} s ({reason})"
                )
            case BudgetWaited(service, delay, reason) if (
                delay > _SHOWN_WAIT and reason != "pace"
            ):
                self._pause(service, delay, reason)
            case Noticed(where, what):
                self._say(f"{where}: {what}")
            case _:
                pass

    def _pause(self, service: str, delay: float, reason: str) -> None:
        """Show a pause once, however many callers wait for its end."""
        until = self._meter.clock() + delay
        reported = self._paused_until.get(service, float("-inf"))
        if until > reported + _SAME_PAUSE:
            self._paused_until[service] = until
            self._say(f"{service}: waiting {delay:.1f} s, {reason}")

    def _show(self, stage: Stage) -> None:
        now = self._meter.clock()
        if not self._live and now - self._shown < _EVERY:
            return
        self._shown = now
        of = f"/{stage.total}" if stage.total else ""
        line = f"{stage.step}: {stage.done}{of}"
        if pace := self._meter.pace():
            line += f", {pace:.1f} calls/s"
        if left := self._meter.seconds_left():
            line += f", {duration(left)} left"
        self._write(line, final=not self._live)

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
