"""How far a run is: a meter that observes it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

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
)
from cmsmig.ui.format import duration

_WINDOW = 5.0
"""Seconds over which the pace is taken."""
_NOTICES = 20
_TITLES = {
    "components": "Components",
    "folders": "Folders",
    "assets": "Files",
    "stories": "Stories, phase one",
    "relations": "Relations and links, phase two",
    "publish": "Publication",
    "gone items": "Stories of items that are gone at the origin",
    "verify": "Reading back",
    "visitors' pages": "Reading what visitors get",
}


@dataclass(slots=True)
class Stage:
    """One step of a run, as far as it has come."""

    step: str
    total: int | None
    done: int = 0
    note: str = ""
    """What it said at its end; empty while it runs."""
    began: float = 0.0
    """By the meter's clock."""

    @property
    def title(self) -> str:
        """Return what the step is called before a person."""
        return _TITLES.get(self.step, self.step)

    @property
    def handled(self) -> str:
        """Return how many things it handled, of how many."""
        of = "" if self.total is None else f" of {self.total:,}"
        return f"{self.done:,}{of}"


@dataclass(slots=True)
class Meter:
    """An observer that counts what happens and hands every event on."""

    observer: Observer
    clock: Callable[[], float] = time.monotonic
    stages: list[Stage] = field(default_factory=list)
    calls: int = 0
    writes: int = 0
    waits: dict[str, float] = field(default_factory=dict)
    """Seconds waited besides the pace itself, by reason."""
    notices: list[str] = field(default_factory=list)
    retries: int = 0
    _planned: int = 0
    _sent: deque[float] = field(default_factory=deque)
    _began: float | None = None
    _waiting: tuple[float, str] = (0.0, "")

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        if self._began is None:
            self._began = self.clock()
        self._count(event)
        self.observer(event)

    def expect(self, planned: int) -> None:
        """Take in how many calls that draw on the budget there will be in all."""
        self._planned = planned

    @property
    def elapsed(self) -> float:
        """Return the seconds since the first event."""
        return 0.0 if self._began is None else self.clock() - self._began

    @property
    def stage(self) -> Stage | None:
        """Return the step that runs now or ran last."""
        return self.stages[-1] if self.stages else None

    def pace(self) -> float:
        """Return the calls a second, over the last seconds."""
        now = self.clock()
        while self._sent and self._sent[0] < now - _WINDOW:
            self._sent.popleft()
        return len(self._sent) / max(0.5, min(_WINDOW, self.elapsed))

    def waiting(self) -> str:
        """Return why nothing is sent at the moment, and for how long; or empty."""
        until, reason = self._waiting
        left = until - self.clock()
        return f"waiting {duration(left)}: {reason}" if left > 0 else ""

    def seconds_left(self) -> float | None:
        """Return the seconds to the end: by the calls expected, else by the things
        handled so far; None as long as neither is known, and until a tenth is done."""
        stage = self.stage
        if self._planned and self.calls:
            if 10 * self.calls < self._planned:
                return None
            return max(0, self._planned - self.calls) * self.elapsed / self.calls
        if stage is None or not stage.total or 10 * stage.done < stage.total:
            return None
        elapsed = self.clock() - stage.began
        return (stage.total - stage.done) * elapsed / stage.done

    def line(self) -> str:
        """Return how it goes in one line: pace, waiting and why, time left."""
        parts = [f"{self.calls:,} calls, {self.pace():.1f} a second"]
        left = self.seconds_left()
        if left is not None:
            parts.append(f"about {duration(left)} left")
        if waiting := self.waiting():
            parts.append(waiting)
        return "; ".join(parts)

    def summary(self) -> str:
        """Return how it went in one line."""
        average = self.calls / max(0.001, self.elapsed)
        text = f"{self.calls:,} calls in {duration(self.elapsed)}"
        if self.elapsed >= 1:
            text += f", {average:.1f} a second"
        if self.retries:
            text += f"; {self.retries} sent again"
        for reason, seconds in self.waits.items():
            text += f"; waited {duration(seconds)}, {reason}"
        return text

    def _count(self, event: Event) -> None:
        match event:
            case StepStarted(step, total):
                self.stages.append(Stage(step, total, began=self.clock()))
            case StepAdvanced(step, _):
                self._stage(step).done += 1
            case StepFinished(step, note):
                self._stage(step).note = note
            case RequestSent(quota=True):
                self.calls += 1
                self._sent.append(self.clock())
            case RequestRetried(reason=reason, delay=delay):
                self.retries += 1
                self._wait(delay, reason)
            case BudgetWaited(_, delay, reason) if reason != "pace":
                self._wait(delay, reason)
            case Noticed(where, what) if len(self.notices) < _NOTICES:
                self.notices.append(f"{where}: {what}")
            case _:
                pass

    def _wait(self, delay: float, reason: str) -> None:
        now = self.clock()
        until = max(self._waiting[0], now)
        # Several callers wait at once; what they share is counted once.
        shared = max(0.0, now + delay - until)
        self.waits[reason] = self.waits.get(reason, 0.0) + shared
        self._waiting = (max(until, now + delay), reason)

    def _stage(self, step: str) -> Stage:
        for stage in reversed(self.stages):
            if stage.step == step:
                return stage
        self.stages.append(Stage(step, None, began=self.clock()))
        return self.stages[-1]
