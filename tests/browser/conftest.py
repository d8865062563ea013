"""One Chromium and one JupyterLab for all browser tests; a project folder each."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from book import Book
from chromium import Machine, NoChromiumError, chromium
from hearing import listened
from hostile import write_hostile_site
from lab import Lab, running_lab
from playwright.async_api import Browser, async_playwright
from project import Rehearsed, Unattended
from walk import Desk

PICTURES = "CMSMIG_SCREENSHOTS"
"""The variable that names a folder for pictures of the notebooks."""
_QUIETLY = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """Return the folder for pictures of the notebooks, if one is named."""
    named = os.environ.get(PICTURES)
    return Path(named).absolute() if named else None


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder whose texts try to run something."""
    folder = tmp_path_factory.mktemp("content") / "hostile"
    write_hostile_site(folder)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Return the machine's own Chromium; fail, naming a command, without one."""
    path, missing = "", ""
    try:
        path = chromium(Machine.this())
    except NoChromiumError as error:
        missing = str(error)
    if missing:
        pytest.fail(missing, pytrace=False)
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=path, args=[*_QUIETLY]
        )
        yield launched
        await launched.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def lab(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Lab]:
    """Return a JupyterLab on an empty folder."""
    async with running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest_asyncio.fixture(
    scope="session",
    loop_scope="session",
    params=["perCommTarget", "disabled"],
    ids=["subshells", "one-thread"],
)
async def desk(
    request: pytest.FixtureRequest,
    browser: Browser,
    lab: Lab,
    hostile_site: Path,
    pictures: Path | None,
) -> AsyncIterator[Desk]:
    """Return a desk with the notebooks on it, none worked yet.

    Once with comms on a subshell of the kernel, JupyterLab's own choice, and once
    with comms on the kernel's main thread.
    """
    lab.serve_comms(request.param)
    rehearsed = Rehearsed.begin(
        hostile_site, lab.root / request.param, lab.root.parent / "state"
    )
    context, hearing = await listened(browser)
    folder = pictures / request.param if pictures else None
    try:
        book = await Book.at(lab, await context.new_page())
        yield Desk(book, rehearsed, hearing, lab.node, folder)
    finally:
        await context.close()
        rehearsed.end()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def unattended(desk: Desk, lab: Lab) -> AsyncIterator[Unattended]:
    """Return a run of all notebooks, after they were worked by hand.

    The space is another one, and empty; the decisions are those taken by hand.
    """
    await desk.through("07")
    desk.content = desk.rehearsed.content()
    alike = desk.rehearsed.with_an_empty_space(lab.root / "unattended")
    try:
        reports = lab.root / "reports"
        process = alike.rehearsal.process("run", "--reports", str(reports))
        out, err = await asyncio.to_thread(process.communicate)
        assert process.returncode == 0, f"{out}\n{err}"
        (folder,) = reports.iterdir()
        yield Unattended(alike, folder)
    finally:
        alike.end()
