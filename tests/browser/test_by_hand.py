"""The notebooks in JupyterLab, each worked by hand as an operator works it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.test_conflicts import DRIVES
from tests.support.browser.project import Unattended
from tests.support.browser.walk import NOTEBOOKS, SUBSHELLS, Walk

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(400)]


@pytest.mark.parametrize("notebook", NOTEBOOKS)
async def test_a_notebook_works_by_hand(walk: Walk, notebook: str) -> None:
    """It runs, its controls do what they say, and the page says no error."""
    await walk.through(notebook)
    assert walk.book.hearing.quiet()


async def test_every_control_was_driven(walk: Walk) -> None:
    """A control that a notebook shows and that no test works fails here, by name; those
    of conflicts are worked where there are any."""
    await walk.through("07")
    assert walk.book.shown - walk.book.driven - DRIVES == set()


async def test_comms_were_served_as_chosen(
    walk: Walk, request: pytest.FixtureRequest
) -> None:
    """The kernel was asked for a subshell exactly when subshells were on."""
    await walk.through("00")
    chosen = request.node.callspec.params["walk"]
    assert walk.book.hearing.subshells == (chosen == SUBSHELLS)


@pytest.mark.parametrize("walk", [SUBSHELLS], indirect=True)
async def test_by_hand_and_unattended_are_one(
    walk: Walk, unattended: Unattended
) -> None:
    """From the same decisions: the same plan, and the same in the space."""
    (planned,) = (each for each in plans(walk.folder) if each.startswith(walk.plan))
    assert planned in plans(unattended.rehearsed.folder)
    assert walk.content["stories"]
    assert unattended.rehearsed.content() == walk.content


def plans(folder: Path) -> set[str]:
    """Return the hashes of the plans that a project's ledger keeps."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        return {str(each) for (each,) in ledger.execute("SELECT hash FROM plan")}
