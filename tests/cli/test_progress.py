"""Progress on standard error: what a person is told, and how often."""

from __future__ import annotations

import io

from cmsmig.events import BudgetWaited, StepAdvanced, StepFinished, StepStarted
from cmsmig.terminal.progress import Progress

PAUSED = "the service asked for a pause"


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_pause_is_told_once_however_many_callers_wait() -> None:
    """Twelve callers of one pause make one line; the next pause makes another."""
    told, clock = io.StringIO(), Clock()
    progress = Progress(told, clock=clock)
    for _ in range(12):
        progress(BudgetWaited("destination", 101.4 + 0.01 - clock.now, PAUSED))
        clock.now += 0.02
    assert told.getvalue() == f"destination: waiting 1.4 s, {PAUSED}\n"
    clock.now = 101.5
    for _ in range(3):
        progress(BudgetWaited("destination", 2.9, PAUSED))
    assert told.getvalue().splitlines()[1:] == [f"destination: waiting 2.9 s, {PAUSED}"]


def test_a_pause_that_grows_is_told_again() -> None:
    """Who waits longer than was told is told so, and each service by itself."""
    told = io.StringIO()
    progress = Progress(told, clock=Clock())
    for service, delay in (
        ("destination", 2.0),
        ("destination", 1.2),
        ("destination", 9.0),
        ("origin", 9.0),
    ):
        progress(BudgetWaited(service, delay, PAUSED))
    assert told.getvalue().splitlines() == [
        f"destination: waiting 2.0 s, {PAUSED}",
        f"destination: waiting 9.0 s, {PAUSED}",
        f"origin: waiting 9.0 s, {PAUSED}",
    ]


def test_the_pace_and_short_waits_are_not_told() -> None:
    """Waiting for one's turn is how it works, and no news."""
    told = io.StringIO()
    progress = Progress(told, clock=Clock())
    progress(BudgetWaited("destination", 30.0, "pace"))
    progress(BudgetWaited("destination", 0.3, PAUSED))
    assert told.getvalue() == ""


def test_a_step_is_told_every_other_second_where_nobody_watches() -> None:
    """Without a terminal a step makes a line every two seconds, and one at its end."""
    told, clock = io.StringIO(), Clock()
    progress = Progress(told, clock=clock)
    progress(StepStarted("stories", 100))
    for _ in range(50):
        clock.now += 0.125
        progress(StepAdvanced("stories", "a/b"))
    progress(StepFinished("stories", "100 stories handled"))
    lines = told.getvalue().splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "stories: 16/100",
        "stories: 32/100",
        "stories: 48/100",
        "stories: 100 stories handled",
    ]
