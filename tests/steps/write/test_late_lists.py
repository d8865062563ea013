"""Lists that lag behind what was written: nothing is made twice for that."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

import pytest

from cmsmig.canonical import Json
from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from cmsmig.steps.write import idempotent_write
from tests.support.steps.faults import CREATE_STORY, CUT, SIGN, Fault
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look again without waiting: here a list lags by looks and not by seconds."""
    monkeypatch.setattr(idempotent_write, "LATER", (0.0, 0.0))
    monkeypatch.setattr("cmsmig.steps.write.asset_records.ONCE_MORE", (0.0,))


@dataclass
class Lag:
    """A middleware: the first looks after a lost reply find nothing listed."""

    lost: Fault
    wanted: str
    """A query parameter that only looks for one thing have."""
    looks: int
    seen: list[str] = field(default_factory=list)

    async def __call__(self, call: Call, answer: Next) -> Reply:
        reply = await answer(call)
        if self.lost.hits and call.parameter(self.wanted):
            self.seen.append(call.path)
            if len(self.seen) <= self.looks:
                empty: dict[str, Json] = {key: [] for key in json.loads(reply.body)}
                return json_reply(200, empty, headers=(("Total", "0"),))
        return reply


def imported(project: StagedProject) -> None:
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_a_story_that_shows_late_is_ours(stage: Stage) -> None:
    """Its reply was lost, it was not listed yet, and its place is taken then."""
    lost = Fault(CREATE_STORY, CUT, at=(3,), item='"record')
    lag = Lag(lost, "with_slug", looks=2)
    project = stage(lost, lag)
    project.done("import")
    assert (lost.hits, len(lag.seen)) == (1, 3)
    imported(project)


def test_a_story_that_does_not_show_is_taken_up_by_the_next_run(stage: Stage) -> None:
    """A place that is taken by something unlisted is no conflict: it may be ours."""
    lost = Fault(CREATE_STORY, CUT, at=(3,), item='"record')
    project = stage(lost, Lag(lost, "with_slug", looks=9))
    assert project.run("import").code == 1
    assert [each["reason"] for each in project.status()["failed"]] == ["not_confirmed"]
    assert len(project.open_intents()) == 1
    project.done("import")
    imported(project)


def test_a_file_that_shows_late_is_not_signed_twice(stage: Stage) -> None:
    """The asset that a lost reply left is looked for once more."""
    lost = Fault(SIGN, CUT)
    lag = Lag(lost, "ext_id", looks=1)
    project = stage(lost, lag)
    project.done("import")
    assert len(lag.seen) == 2
    assert len(project.space.assets) == 4
    imported(project)


@dataclass
class Behind:
    """A middleware: assets are not listed until a while after the first request."""

    seconds: float
    since: float = 0.0
    hidden: int = 0

    async def __call__(self, call: Call, answer: Next) -> Reply:
        reply = await answer(call)
        self.since = self.since or time.monotonic()
        if call.parameter("ext_id") and time.monotonic() - self.since < self.seconds:
            self.hidden += 1
            return json_reply(200, {"assets": []}, headers=(("Total", "0"),))
        return reply


def test_a_file_whose_signing_a_kill_left_open_is_not_signed_twice(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run gives the list time to show what the killed one had sent."""
    lost = Fault(SIGN, CUT, at=(2,), then_dead=True)
    behind = Behind(seconds=1.0)
    project = stage(lost, behind)
    assert project.run("import").code != 0
    assert project.open_intents()
    lost.over()
    behind.since, behind.hidden = 0.0, 0
    monkeypatch.setattr("cmsmig.steps.write.asset_records.ONCE_MORE", (1.2,))
    project.done("import")
    assert behind.hidden == 0
    assert len(project.space.assets) == 4
    imported(project)
