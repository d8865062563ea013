"""Notebooks 04 to 06 beside a run of another process, after one, and after a drift."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cmsmig.mapping.select.pilot import pilot_of
from cmsmig.notebook.transfer import run_elsewhere, step_panel
from cmsmig.notebook.transfer.importing import run_step, show_plan
from cmsmig.steps.write.import_steps import Outcome
from tests.notebook.test_importing import Driver
from tests.support.notebook.front_end import FrontEnd, front_end
from tests.support.notebook.staging import Staged
from tests.support.timelimit import patience

Start = Callable[..., Staged]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let panels look around more often than a person needs it."""
    monkeypatch.setattr(step_panel, "_EVERY", 0.05)
    monkeypatch.setattr(run_elsewhere, "_EVERY", 0.05)


@contextmanager
def running(stage: Staged, command: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a process of its own."""
    child = stage.rehearsal.process(command)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


async def seen(page: FrontEnd, *texts: str) -> None:
    """Wait until a panel shows all of these."""
    async with asyncio.timeout(patience()):
        while not all(each in page.html() for each in texts):
            await asyncio.sleep(0.02)


async def bar_of(page: FrontEnd, text: str) -> tuple[int, int]:
    """Return value and maximum of the bar beside a text, once it has come on."""
    async with asyncio.timeout(patience()):
        while True:
            labels = [str(each.state.get("value")) for each in page.channels]
            bars = [
                each.state
                for each in page.channels
                if each.state.get("_model_name") == "IntProgressModel"
            ]
            if any(each.startswith(text) for each in labels) and bars[0]["value"]:
                return bars[0]["value"], bars[0]["max"]
            await asyncio.sleep(0.02)


def bar_is_visible(page: FrontEnd) -> bool:
    """Return whether the bar and all that it stands in are shown."""
    by_id = {f"IPY_MODEL_{each.comm_id}": each for each in page.channels}
    [name] = [
        name
        for name, each in by_id.items()
        if each.state.get("_model_name") == "IntProgressModel"
    ]
    while name:
        if by_id[by_id[name].state["layout"]].state.get("display") == "none":
            return False
        inside = (k for k, v in by_id.items() if name in v.state.get("children", ()))
        name = next(inside, "")
    return True


def in_the_way(stage: Staged) -> dict:
    """Return a story of somebody else where the first item is to have its own."""
    [folder] = stage.rehearsal.handle.state.space.stories
    return {
        "name": "Of an editor",
        "slug": "record-1",
        "parent_id": folder,
        "content": {"component": "record"},
    }


async def prepared(stage: Staged) -> None:
    """Do what notebook 04 does."""
    workspace = stage.workspace()
    await run_step(workspace, "prepare", await show_plan(workspace))


async def test_a_run_that_starts_elsewhere_is_followed_and_stopped(
    staged: Start,
) -> None:
    """05 stood open before: it shows bar and pace, and its Stop ends it with exit 5."""
    stage = staged(rate=20, settings="in_flight = 1")
    await prepared(stage)
    workspace = stage.workspace(interactive=True)
    with front_end() as page:
        driver = Driver(page)
        panel = await run_step(workspace, "create", await show_plan(workspace))
        panel._repr_mimebundle_()
        with running(stage, "import") as child:
            await seen(page, "Runs elsewhere", "cmsmig import")
            done, planned = await bar_of(page, "Stories, phase one")
            assert 0 < done < planned == 12
            await seen(page, "writes a second")
            await page.click("create-stop")
            assert await asyncio.to_thread(child.wait) == 5
            await driver.settled()
        assert "was stopped: " in page.html()
        assert "of 12 stories exist. Go on." in page.html()
        assert driver.label("create-start") == "Go on"
        await driver.until("create-start")
        assert "All 12 stories exist. Next: 06, links." in page.html()


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


async def test_a_press_that_another_run_forestalls_follows_it(
    staged: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease refuses it at the last moment: it follows, and no empty bar stays."""
    # Nothing but the press notices the other run.
    monkeypatch.setattr(step_panel, "_EVERY", 3600)
    stage = staged()
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, stage.workspace().project.lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"

    def tell() -> None:
        child.stdin.write("\n")
        child.stdin.flush()

    pressed = False

    begin = step_panel.run_command

    async def forestalled(*given: Any, **named: Any) -> Outcome:
        nonlocal pressed
        if pressed:
            pressed = False
            tell()
            assert child.stdout.readline() == "held\n"
        return await begin(*given, **named)

    monkeypatch.setattr(step_panel, "run_command", forestalled)
    try:
        with front_end() as page:
            driver = Driver(page)
            workspace = stage.workspace(interactive=True)
            panel = await run_step(workspace, "create", await show_plan(workspace))
            panel._repr_mimebundle_()
            await prepared(stage)
            pressed = True
            await page.click("create-start")
            await seen(page, "Runs elsewhere", "cmsmig pull")
            assert not bar_is_visible(page)
            [stop] = page.controls("create-stop")
            assert stop.state["disabled"], "a pull does not look for requests"
            tell()
            await driver.settled()
            assert "That run has ended" in page.html()
            await driver.until("create-start")
            assert "All 12 stories exist. Next: 06, links." in page.html()
            assert bar_is_visible(page)
            with holding(stage):
                await page.click("create-start")
                await seen(page, "Runs elsewhere", "cmsmig pull")
                assert not bar_is_visible(page), "the bar is of another run"
            await driver.settled()
    finally:
        child.kill()
        child.communicate()


async def test_after_a_killed_run_the_panel_offers_to_go_on(staged: Start) -> None:
    """The kernel died in the middle: how far it came, and a button that goes on."""
    stage = staged(rate=20, settings="in_flight = 1")
    await prepared(stage)
    with running(stage, "create") as child:
        async with asyncio.timeout(patience()):
            while len(stage.titles()) < 3:
                await asyncio.sleep(0.02)
        child.kill()
        child.wait()
    began = datetime.now(UTC)
    with front_end() as page:
        driver = Driver(page)
        workspace = stage.workspace(interactive=True)
        panel = await run_step(workspace, "create", await show_plan(workspace))
        panel._repr_mimebundle_()
        said = re.search(
            r"The run of (..:..) UTC ended before it was done: (\d+) of 12 stories "
            r"exist\. Go on\.",
            page.html(),
        )
        assert said is not None
        minutes = {(began - timedelta(minutes=n)).strftime("%H:%M") for n in range(3)}
        assert said[1] in minutes
        assert 2 <= int(said[2]) <= len(stage.titles()) < 12
        assert driver.label("create-start") == "Go on"
        await driver.until("create-start")
        assert "All 12 stories exist. Next: 06, links." in page.html()
    assert len(stage.titles()) == 12


async def test_what_failed_is_told_while_another_process_runs(staged: Start) -> None:
    """By item, reason and next step; and success is claimed of nothing."""
    stage = staged(rate=20, settings="in_flight = 1")
    await prepared(stage)
    stage.api("POST", "/stories", {"story": in_the_way(stage)})
    workspace = stage.workspace(interactive=True)
    with front_end() as page:
        driver = Driver(page)
        panel = await run_step(workspace, "create", await show_plan(workspace))
        panel._repr_mimebundle_()
        with running(stage, "create") as child:
            await seen(page, "Runs elsewhere", "Failed (1)", "decisions/conflicts.yaml")
            assert await asyncio.to_thread(child.wait) == 1
            await driver.settled()
        assert "11 of 12 stories exist" in page.html()
        assert "Failed (1)" in page.html()
        assert re.search(r'href="https://[^"/]+/records/record-1"', page.html())
        await driver.until("create-start")
        assert "11 of 12 stories exist." in page.html()
        assert "Next: 06" not in page.html()


async def test_what_fails_here_is_told_before_the_run_ends(staged: Start) -> None:
    """While the others go on: item, page at the origin, reason and next step."""
    stage = staged(rate=20, settings="in_flight = 1")
    await prepared(stage)
    stage.api("POST", "/stories", {"story": in_the_way(stage)})
    workspace = stage.workspace(interactive=True)
    with front_end() as page:
        driver = Driver(page)
        panel = await run_step(workspace, "create", await show_plan(workspace))
        panel._repr_mimebundle_()
        await page.click("create-start")
        await seen(page, "Failed (1)", "/records/record-1", "decisions/conflicts.yaml")
        [stop] = page.controls("create-stop")
        assert not stop.state["disabled"]
        assert len(stage.titles()) < 12
        await driver.settled()
        assert "11 of 12 stories exist." in page.html()


async def test_a_plan_that_no_longer_fits_offers_the_new_one(staged: Start) -> None:
    """The refusal names the file that moved; the next press takes the new plan."""
    stage = staged()
    with front_end() as page:
        driver = Driver(page)
        workspace = stage.workspace(interactive=True)
        shown = await show_plan(workspace)
        panel = await run_step(workspace, "prepare", shown)
        panel._repr_mimebundle_()
        path = stage.rehearsal.folder / "decisions" / "design.yaml"
        text = path.read_text()
        path.write_text(text.replace("display_name: Text", "display_name: T"))
        await driver.until("prepare-start")
        assert "design.yaml" in page.html()
        assert driver.label("prepare-start") == "Take the new plan"
        assert stage.writes() == 0
        await page.click("prepare-start")
        assert driver.label("prepare-start") == "Prepare the destination"
        await driver.until("prepare-start")
        assert "and 4 files are there. Next: 05, stories." in page.html()


async def test_prerequisites_are_looked_at_when_the_button_is_pressed(
    staged: Start,
) -> None:
    """05 opened before 04 ran: what it lacks is told anew, and it works once 04 has."""
    stage = staged(rate=20, settings="in_flight = 1")
    with front_end() as page:
        driver = Driver(page)
        workspace = stage.workspace(interactive=True)
        panel = await run_step(workspace, "create", await show_plan(workspace))
        panel._repr_mimebundle_()
        assert "4 files still to be made" in page.html()
        assert "1 folder" in page.html()
        with running(stage, "prepare") as child:
            space = stage.rehearsal.handle.state.space
            async with asyncio.timeout(patience()):
                while not space.assets:
                    await asyncio.sleep(0.01)
            child.kill()
            child.wait()
        await seen(page, "Go on in notebook 04 Components")
        await driver.settled()
        assert driver.label("create-start") == "Create the stories"
        await driver.until("create-start")
        assert "still to be made; run the notebook 04 first" in page.html()
        assert "1 folder" not in page.html()
        assert not bar_is_visible(page)
        assert stage.titles() == []
        await prepared(stage)
        await driver.until("create-start")
        assert "still to be made" not in page.html()
        assert "All 12 stories exist. Next: 06, links." in page.html()


async def test_a_step_claims_no_more_than_the_rows_say(staged: Start) -> None:
    """Each step's sentence is of what is there, of the pilot where it is one."""
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
