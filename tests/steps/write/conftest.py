"""Sites of the cases, and projects of a site with an item in each state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.sites.exact import write_load_site
from tests.support.steps.faults import Fault
from tests.support.steps.french import CODE
from tests.support.steps.item_states import write_states
from tests.support.steps.staged_project import Stage, StagedProject


@pytest.fixture(scope="session")
def states_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states") / "content"
    write_states(folder)
    return folder


@pytest.fixture(scope="session")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder whose list of items has two pages."""
    folder = tmp_path_factory.mktemp("long") / "content"
    write_load_site(folder, items=104, images=0, relations=False)
    return folder


@pytest.fixture
def open_desk(stage: Stage, states_site: Path) -> Callable[..., StagedProject]:
    """Return a project whose items are all to be published, in one of the item sets."""

    def start(items: str, *faults: Fault, settings: str = "") -> StagedProject:
        project = stage(*faults, content=states_site, settings=settings)
        project.decide("collections.yaml", "items: staged\n", f"items: {items}\n")
        project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
        return project

    return start


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


@pytest.fixture
def public(french: Callable[..., StagedProject]) -> StagedProject:
    """Return a project whose live items are published."""
    project = french()
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    return project
