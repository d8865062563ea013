"""One Chromium and one JupyterLab for all browser tests; a project folder each."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.support.browser.book import Book
from tests.support.browser.chromium import NoChromiumError, chromium
from tests.support.browser.hearing import listened
from tests.support.browser.hostile import write_hostile_site
from tests.support.browser.lab import Lab, running_lab
from tests.support.browser.project import Rehearsed, Unattended
from tests.support.browser.walk import SUBSHELLS, Walk

PICTURES = "CMSMIG_SCREENSHOTS"
"""The variable that names a folder for pictures of the notebooks."""
Walks: TypeAlias = Callable[[str], Awaitable[Walk]]
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
        path = chromium()
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


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def walks(
    browser: Browser, lab: Lab, hostile_site: Path, pictures: Path | None
) -> AsyncIterator[Walks]:
    """Return what makes a walk, none of its notebooks worked yet, once for each way
    to serve comms."""
    made: dict[str, Walk] = {}
    async with AsyncExitStack() as stack:

        async def walk(mode: str) -> Walk:
            if mode not in made:
                lab.serve_comms(mode)
                rehearsed = Rehearsed.begin(
                    hostile_site, lab.root / mode, lab.root.parent / "state"
                )
                stack.callback(rehearsed.end)
                context, hearing = await listened(browser)
                stack.push_async_callback(context.close)
                folder = pictures / mode if pictures else None
                book = await Book.at(lab, await context.new_page())
                book.hearing = hearing
                made[mode] = Walk(book, rehearsed, lab.node, folder)
            return made[mode]

        yield walk


_COMMS = (
    pytest.param(SUBSHELLS, id="subshells"),
    pytest.param("disabled", id="one-thread", marks=pytest.mark.soak),
)


@pytest_asyncio.fixture(loop_scope="session", params=_COMMS)
async def walk(request: pytest.FixtureRequest, walks: Walks) -> Walk:
    """Return a walk with the notebooks on it.

    With comms on a subshell of the kernel, JupyterLab's own choice; by
    `make soak KIND=notebooks` once more with comms on the kernel's main thread.
    """
    return await walks(request.param)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def unattended(walks: Walks, lab: Lab) -> AsyncIterator[Unattended]:
    """Return a run of all notebooks, after they were worked by hand.

    The space is another one, and empty; the decisions are those taken by hand.
    """
    walk = await walks(SUBSHELLS)
    await walk.through("07")
    walk.content = walk.rehearsed.content()
    alike = walk.rehearsed.with_an_empty_space(lab.root / "unattended")
    try:
        reports = lab.root / "reports"
        process = alike.rehearsal.process("run", "--reports", str(reports))
        out, err = await asyncio.to_thread(process.communicate)
        assert process.returncode == 0, f"{out}\n{err}"
        (folder,) = reports.iterdir()
        yield Unattended(alike, folder)
    finally:
        alike.end()
