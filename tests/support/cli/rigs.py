"""Projects that are quick to make, and services that can be made to fail: fixtures."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.support.cli.bad_input import Faults, Rig
from tests.support.rehearsal import write_env
from tests.support.sandbox.observed import Show, running_sandbox
from tests.support.tiny_site import write_tiny_site

RATE = 900
"""Requests per second: as fast as the machine allows."""


def options_for(
    content: Path, faults: Faults, *, demo_space: bool = False
) -> SandboxOptions:
    """Return a sandbox without any limit that a test would wait for."""
    return SandboxOptions(
        content=content,
        rate=RATE,
        origin_rate=60_000,
        middleware=(faults,),
        demo_space=demo_space,
    )


@pytest.fixture(scope="session")
def tiny_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the content folder of the tiny site."""
    folder = tmp_path_factory.mktemp("tiny") / "content"
    write_tiny_site(folder)
    return folder


@pytest.fixture(scope="session")
def whole(tiny_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """Return a migration that nothing ever happened to, imported."""
    folder = tmp_path_factory.mktemp("whole")
    with (
        pytest.MonkeyPatch.context() as patch,
        running_sandbox(options_for(tiny_site, Faults())) as handle,
    ):
        patch.setenv("CMSMIG_STATE_DIR", str(folder / "state"))
        made = Rig.start(handle, folder / "project", RATE, folder / "state")
        made.decided()
        shutil.copytree(made.folder, folder / "decided")
        (folder / "plan.json").write_text(made.done("plan", "--json").out)
        made.done("import")
        yield made


@pytest.fixture
def rig(tmp_path: Path, tiny_site: Path, whole: Rig, serve: Show) -> Callable[..., Rig]:
    """Start a sandbox and a project on it; `decided=False`: before the pull."""

    def start(*, decided: bool = True, demo_space: bool = False) -> Rig:
        faults = Faults()
        handle = serve(options_for(tiny_site, faults, demo_space=demo_space))
        project = tmp_path / "project"
        made = Rig(handle, project, tmp_path / "state", faults)
        if decided:
            shutil.copytree(whole.folder.parent / "decided", project)
        else:
            made.run("init")
        text = environment_file_text(dict(handle.announcement), RATE)
        write_env(project, text)
        return made

    return start
