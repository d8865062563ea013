"""Notebooks 04 to 06: plan, start, stop, go on, and the same unattended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import (
    PlanDriftError,
    PreflightError,
    UndecidedError,
    UsageError,
)
from cmsmig.events import (
    BudgetWaited,
    Event,
    RequestSent,
    StepAdvanced,
    StepFinished,
    StepStarted,
    unobserved,
)
from cmsmig.mapping.select.pilot import Pilot, pilot_of
from cmsmig.notebook.importing import (
    PlanPanel,
    run_step,
    show_plan,
)
from cmsmig.ui.documents.plan_steps import TITLES, planned_calls
from cmsmig.ui.meter import Meter
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged

Start = Callable[..., Staged]
TICK = "Create missing stories again"


def test_unattended_the_steps_give_what_the_import_command_gives(
    staged: Start,
) -> None:
    """Same plan hash, same content, and a panel that accounts for everything."""
    by_notebook, by_command = staged(), staged()
    planned = by_command.done("plan", "--json").document
    by_command.done("import")
    hashes, last = asyncio.run(_import_by_notebooks(by_notebook))
    assert hashes == {planned["hash"]}
    assert by_notebook.comparable() == by_command.comparable()
    assert "12 stories created, 0 items left out, 0 failed" in last
    again = by_notebook.workspace()
    said = asyncio.run(show_plan(again)).html()
    assert "12 items have a story" in said
    assert "writes: 0" in by_notebook.done("import").out


def test_a_pilot_goes_through_the_steps_alone(staged: Start) -> None:
    """The parameters' texts are the command's options, and no other item is listed."""
    stage = staged()

    async def walked() -> str:
        for step in ("prepare", "create", "link", "publish"):
            workspace = stage.workspace()
            part = pilot_of("", "", "", 3)
            shown = await show_plan(workspace, recreate=False, pilot=part)
            panel = await run_step(workspace, step, shown)
        return shown.html() + panel.html()

    shown = asyncio.run(walked())
    assert "Pilot (limit 3). Changes: none. 3 items" in shown
    assert "3 stories created, 0 items left out, 0 failed" in shown
    assert pilot_of("a, b,", "", "fr", 0) == Pilot(("a", "b"), (), ("fr",))
    with pytest.raises(UsageError, match="limit of 1 or more"):
        pilot_of(limit=-1)


async def _import_by_notebooks(stage: Staged) -> tuple[set[str], str]:
    hashes = set()
    for step in ("prepare", "create", "link", "publish"):
        workspace = stage.workspace()
        shown = await show_plan(workspace)
        assert shown.shown is not None
        hashes.add(shown.shown.plan.plan_hash)
        panel = await run_step(workspace, step, shown)
    return hashes, panel.html()


async def test_the_steps_of_a_plan_hold_all_of_its_calls(staged: Start) -> None:
    """What is shown per step adds up to the plan, the reading counted each time."""
    shown = (await show_plan(staged().workspace())).shown
    assert shown is not None
    reading = planned_calls(shown.plan, "nothing")
    per_step = [planned_calls(shown.plan, step) - reading for step in TITLES]
    assert sum(per_step) + reading == shown.plan.total_calls


@pytest.mark.parametrize(
    ("step", "notebook"), [("create", "04"), ("link", "05")], ids=["05", "06"]
)
async def test_a_step_out_of_order_names_the_notebook_and_writes_nothing(
    staged: Start, step: str, notebook: str
) -> None:
    """Exit code 2, before a single write."""
    stage = staged()
    workspace = stage.workspace()
    with pytest.raises(UsageError, match=f"in notebook {notebook} first"):
        await run_step(workspace, step, await show_plan(workspace))
    assert stage.writes() == 0


def test_before_the_pull_the_first_thing_missing_is_named(staged: Start) -> None:
    """Nothing pulled: notebook 01. Pulled and not decided: the decision file."""
    stage = staged(decided=False)
    with pytest.raises(UsageError, match="notebook 01"):
        asyncio.run(_shown(stage))
    stage.done("pull")
    with pytest.raises(UndecidedError, match=r"collections\.yaml"):
        asyncio.run(_shown(stage))


async def _shown(stage: Staged) -> PlanPanel:
    return await show_plan(stage.workspace())


async def test_a_dry_run_says_what_is_missing_and_writes_nothing(
    staged: Start,
) -> None:
    """Every step shows its calls; those out of order say what comes first."""
    stage = staged()
    workspace = stage.workspace(dry_run=True)
    shown = await show_plan(workspace)
    panels = {step: (await run_step(workspace, step, shown)).html() for step in TITLES}
    assert all("This is a dry run" in html for html in panels.values())
    assert "in notebook 04 first" in panels["create"]
    assert "in notebook 05 first" in panels["link"]
    assert stage.writes() == 0


async def test_a_plan_that_no_longer_fits_is_refused(staged: Start) -> None:
    """A decision edited since is named, by the parameter and by the panel."""
    stage = staged()
    workspace = stage.workspace()
    shown = await show_plan(workspace)
    assert shown.shown is not None
    path = stage.folder / "decisions" / "design.yaml"
    path.write_text(path.read_text().replace("display_name: Text", "display_name: T"))
    with pytest.raises(PlanDriftError, match=r"design\.yaml"):
        await show_plan(workspace, shown.shown.plan.plan_hash)
    with pytest.raises(PlanDriftError, match=r"design\.yaml"):
        await run_step(workspace, "prepare", shown)
    with pytest.raises(UsageError, match="No plan abc"):
        await show_plan(workspace, "abc")
    assert stage.writes() == 0


class Hands:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


CALL = RequestSent("destination", "POST", "/stories", 201, quota=True)


def test_the_meter_tells_pace_time_left_and_why_it_waits() -> None:
    """Four calls a second of forty: nine seconds left; a pause has its reason."""
    clock = Hands()
    meter = Meter(unobserved, clock=clock)
    meter.expect(40)
    meter(StepStarted("stories", 39))
    for tick in range(1, 5):
        clock.now = tick / 4
        meter(CALL)
    assert meter.pace() == pytest.approx(4)
    assert meter.seconds_left() == pytest.approx(9)
    meter(BudgetWaited("destination", 7.0, "the service asked for a pause"))
    assert "waiting 7 s: the service asked for a pause" in meter.line()
    clock.now = 9.0
    assert "waiting" not in meter.line()


def test_waits_that_callers_share_are_counted_once() -> None:
    """Ten callers that wait for the same five seconds waited five, not fifty."""
    meter = Meter(unobserved, clock=Hands())
    for _ in range(10):
        meter(BudgetWaited("destination", 5.0, "a pause"))
    assert meter.waits == {"a pause": 5.0}


@given(st.lists(st.sampled_from(["components", "folders", "assets"])))
def test_every_advance_is_counted_at_its_step(steps: list[str]) -> None:
    """However steps interleave, each one's count is its own, and none is lost."""
    received: list[Event] = []
    meter = Meter(received.append, clock=Hands())
    for step in steps:
        meter(StepAdvanced(step, ""))
    for step in sorted(set(steps)):
        meter(StepFinished(step, "over"))
    counted = {stage.step: stage.done for stage in meter.stages}
    assert counted == {step: steps.count(step) for step in set(steps)}
    assert all(stage.note == "over" for stage in meter.stages)
    assert len(received) == len(steps) + len(set(steps))


