"""The log of a run: one event a line as JSON, for programs that read logs.

A line names steps, items, calls and counts. It never holds what is in an item,
nor a sentence that may quote it, nor a token.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.events import (
    BudgetWaited,
    Event,
    Noticed,
    Observer,
    RequestRetried,
    RequestSent,
    StepAdvanced,
    StepFinished,
    StepStarted,
    unobserved,
)
from cmsmig.masking import masked

VARIABLE = "CMSMIG_RUN_LOG"
"""Names the log to the kernels of a run; it is no setting."""
FILE_NAME = "log.jsonl"
_REFUSED = 400


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class EventLog:
    """An observer that appends to a file, which other processes may append to."""

    def __init__(self, path: Path, clock: Callable[[], datetime] = now) -> None:
        self._path = path
        self._clock = clock
        self._step = ""
        self._paced: dict[str, float] = {}
        """Seconds that callers waited for their turn since the last call."""

    def __call__(self, event: Event) -> None:
        """Write down an event."""
        match event:
            case StepStarted(step, total):
                self._step = step
                of = "" if total is None else f", {total} to handle"
                self.write(step=step, outcome=f"started{of}")
            case StepAdvanced(step, what):
                self.write(step=step, item=what, outcome="handled")
            case StepFinished(step, note):
                self.write(step=step, outcome=note)
            case RequestSent(service, method, path, status):
                waited = self._paced.pop(service, 0.0)
                level = "info" if status < _REFUSED else "warning"
                call = f"{service}: {method} {path}"
                self.write(level, call=call, wait=waited, outcome=str(status))
            case RequestRetried(service, method, path, reason, delay):
                call = f"{service}: {method} {path}"
                self.write("warning", call=call, wait=delay, outcome=f"again: {reason}")
            case BudgetWaited(service, delay, "pace"):
                self._paced[service] = self._paced.get(service, 0.0) + delay
            case BudgetWaited(service, delay, reason):
                self.write("warning", call=service, wait=delay, outcome=reason)
            case Noticed(where):
                self.write("warning", item=where, outcome="noticed")

    def write(
        self,
        level: str = "info",
        *,
        step: str = "",
        item: str = "",
        call: str = "",
        wait: float = 0.0,
        outcome: str,
    ) -> None:
        """Append one line; what there is nothing to say about is null."""
        line = {
            "time": self._clock().isoformat(timespec="milliseconds"),
            "level": level,
            "step": step or self._step or None,
            "item": item or None,
            "call": call or None,
            "wait": round(wait, 3),
            "outcome": outcome,
        }
        # A disk that takes nothing stops no run.
        with suppress(OSError), self._path.open("a", encoding="ascii") as file:
            file.write(masked(json.dumps(line)) + "\n")


def log_of_run(environ: Mapping[str, str]) -> Observer:
    """Return the log of the run that this process belongs to, if it does to one."""
    path = environ.get(VARIABLE, "")
    return EventLog(Path(path)) if path else unobserved


def fan_out(*observers: Observer) -> Observer:
    """Return an observer that passes each event to several."""

    def observe(event: Event) -> None:
        for observer in observers:
            observer(event)

    return observe
