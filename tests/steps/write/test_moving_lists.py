"""Lists that move while they are read: nothing is missed, nothing comes twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.sandbox.faults.fault_rules import Fault, PlannedFault
from tests.support.steps.staged_project import Stage, StagedProject

ITEMS = 104
"""Of the long site."""


def inject(project: StagedProject, *plan: PlannedFault) -> None:
    project.rehearsal.handle.state.injector.set(plan)


def told(project: StagedProject) -> list[str]:
    given = project.rehearsal.handle.state.injector.given
    return [str(each["fault"]) for each in given]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("fault", [Fault.GROWS, Fault.SHRINKS])
def test_stories_that_move_across_pages_are_all_seen(
    stage: Stage, long_site: Path, fault: Fault, times: int
) -> None:
    """A second import finds every story where it was, and writes nothing."""
    project = stage(content=long_site)
    project.done("import")
    inject(project, PlannedFault(fault, route="stories", item="page 2", times=times))
    ended = project.done("import", "--json").document
    assert told(project) == [fault] * times
    assert ended["writes"] == 0
    assert (ended["plan"]["conflicts"], ended["accounting"]["open"]) == ([], 0)
    assert ended["accounting"]["created"] == ITEMS
    project.verified()


@pytest.mark.parametrize("fault", [Fault.GROWS, Fault.SHRINKS])
@pytest.mark.parametrize("route", ["items", "live items"])
def test_items_that_move_across_pages_are_all_pulled(
    stage: Stage, long_site: Path, fault: Fault, route: str
) -> None:
    """A fresh pull holds each item once."""
    project = stage(content=long_site)
    inject(project, PlannedFault(fault, route=route))
    project.done("pull", "--refresh")
    assert told(project) == [fault]
    folder = "live" if route == "live items" else "items"
    (path,) = (project.folder / "raw" / folder).iterdir()
    lines = [line for line in path.read_text().splitlines() if '"fieldData"' in line]
    assert len(lines) == len(set(lines)) == ITEMS
