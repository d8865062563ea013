"""A refusal in the notebooks; others are in `cases/refusals.yaml`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cmsmig.errors import UsageError
from cmsmig.notebook.importing import run_step, show_plan
from tests.support.notebook.staging import Staged
from tests.support.steps.faults import REFUSED, Fault
from tests.support.steps.staged_project import Stage


def test_a_component_in_the_notebooks(stage: Stage, small_site: Path) -> None:
    """Notebook 05 does not wait for what 04 was refused."""
    fault = Fault(("POST", r"/components$"), REFUSED, at=(), item='"name":"spot"')
    project = stage(fault, content=small_site)
    staged = Staged(project.handle, project.folder, project.state)
    asyncio.run(staged.imported())
    assert len(project.stories()) == 23 + 12
    project.decide("design.yaml", "component: spot\n", "component: place\n")
    with pytest.raises(UsageError, match="1 component still to be made"):
        asyncio.run(created(staged))
    project.decide("design.yaml", "component: place\n", "component: spot\n")
    fault.over()
    project.done("import")
    assert len(project.stories()) == 47
    project.verified()


async def created(staged: Staged) -> None:
    workspace = staged.workspace()
    await run_step(workspace, "create", await show_plan(workspace))
