"""What every test gets: no settings of this machine, and rehearsals on request."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from rehearsal import Rehearsal

from cmsmig import masking
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.sample.exact import write_small_site
from cmsmig.sandbox.server import running_sandbox


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take the machine's own settings, tokens and budgets out of the test."""
    for name in list(os.environ):
        if name.startswith("CMSMIG_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CMSMIG_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def no_tokens_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mask this test's tokens alone: one of another may be any word."""
    monkeypatch.setattr("cmsmig.masking._known", masking._Known())


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a content folder with 30 items in two locales and 12 files."""
    folder = tmp_path_factory.mktemp("content") / "small"
    write_small_site(folder)
    return folder


@pytest.fixture
def rehearse(
    tmp_path: Path, small_site: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Rehearsal]]:
    """Start a sandbox and a project folder that points at it, both taken down.

    `rehearse()` serves the small site as fast as the machine allows;
    `rehearse(SandboxOptions(...))` anything else.
    """
    with ExitStack() as stack:

        def start(options: SandboxOptions | None = None) -> Rehearsal:
            options = options or SandboxOptions(
                content=small_site, rate=500, origin_rate=60_000
            )
            handle = stack.enter_context(running_sandbox(options))
            number = sum(1 for each in tmp_path.glob("project*"))
            project = tmp_path / f"project{number}"
            return Rehearsal.start(handle, project, options.rate, tmp_path / "state")

        yield start
