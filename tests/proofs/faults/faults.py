"""Every fault and kill at every request of each command, and whether reruns mend it.

Each command is run undisturbed first, on a site of 30 items in two locales. Then, for
each of its requests and each fault of the sandbox, and for a kill before the request,
after it was applied and after its reply, it runs again from the same beginning; reruns
follow until it is done, and the resulting space is compared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.proofs.faults.cases import Case, all_cases
from tests.proofs.faults.editors import disturbed_by_editor
from tests.proofs.faults.left import published_by_decision, too_soon
from tests.proofs.faults.processes import killed_at_times
from tests.proofs.faults.scenes import (
    CHANGES,
    IMPORT,
    PULL,
    RECREATE,
    ROLLBACK,
    Scene,
    Scenes,
    newest_plan,
    prepared,
    writes_of,
)
from tests.proofs.world.disturbances import BEFORE, Disturbance
from tests.proofs.world.world import World
from tests.support.sandbox.fault_rules import Fault

PLANNED = ("faults", "recreate", "rollback", "delta", "languages")
"""Parts whose killed run made a plan that its rerun is held to."""
RERUNS = 8
"""Runs in a row after which a case counts as not converging."""
LONGEST = 60.0
"""Seconds after which a process counts as hanging."""
HELD = 6
"""How an import ends while another one holds the ledger."""


def attempt(case: Case, scenes: Scenes) -> list[str]:
    """Run one case and return what is wrong with it; never raises."""
    try:
        scene = scenes.by_name[case.scene]
        if case.moments:
            return killed_at_times(case, scene, scenes)
        one = scenes.world
        one.go_back(scene.start)
        one.begin()
        with one.in_flight(case.in_flight, case.key):
            return _attempt(one, scene, case)
    except Exception:
        return [traceback.format_exc(limit=-4)]


def _attempt(one: World, scene: Scene, case: Case) -> list[str]:
    unknown = len(case.kills) * case.in_flight
    if case.part == "two":
        if problem := _second_import(one, case.kills[0]):
            return [problem]
        unknown = 0
    elif case.part == "editors":
        if problem := disturbed_by_editor(one, case):
            return [problem]
        # An item that had to wait is linked to, and published, later than others.
        unknown = len(scene.whole.entries)
    else:
        one.handle.state.injector.set(case.plan)
        for at in case.kills:
            kill = Disturbance(at, how=case.how)
            ended = one.disturbed(kill, *scene.command)
            if not kill.dead and case.in_flight == len(case.kills) == 1:
                return [f"the run was not killed but ended with {ended}"]
    codes: list[int] = []
    if problem := _rerun(one, scene, case, codes):
        return [problem]
    unknown += sum(1 for entry in one.entries if entry.fault)
    asked = max((each.retry_after or 0.0 for each in case.plan), default=0.0)
    hasty = too_soon(one.entries, asked) if case.in_flight == 1 else []
    return [*hasty, *scene.judge(one, scene.whole, unknown, codes)]


def _second_import(one: World, at: int) -> str:
    """Import while an import holds the ledger, in one of its requests."""
    ended: list[subprocess.CompletedProcess[str]] = []

    async def meanwhile(call: Call, answer: Next) -> Reply:
        # The loop waits, too: its time would pass over what takes so long.
        arguments = [sys.executable, "-m", "cmsmig.cli", "--project", one.folder]
        ended.append(
            subprocess.run(
                [*arguments, "import"], capture_output=True, text=True, timeout=LONGEST
            )
        )
        return await answer(call)

    first = one.disturbed(Disturbance(at, meanwhile), *IMPORT)
    outcomes = [(each.returncode, each.stderr) for each in ended]
    if [code for code, _ in outcomes] != [HELD] or "process" not in outcomes[0][1]:
        return f"the second import ended with {outcomes}"
    return "" if first.code == 0 else f"the first import ended with {first}"


def _rerun(one: World, scene: Scene, case: Case, codes: list[int]) -> str:
    """Run until it says that all is done; return why it never does, or not at once."""
    injector = one.handle.state.injector
    ended = one.run(*_planned(one, scene, case))
    codes.append(ended.code)
    if case.plan and case.in_flight == 1 and not injector.given:
        return f"the fault was never given: {ended}"
    injector.set(())
    if ended.code and _rides_out(case):
        return f"one fault that passed, and yet it ended with {ended}"
    if ended.code and not case.plan:
        return f"nothing is in its way, and yet the next run ends with {ended}"
    while codes[-1] != 0:
        if len(codes) > RERUNS:
            return f"It is not done after {len(codes)} runs: {ended}"
        ended = one.run(*scene.rerun)
        codes.append(ended.code)
    if problem := _decide_publications(one, scene, case):
        return problem
    if scene.rerun == CHANGES:
        again = one.run(*CHANGES)
        return (
            "" if again.out == scene.said else f"changes prints something else: {again}"
        )
    begun = len(one.entries)
    again = one.run(*scene.rerun)
    if scene.rerun == PULL and case.plan and case.plan[0].fault is Fault.UNSEEN:
        # A file that the origin did not have is asked for by each pull.
        begun, again = len(one.entries), one.run(*PULL)
    asked = len(one.entries) - begun if scene.rerun == PULL else writes_of(again)
    return f"done, and yet again: {asked} {again}" if again.code or asked else ""


def _decide_publications(one: World, scene: Scene, case: Case) -> str:
    """Decide about publications that may have arrived before a kill or not; return why
    there must be none."""
    is_import = scene.rerun in (IMPORT, RECREATE)
    if not case.kills or not is_import or not published_by_decision(one.folder):
        return ""
    if case.how != BEFORE and case.in_flight == 1:
        return "a publication that arrived waits for a person"
    ended = one.run(*scene.rerun)
    return f"what was decided is published, and yet {ended}" if ended.code else ""


def _planned(one: World, scene: Scene, case: Case) -> tuple[str, ...]:
    """Return the next run: what a killed one did is no drift from its plan."""
    plan = newest_plan(one)
    is_same = scene.rerun == scene.command and plan not in ("", scene.plan_before)
    if not case.kills or not is_same or case.part not in PLANNED:
        return scene.rerun
    return (*scene.rerun, plan) if scene.rerun == ROLLBACK else (
        *scene.rerun, "--plan", plan)  # fmt: skip


def _rides_out(case: Case) -> bool:
    """Return whether one run has to cope with what goes wrong.

    A reading that is answered with an empty success is not: it may have been
    renamed, and no second answer would say more.
    """
    if case.part not in ("faults", "rollback", "delta") or not case.plan:
        return False
    (fault, *_) = case.plan
    return fault.times == 1 and (
        fault.fault is not Fault.EMPTY or fault.method != "GET"
    )


@dataclass(frozen=True)
class Faults:
    """All cases, on situations that are prepared once."""

    scenes: Scenes

    def cases(self) -> Sequence[Case]:
        """Return all cases."""
        scenes = self.scenes.by_name.items()
        return [*all_cases({name: each.whole.entries for name, each in scenes})]

    def begin(self) -> None:
        """Work in a folder of this process's own from now on."""
        own = Path(tempfile.mkdtemp(dir=self.scenes.folder))
        self.scenes.world = self.scenes.world.moved(own / "work")

    def attempt(self, case: Case) -> list[str]:
        """Run one case and return what is wrong."""
        return attempt(case, self.scenes)


@contextmanager
def proof(work: Path) -> Iterator[Faults]:
    """Prepare the proof in an empty folder."""
    with prepared(work) as scenes:
        yield Faults(scenes)
