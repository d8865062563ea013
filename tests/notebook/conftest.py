"""Projects for panels to work in, pulled and decided once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.support.notebook.staging import Staged
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.sandbox.observed import Show, running_sandbox
from tests.support.sites.exact import write_load_site

RATE = 500
ORIGIN_RATE = 60_000


@pytest.fixture(scope="session")
def load_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 12 records that refer to each other, 4 files."""
    folder = tmp_path_factory.mktemp("content") / "load"
    write_load_site(folder, items=12, images=4)
    return folder


@pytest.fixture(scope="session")
def decided_load_site(
    load_site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return a project in which that site is pulled and decided."""
    folder = tmp_path_factory.mktemp("decided")
    options = SandboxOptions(content=load_site, rate=RATE, origin_rate=ORIGIN_RATE)
    with running_sandbox(options) as handle:
        made = Rehearsal.start(handle, folder / "project", RATE, folder / "state")
        made.decided()
    return made.folder


@pytest.fixture
def staged(
    tmp_path: Path,
    load_site: Path,
    decided_load_site: Path,
    serve: Show,
    without_sockets: None,
) -> Callable[..., Staged]:
    """Start a sandbox next to a copy of the decided project; `rate` in calls a second.

    `decided=False`: as it is right after `cmsmig init`; `settings`: more lines of
    cmsmig.toml.
    """

    def start(*, rate: int = RATE, decided: bool = True, settings: str = "") -> Staged:
        options = SandboxOptions(content=load_site, rate=rate, origin_rate=ORIGIN_RATE)
        handle = serve(options)
        project = tmp_path / f"project{sum(1 for _ in tmp_path.glob('project*'))}"
        made = Staged(handle, project, tmp_path / "state")
        if decided:
            shutil.copytree(decided_load_site, project)
        else:
            made.done("init")
        text = environment_file_text(dict(handle.announcement), rate)
        write_env(project, text)
        with (project / "cmsmig.toml").open("a") as toml:
            toml.write(f"\n{settings}\n")
        return made

    return start
