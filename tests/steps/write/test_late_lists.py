"""A list of files that lags when a killed run is continued."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.steps.faults import CUT, SIGN, Fault
from tests.support.steps.staged_project import Stage, exactly_one_of_everything


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
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
