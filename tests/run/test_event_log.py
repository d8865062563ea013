"""The log of a run: what a line holds, and what it never holds."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.event_log import EventLog
from cmsmig.events import (
    BudgetWaited,
    Noticed,
    RequestRetried,
    RequestSent,
    StepAdvanced,
    StepStarted,
)
from cmsmig.masking import hide

MOMENT = datetime(2026, 11, 23, 2, 15, 7, 5000, UTC)


def read(path: Path) -> list[dict]:
    """Return the lines of a log."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_a_line_has_the_same_keys_whatever_happened(tmp_path: Path) -> None:
    """The wait for the pace is at the call that waited."""
    log = EventLog(tmp_path / "log", clock=lambda: MOMENT)
    log(StepStarted("stories", 7))
    log(BudgetWaited("destination", 0.1, "pace"))
    log(BudgetWaited("destination", 0.15, "pace"))
    log(RequestSent("destination", "POST", "/v1/stories", 201, True))
    log(RequestSent("destination", "GET", "/v1/stories", 404, True))
    log(RequestRetried("destination", "GET", "/v1/stories", "it answered 502", 1.5))
    log(StepAdvanced("stories", "blog/first"))
    kept = read(tmp_path / "log")
    assert kept[0] == {
        "time": "2026-11-23T02:15:07.005+00:00",
        "level": "info",
        "step": "stories",
        "item": None,
        "call": None,
        "wait": 0.0,
        "outcome": "started, 7 to handle",
    }
    assert [list(line) for line in kept] == [list(kept[0])] * 5
    shown = [(line["level"], line["wait"], line["outcome"]) for line in kept[1:]]
    assert shown == [
        ("info", 0.25, "201"),
        ("warning", 0.0, "404"),
        ("warning", 1.5, "again: it answered 502"),
        ("info", 0.0, "handled"),
    ]
    assert kept[-1]["item"] == "blog/first"


def test_no_token_and_no_sentence_about_content_is_written(tmp_path: Path) -> None:
    """A hostile name is one line; what is noticed may quote an item."""
    hide("a-token-0123456789")
    path = tmp_path / "log"
    EventLog(path)(StepAdvanced("files", "a\nb a-token-0123456789 \x1b[2J é"))
    EventLog(path)(Noticed("posts", "the title is now `Secret plans`"))
    assert [line["item"] for line in read(path)] == [
        "a\nb (hidden) \x1b[2J é",
        "posts",
    ]
    assert read(path)[1]["outcome"] == "noticed"
    assert b"\x1b" not in path.read_bytes()


def test_two_writers_share_a_file(tmp_path: Path) -> None:
    """Each line is whole, in the order in which they were written."""
    writers = [EventLog(tmp_path / "log") for _ in range(2)]
    names = [f"item-{number}" for number in range(20)]
    for number, name in enumerate(names):
        writers[number % 2](StepAdvanced("stories", name))
    assert [line["item"] for line in read(tmp_path / "log")] == names


def test_a_disk_that_takes_nothing_stops_nothing(tmp_path: Path) -> None:
    """The run continues without it."""
    EventLog(tmp_path / "nowhere" / "log")(StepStarted("stories", None))
