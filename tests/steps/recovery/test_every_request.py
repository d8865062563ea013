"""What a fault at each single request of an import has shown to matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.sandbox.faults.fault_rules import Fault as Kind
from cmsmig.sandbox.faults.fault_rules import PlannedFault
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)

PUBLISH = ("collections.yaml", "    publish: nothing", "    publish: what_is_live")


def inject(project: StagedProject, *plan: PlannedFault) -> None:
    project.rehearsal.handle.state.injector.set(plan)


@pytest.fixture(scope="session")
def whole() -> dict[str, dict]:
    """Hold the spaces that uninterrupted imports leave."""
    return {}


@pytest.mark.parametrize(
    ("kind", "route", "item"),
    [
        (Kind.DROP_BEFORE, "create story", "notes/note-5"),
        (Kind.SILENT, "upload", "spot-1.jpg"),
    ],
)
def test_what_is_filled_after_it_was_published_is_published_again(
    stage: Stage, small_site: Path, whole: dict, kind: Kind, route: str, item: str
) -> None:
    """A story or file that came in a rerun is in what the public sees, too."""
    if not whole:
        calm = stage(content=small_site)
        calm.decide(*PUBLISH)
        calm.done("import")
        whole.update(calm.comparable())
    project = stage(content=small_site)
    project.decide(*PUBLISH)
    inject(project, PlannedFault(kind, route=route, item=item, times=30))
    assert project.run("import").code == 1
    inject(project)
    planned = project.plan()["calls"]
    mark = project.mark()
    project.done("import")
    assert project.count("publish story", mark) == planned["publish_stories"]
    assert project.comparable() == whole
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
