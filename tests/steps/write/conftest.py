"""Projects of a site in two languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.steps.faults import Fault
from tests.support.steps.french import CODE
from tests.support.steps.staged_project import Stage, StagedProject


@pytest.fixture
def french(stage: Stage, small_site: Path) -> Callable[..., StagedProject]:
    """Return a project of a site in two languages, which are fields by decision."""

    def start(*faults: Fault, languages: tuple[str, ...] = (CODE,)) -> StagedProject:
        project = stage(*faults, content=small_site, languages=languages)
        project.decide(
            "collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:"
        )
        return project

    return start
