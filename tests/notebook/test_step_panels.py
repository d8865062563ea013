"""Notebooks 04 to 06: other runs, failures as they come, and a plan that drifted."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from cmsmig.mapping.select.pilot import pilot_of
from cmsmig.notebook.importing import run_step, show_plan
from cmsmig.notebook.transfer import step_panel
from cmsmig.notebook.workspace import overview
from tests.support.notebook.page import Page
from tests.support.notebook.staging import Staged
from tests.support.timelimit import patience

Start = Callable[..., Staged]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let panels look for failures more often than a person needs it."""
    monkeypatch.setattr(step_panel, "_EVERY", 0.05)


@contextmanager
def running(stage: Staged, command: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a process of its own."""
    child = stage.process(command)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def in_the_way(stage: Staged) -> dict:
    """Make a story of another editor where the first item is to have its own."""
    [folder] = stage.handle.state.space.stories
    return {
        "name": "Of an editor",
        "slug": "record-1",
        "parent_id": folder,
        "content": {"component": "record"},
    }


async def opened(stage: Staged, step: str) -> Page:
    """Open a step before a person."""
    workspace = stage.workspace(interactive=True)
    return Page(await run_step(workspace, step, await show_plan(workspace)))


async def prepared(stage: Staged) -> None:
    """Do what notebook 04 does."""
    workspace = stage.workspace()
    await run_step(workspace, "prepare", await show_plan(workspace))


_HOLDER = """
import pathlib, sys
from cmsmig.ledger.lease import lease
print("ready", flush=True)
sys.stdin.readline()
with lease(pathlib.Path(sys.argv[1]), "cmsmig pull"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def holding(stage: Staged) -> Iterator[None]:
    """Let another process hold the project, as a pull does."""
    command = [sys.executable, "-c", _HOLDER, stage.workspace().project.lock]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("\n")
        child.stdin.flush()
        assert [child.stdout.readline() for _ in range(2)] == ["ready\n", "held\n"]
        yield
        child.kill()


async def test_a_run_of_another_process_is_named(staged: Start) -> None:
    """By who runs it; a press then ends as the command would."""
    stage = staged()
    await prepared(stage)
    with holding(stage):
        page = await opened(stage, "create")
        await page.sees("Another run is at work", "cmsmig pull")
        await page.click("create-start")
        await page.sees("Another run holds", "cmsmig pull")
        assert page.bar() is None
    await page.rests("create-start")
    await page.run("create-start")
    await page.sees("All 12 stories exist. Next: 06, links.")


async def test_after_a_killed_run_the_panel_offers_to_go_on(staged: Start) -> None:
    """The kernel died in the middle: how far it came, and a button that continues."""
    stage = staged(rate=20, settings="in_flight = 1")
    await prepared(stage)
    with running(stage, "create") as child:
        async with asyncio.timeout(patience()):
            while len(stage.stories()) < 3:
                await asyncio.sleep(0.02)
        child.kill()
        child.wait()
    began = datetime.now(UTC)
    page = await opened(stage, "create")
    said = re.search(
        r"The run of (..:..) UTC ended before it was done\. "
        r"Press Go on to continue from there\. (\d+) of 12 stories exist",
        page.text(),
    )
    assert said is not None
    minutes = {(began - timedelta(minutes=n)).strftime("%H:%M") for n in range(3)}
    assert said[1] in minutes
    assert 2 <= int(said[2]) <= len(stage.stories()) < 12
    await page.labelled("create-start", "Go on")
    await page.run("create-start")
    await page.sees("All 12 stories exist. Next: 06, links.")
    assert len(stage.stories()) == 12


async def test_what_fails_here_is_shown_before_the_run_ends(staged: Start) -> None:
    """While the others go on: item, page at the origin, reason and next step."""
    stage = staged(rate=20, settings="in_flight = 1")
    await prepared(stage)
    stage.api("POST", "/stories", {"story": in_the_way(stage)})
    page = await opened(stage, "create")
    await page.click("create-start")
    await page.sees("Failed (1)", "/records/record-1", "notebook 04")
    assert page.is_enabled("create-stop")
    assert len(stage.stories()) < 12
    await page.rests("create-start")
    await page.sees("11 of 12 stories exist.")


async def test_a_plan_that_no_longer_fits_offers_the_new_one(staged: Start) -> None:
    """The refusal names the file that moved; the next press takes the new plan."""
    stage = staged()
    page = await opened(stage, "prepare")
    path = stage.folder / "decisions" / "design.yaml"
    text = path.read_text()
    path.write_text(text.replace("display_name: Text", "display_name: T"))
    await page.run("prepare-start")
    await page.sees("design.yaml")
    await page.labelled("prepare-start", "Take the new plan")
    assert stage.writes() == 0
    await page.click("prepare-start")
    await page.labelled("prepare-start", "Prepare the destination")
    await page.run("prepare-start")
    await page.sees("and 4 files are there. Next: 05, stories.")


async def test_prerequisites_are_looked_at_when_the_button_is_pressed(
    staged: Start,
) -> None:
    """05 opened before 04 ran: what it lacks is said, and it works once 04 has."""
    stage = staged(rate=20, settings="in_flight = 1")
    page = await opened(stage, "create")
    await page.sees("4 files still to be made", "1 folder")
    with running(stage, "prepare") as child:
        space = stage.handle.state.space
        async with asyncio.timeout(patience()):
            while not space.assets:
                await asyncio.sleep(0.01)
        child.kill()
        child.wait()
    await page.run("create-start")
    await page.sees("still to be made; prepare it in notebook 04 first")
    await page.hides("1 folder")
    assert page.bar() is None
    assert stage.stories() == {}
    await prepared(stage)
    await page.run("create-start")
    await page.hides("still to be made")
    await page.sees("All 12 stories exist. Next: 06, links.")


async def test_a_step_claims_no_more_than_the_rows_say(staged: Start) -> None:
    """Each step's sentence is of the current state, of the pilot where it is one."""
    stage = staged()
    said = []
    for step in ("prepare", "create", "link", "publish"):
        workspace = stage.workspace()
        shown = await show_plan(workspace, pilot=pilot_of(limit=3))
        said.append((await run_step(workspace, step, shown)).html())
    prepared_, created, linked, published = said
    assert "are there. Next: 05, stories." in prepared_
    assert "All 3 stories of the pilot exist. Next: 06, links." in created
    assert "3 stories of the pilot have their relations and links" in linked
    assert "No story is to be published. Next: 07, verify." in published


async def test_the_plan_follows_a_step(staged: Start) -> None:
    """Once it is over, plan and step show what is left; how the step went stays."""
    stage = staged()
    await prepared(stage)
    workspace = stage.workspace(interactive=True)
    shown = await show_plan(workspace)
    plan = Page(shown)
    page = Page(await run_step(workspace, "create", shown))
    await plan.sees("12 items become new stories")
    await page.run("create-start")
    await plan.hides("12 items become new stories")
    await page.sees("All 12 stories exist. Next: 06, links.")


async def test_a_story_that_was_deleted_in_the_space_does_not_exist(
    staged: Start,
) -> None:
    """Nor is all decided then: the opening sentence counts it, also where no list of
    changes is shown."""
    stage = staged()
    await stage.imported()
    stage.delete("records/record-3")
    workspace = stage.workspace(interactive=True)
    begins = overview(workspace, "05")
    plan = await show_plan(workspace, recreate=False)
    steps = [await run_step(workspace, step, plan) for step in ("create", "link")]
    page = Page(begins, plan, *steps)
    await page.sees("All 11 stories have their relations and links.")
    await page.sees(
        "11 of 12 stories exist. Not: Record 3 (it was deleted in the space)"
    )
    await page.sees("1 conflict waits for a decision.", "Go on to 04")
