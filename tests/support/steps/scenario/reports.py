"""Steps of cases that expect something of the report, or verify by a clock."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cmsmig.events import unobserved
from cmsmig.evidence.evidence import Evidence, evidence_json, gather
from cmsmig.evidence.report_findings import report_findings
from cmsmig.mapping.redirects.address_map import AddressOutcome, Source
from cmsmig.settings import Project, find_project, load_settings
from cmsmig.steps.decide.migration import Migration, open_migration
from cmsmig.steps.plan.plan import PlanDetails
from cmsmig.steps.verify.differences import Verification
from cmsmig.steps.verify.verify import verify
from cmsmig.steps.worker_pool import StopSignal
from cmsmig.steps.write.import_setup import ImportSetup, open_job
from tests.support.steps.expectations import insist
from tests.support.steps.staged_project import StagedProject

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
    """Expect parts of a verification: the codes of its `differences` and of what is
    `kept`, and how long it `slept` in all."""
    scenario.clock.slept.clear()
    found = asyncio.run(verification(scenario))
    slept = scenario.clock.slept
    assert slept == sorted(slept)
    codes, kept = (
        [str(each.code) for each in some] for some in (found.differences, found.kept)
    )
    names = ("public", "public_unread", "singly")
    shown = {name: getattr(found, name) for name in names}
    shown |= {"is_as_decided": found.is_as_decided, "slept": round(sum(slept), 6)}
    insist({**shown, "differences": codes, "kept": kept}, expected)


def later(scenario: Scenario, seconds: float) -> None:
    scenario.clock.ahead += seconds


_COMMAND = re.compile(r"`cmsmig ([a-z -]+)`")
_ROUNDS = 4
"""Reports after which nothing may be left to do."""


def opened(project: StagedProject) -> Migration:
    """Return the migration of a project."""
    found = Project(project.folder)
    return open_migration(found, load_settings(found, {}, need_origin=False))


def evidence(project: StagedProject, found: Verification | None = None) -> Evidence:
    """Return what a report is made of."""
    space = str(project.space.space_id)
    return gather(Project(project.folder), opened(project), space, found)


def reported(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect parts of the report."""
    insist(evidence_json(evidence(scenario.project)), expected)


def redirects(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect where old addresses lead; none leads to another that leads on."""
    found = evidence(scenario.project).redirects
    moved = {each.old: each.new for each in found.of(AddressOutcome.MOVED)}
    assert not [old for old, new in moved.items() if new in moved], moved
    lost = found.of(AddressOutcome.WAITING, Source.ITEM)
    insist({**moved, "lost": lost}, expected)


def findings(scenario: Scenario, name: str, expected: Any) -> None:
    """Expect what a list of the report says."""
    migration = opened(scenario.project)
    context = migration.context(migration.files.planned_assets({}), {})
    details = PlanDetails(migration, context, {}, (), ())
    sets = report_findings(migration, {}, (), scenario.project.plan(), details)
    (found,) = [each for each in sets if each.name == name]
    insist([asdict(each) for each in found.read()], expected)


def report_followed(scenario: Scenario, deeds: dict[str, Any]) -> None:
    """Do what the report says until it says nothing: the steps of the words that
    it has, then the commands that it names. Each of the words is to come."""
    found_words = set()
    for _ in range(_ROUNDS):
        found = evidence(scenario.project, asyncio.run(verification(scenario)))
        said = [f"{each.explanation} {each.next_action}" for each in found.failures]
        if found.verification is not None:
            said += [each.text for each in found.verification.differences]
        commands = dict.fromkeys(_COMMAND.findall(" ".join(said)))
        for words, steps in deeds.items():
            if any(words in each for each in said):
                found_words.add(words)
                scenario.take(steps)
        for command in sorted(commands, reverse=True):
            scenario.project.run(*shlex.split(command))
        if not said:
            assert found_words == deeds.keys()
            assert found.exit_code == 0
            return
    raise AssertionError(said)


def no_delivery_token(scenario: Scenario) -> None:
    """Expect no token of the delivery side in the project folder, nor printed."""
    space = scenario.project.space
    files = [e for e in scenario.project.folder.rglob("*") if e.is_file()]
    for token in (space.public_token, space.preview_token):
        assert token not in scenario.printed
        assert not any(token.encode() in each.read_bytes() for each in files)
