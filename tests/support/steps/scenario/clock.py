"""Steps of cases whose sandbox has a clock of its own."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cmsmig.events import unobserved
from cmsmig.settings import find_project, load_settings
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.verify.verify import verify
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_setup import ImportSetup, open_job
from tests.support.steps.expectations import insist

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario


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


async def verification(scenario: Scenario) -> Verification:
    """Verify as the command does, over the clock of the sandbox."""
    project = find_project(scenario.project.folder, os.environ)
    settings = load_settings(project, os.environ)
    migration = open_migration(project, settings)
    setup = ImportSetup(project, settings, migration, unobserved, StopSignal())
    async with open_job(setup) as job:
        job.sleep = scenario.clock.sleep
        return await verify(job)


def verified_by_the_clock(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect parts of a verification: the codes of its `differences`, and how long it
    `slept` in all."""
    scenario.clock.slept.clear()
    found = asyncio.run(verification(scenario))
    slept = scenario.clock.slept
    assert slept == sorted(slept)
    codes = [str(each.code) for each in found.differences]
    names = ("public", "public_unread", "singly")
    shown = {name: getattr(found, name) for name in names}
    shown |= {"is_as_decided": found.is_as_decided, "slept": round(sum(slept), 6)}
    insist({**shown, "differences": codes}, expected)


def later(scenario: Scenario, seconds: float) -> None:
    scenario.clock.ahead += seconds


STEPS: dict[str, Callable[..., None]] = {
    "verified by the clock": verified_by_the_clock,
    "later": later,
}