async def test_what_is_gone_is_named_and_made_again_by_the_parameter(
    staged: Start,
) -> None:
    """Unattended: the plan lists it, the step refuses; `recreate` makes it again."""
    stage = staged()
    await stage.imported()
    before = stage.comparable()
    _empty(stage)
    workspace = stage.workspace()
    shown = await show_plan(workspace, recreate=False)
    assert "12 stories are missing" in shown.html()
    assert "cmsmig import --recreate" in shown.html()
    writes = stage.writes()
    with pytest.raises(PreflightError, match="12 stories"):
        await run_step(workspace, "prepare", shown)
    assert stage.writes() == writes
    for step in ("prepare", "create"):
        shown = await show_plan(stage.workspace(), recreate=True)
        await run_step(stage.workspace(), step, shown)
    for step in ("link", "publish"):
        await run_step(stage.workspace(), step, await show_plan(stage.workspace()))
    assert stage.comparable() == before


async def test_by_hand_a_tick_plans_to_make_again_what_is_gone(staged: Start) -> None:
    """The tick is the parameter: with it the step makes what the plan lists. It is
    offered only where something is gone."""
    stage = staged()
    await stage.imported()
    before = stage.comparable()
    workspace = stage.workspace(interactive=True)
    await Page(await show_plan(workspace, recreate=False)).hides(TICK)
    _empty(stage)
    shown = await show_plan(workspace, recreate=False)
    page = Page(shown)
    await page.sees(TICK)
    await page.hides("Made again, since it is gone")
    await page.set("plan-recreate", "plan-recreate=1")
    await page.sees("Made again, since it is gone")
    await Page(await run_step(workspace, "prepare", shown)).run("prepare-start")
    for step in ("create", "link", "publish"):
        await run_step(stage.workspace(), step, await show_plan(stage.workspace()))
    assert stage.comparable() == before


def _empty(stage: Staged) -> None:
    """Delete everything, as a person does."""
    space = stage.handle.state.space
    for kind in ("stories", "components", "assets"):
        for own in list(getattr(space, kind)):
            if kind != "stories" or space.story(own) is not None:
                stage.api("DELETE", f"/{kind}/{own}")
