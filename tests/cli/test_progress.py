"""Progress on standard error: what a person reads, and how often."""

from __future__ import annotations

import io

import pytest

from cmsmig.cli.progress import Progress
from cmsmig.events import (
    BudgetWaited,
    Event,
    StepAdvanced,
    StepFinished,
    StepStarted,
)

PAUSED = "the service asked for a pause"


@pytest.mark.parametrize(
    ("events", "lines"),
    [
        pytest.param(
            [
                *(
                    (0.02, BudgetWaited("d", 1.41 - n * 0.02, PAUSED))
                    for n in range(12)
                ),
                *(
                    (1.3 if n == 0 else 0.0, BudgetWaited("d", 2.9, PAUSED))
                    for n in range(3)
                ),
            ],
            [f"d: waiting 1.4 s, {PAUSED}", f"d: waiting 2.9 s, {PAUSED}"],
            id="a pause is one line however many callers wait; the next one is another",
        ),
        pytest.param(
            [
                (0.0, BudgetWaited("d", 2.0, PAUSED)),
                (0.0, BudgetWaited("d", 1.2, PAUSED)),
                (0.0, BudgetWaited("d", 9.0, PAUSED)),
                (0.0, BudgetWaited("o", 9.0, PAUSED)),
            ],
            [
                f"d: waiting 2.0 s, {PAUSED}",
                f"d: waiting 9.0 s, {PAUSED}",
                f"o: waiting 9.0 s, {PAUSED}",
            ],
            id="a pause that grows is another line, and each service by itself",
        ),
        pytest.param(
            [
                (0.0, BudgetWaited("d", 30.0, "pace")),
                (0.0, BudgetWaited("d", 0.3, PAUSED)),
            ],
            [],
            id="the pace and short waits are no news",
        ),
        pytest.param(
            [
                (0.0, StepStarted("stories", 100)),
                *((0.125, StepAdvanced("stories", "a/b")) for _ in range(50)),
                (0.0, StepFinished("stories", "100 stories handled")),
            ],
            [
                "stories: 16/100",
                "stories: 32/100",
                "stories: 48/100",
                "stories: 100 stories handled",
            ],
            id="a step is a line every two seconds, and one at its end",
        ),
    ],
)
def test_what_a_person_reads_without_a_terminal(
    events: list[tuple[float, Event]], lines: list[str]
) -> None:
    """Events, each so many seconds after the one before."""
    printed, now = io.StringIO(), 100.0
    progress = Progress(printed, clock=lambda: now)
    for seconds, event in events:
        now += seconds
        progress(event)
    found = printed.getvalue().splitlines()
    assert len(found) == len(lines)
    assert all(map(str.startswith, found, lines)), found
