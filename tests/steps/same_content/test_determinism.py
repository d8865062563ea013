"""Nothing about how a run went is in the content that it leaves.

Orders, pages and interruptions: `test_same_content_always.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import running_sandbox
from tests.support.rehearsal import Rehearsal
from tests.support.steps.staged_project import Stage, StagedProject


@pytest.fixture(scope="session")
def expected(
    small_site: Path,
    decided_project: Callable[[Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict:
    """Return what a plain import of the small site leaves."""
    return imported(small_site, tmp_path_factory.mktemp("expected"))


def imported(content: Path, folder: Path) -> dict:
    """Pull, decide and import a content folder; return the comparable space."""
    options = SandboxOptions(content=content, rate=500, origin_rate=60_000)
    with running_sandbox(options) as handle:
        made = Rehearsal.start(handle, folder / "project", 500, folder / "state")
        project = StagedProject(made.decided())
        project.done("import")
        project.verified()
        return project.comparable()


def test_the_most_requests_at_once_change_nothing(
    stage: Stage, small_site: Path, expected: dict
) -> None:
    """All at once, as many as the service takes: the same space."""
    project = stage(content=small_site, settings="in_flight = 29")
    project.done("import")
    assert project.comparable() == expected


def test_the_steps_one_by_one_leave_what_the_import_leaves(
    stage: Stage, small_site: Path, expected: dict
) -> None:
    """`prepare`, `create`, `link` and `publish` are the import."""
    project = stage(content=small_site)
    for command in ("prepare", "create", "link", "publish"):
        project.done(command)
    assert project.comparable() == expected
