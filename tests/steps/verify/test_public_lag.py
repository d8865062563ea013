"""A delivery side that is behind: what visitors get later is no difference now."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import replace

import pytest

from cmsmig.events import unobserved
from cmsmig.sandbox.http.asgi import Call, Middleware, Next, Reply
from cmsmig.settings import find_project, load_settings
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.verify.verify import verify
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_setup import ImportSetup, open_job
from tests.support.steps.staged_project import Stage, StagedProject


class Clock:
    """The sandbox's time; sleeping takes none of ours."""

    def __init__(self) -> None:
        self.ahead = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Return the present time of the sandbox."""
        return time.time() + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.ahead += seconds
        self.slept.append(seconds)


def verified(staged: StagedProject, clock: Clock) -> Verification:
    """Verify as the command does, over the clock of the sandbox."""

    async def work() -> Verification:
        project = find_project(staged.folder, os.environ)
        settings = load_settings(project, os.environ)
        migration = open_migration(project, settings)
        setup = ImportSetup(project, settings, migration, unobserved, StopSignal())
        async with open_job(setup) as job:
            job.sleep = clock.sleep
            return await verify(job)

    return asyncio.run(work())


def published(
    stage: Stage, clock: Clock, *between: Middleware, **options: object
) -> StagedProject:
    """Return a project whose stories were all published."""
    staged = stage(*between, clock=clock, **options)
    staged.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    staged.done("import")
    return staged


@pytest.mark.parametrize("lag", [0.5, 3.0, 7.0, 10.0])
def test_a_lag_is_no_difference(stage: Stage, lag: float) -> None:
    """Of first publications, which visitors do not get yet, and of later ones."""
    clock = Clock()
    staged = published(stage, clock, delivery_lag=lag)
    found = verified(staged, clock)
    assert (found.differences, found.public_unread) == ([], "")
    assert found.public == 6
    clock.ahead += 60
    staged.decide("design.yaml", "key: position", "key: rank")
    staged.done("import")
    clock.slept.clear()
    found = verified(staged, clock)
    assert (found.differences, found.public_unread) == ([], "")
    assert clock.slept == sorted(clock.slept)
    assert sum(clock.slept) <= 12


def test_a_minimum_cache_time_is_no_difference(stage: Stage) -> None:
    """What is kept longer than anybody waits is reported as not compared yet."""
    clock = Clock()
    staged = published(stage, clock, minimum_cache=100_000)
    assert verified(staged, clock).is_as_decided
    staged.decide("design.yaml", "key: position", "key: rank")
    staged.done("import")
    found = verified(staged, clock)
    assert found.differences == []
    assert found.public == 0
    assert "older than the last publication of 6 stories" in found.public_unread
    assert "`cmsmig verify` again in a minute" in found.public_unread
    assert sum(clock.slept) == pytest.approx(12)
    clock.ahead += 100_001
    assert verified(staged, clock).is_as_decided


def test_what_is_of_the_last_publication_counts_at_once(stage: Stage) -> None:
    """An editor's own publication differs however long anybody waits."""
    clock = Clock()
    staged = published(stage, clock)
    path = next(iter(staged.stories()))
    staged.edit(path, position="4711")
    staged.api("GET", f"/stories/{staged.stories()[path].story_id}/publish")
    found = verified(staged, clock)
    assert {each.code for each in found.differences} == {"field_value"}
    assert found.public_unread == ""
    assert clock.slept == [1.0]


async def without_the_first(call: Call, answer: Next) -> Reply:
    """Leave one story out of each list that visitors get."""
    reply = await answer(call)
    if not call.path.startswith("/v2/cdn/stories") or reply.status != 200:
        return reply
    body = json.loads(reply.body)
    body["stories"] = [s for s in body["stories"] if not s["full_slug"].endswith("-1")]
    return replace(reply, body=json.dumps(body).encode())


def test_what_visitors_never_get_is_a_difference(stage: Stage) -> None:
    """It is waited for as long as the delivery side can be behind."""
    clock = Clock()
    staged = published(stage, clock, without_the_first)
    found = verified(staged, clock)
    assert [str(each.code) for each in found.differences] == ["not_published"]
    assert found.public_unread == ""
    assert sum(clock.slept) == pytest.approx(12)
