"""A killed pull and a killed import, run again: as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal
from tests.support.sandbox.observed import running_sandbox
from tests.support.timelimit import patience

SLOW = 0.02
"""Seconds an answer takes longer, so that a kill finds requests in flight."""


def kill_at(rehearsal: Rehearsal, command: str, requests: int) -> None:
    """Start a command and kill it when so many requests have been answered."""
    recorder = rehearsal.handle.state.recorder
    process = rehearsal.process(command)
    until = time.monotonic() + patience()
    try:
        while len(recorder.entries) < requests and process.poll() is None:
            assert time.monotonic() < until, "the command does not get on"
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.002)
    finally:
        process.kill()
        process.communicate(timeout=patience())
    assert process.returncode == -9, "the command was over before it was killed"


@pytest.fixture
def slow(small_site: Path) -> SandboxOptions:
    return SandboxOptions(
        content=small_site, rate=400, origin_rate=60_000, latency=SLOW
    )


@pytest.fixture(scope="session")
def uninterrupted(small_site: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Return what an import leaves when nothing happens to it."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    options = SandboxOptions(content=small_site, rate=500, origin_rate=60_000)
    with running_sandbox(options) as handle:
        whole = Rehearsal.start(handle, folder / "p", 500, folder / "state").decided()
        whole.done("import")
        return whole.comparable()


@pytest.mark.parametrize("share", [0.05, 0.7])
def test_a_killed_import_ends_like_one_that_was_not(
    rehearse: Callable[..., Rehearsal],
    slow: SandboxOptions,
    uninterrupted: dict,
    share: float,
) -> None:
    """Wherever an import is killed, its rerun makes the same space, no duplicate."""
    rehearsal = rehearse(slow).decided()
    recorder = rehearsal.handle.state.recorder
    planned = rehearsal.done("plan", "--json").document["calls"]["total"]
    so_far = len(recorder.entries)
    kill_at(rehearsal, "import", so_far + int(planned * share) + 1)
    rehearsal.done("import")
    assert rehearsal.comparable() == uninterrupted
    assert recorder.violations == []
    assert rehearsal.done("import", "--json").document["writes"] == 0
    rehearsal.done("verify")


def raw_of(rehearsal: Rehearsal) -> dict[str, object]:
    """Return the raw cache by file, the sandbox's own address taken out."""
    host = rehearsal.handle.announcement["origin_api_url"]
    folder = rehearsal.folder / "raw"
    return {
        str(path.relative_to(folder)): json.loads(
            path.read_text().replace(host, "http://origin")
        )
        for path in sorted(folder.rglob("*.json"))
        if ".pages" not in path.parts
    }


def test_a_killed_pull_ends_like_one_that_was_not(
    rehearse: Callable[..., Rehearsal], slow: SandboxOptions
) -> None:
    """Wherever a pull is killed, its rerun gives the same raw cache and files."""
    whole = rehearse()
    whole.done("pull")
    killed = rehearse(slow)
    kill_at(killed, "pull", 8)
    killed.done("pull")
    assert raw_of(killed) == raw_of(whole)
    assert {path.name for path in (killed.folder / "files").iterdir()} == {
        path.name for path in (whole.folder / "files").iterdir()
    }


def test_what_was_pulled_can_be_served_and_pulled_again(
    rehearse: Callable[..., Rehearsal],
) -> None:
    """A sandbox on a project's raw folder gives the same site but for the host."""
    first = rehearse()
    first.done("pull")
    served = SandboxOptions(content=first.folder / "raw", rate=500, origin_rate=60_000)
    again = rehearse(served)
    again.done("pull")
    assert raw_of(again) == raw_of(first)
