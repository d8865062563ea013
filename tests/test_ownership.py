"""Files of strangers: none of them sets anything, runs anything or gets a token."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.errors import SettingsError
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
)
from cmsmig.settings import Project, find_project, load_settings
from cmsmig.steps.decide.decision_store import write_decision
from tests.support.rehearsal import run_here

TOKENS = {
    "CMSMIG_ORIGIN_TOKEN": "origin-hush",
    "CMSMIG_DESTINATION_TOKEN": "other-hush",
}
GIVEN = {**TOKENS, "CMSMIG_SPACE_ID": "1"}


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let another user run than the one who owns the test's files."""
    monkeypatch.delenv("SUDO_UID", raising=False)

    def become() -> None:
        other = os.getuid() + 4711
        monkeypatch.setattr("os.geteuid", lambda: other)

    return become


def made(folder: Path) -> Project:
    """Return a project with settings and a token."""
    folder.mkdir(exist_ok=True)
    (folder / "cmsmig.toml").write_text("")
    (folder / ".env").write_text("CMSMIG_ORIGIN_TOKEN=of-the-file\n")
    return Project(folder)


@pytest.mark.parametrize("command", [("status",), ("init",), ("convert", "body.html")])
def test_a_toml_above_the_working_folder_runs_nothing(
    tmp_path: Path,
    command: tuple[str, ...],
    stranger: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the search finds further up is looked at before anything is done there."""
    made(tmp_path)
    work = tmp_path / "work" / "deep"
    work.mkdir(parents=True)
    (work / "body.html").write_text("<div>a</div>")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(work)
    stranger()
    ended = run_here(*command)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "belongs to" in ended.err
    assert sorted(tmp_path.rglob("*")) == before


def test_who_calls_sudo_owns_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root reads the files of the user who called it, of no other. Source: git."""
    made(tmp_path)
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(owner))
    assert find_project(tmp_path, {}).root == tmp_path
    monkeypatch.setattr("os.geteuid", lambda: owner + 1)
    with pytest.raises(SettingsError):
        find_project(tmp_path, {})


@pytest.mark.parametrize(("mode", "warned"), [(0o644, 1), (0o640, 1), (0o600, 0)])
def test_an_env_file_that_others_may_read_draws_a_warning(
    tmp_path: Path, mode: int, warned: int
) -> None:
    """A warning names the command that mends it, and the command continues."""
    made(tmp_path)
    (tmp_path / ".env").chmod(mode)
    said = load_settings(Project(tmp_path), GIVEN).warning
    assert said == ""  # The token of the environment counts, not the file's.
    said = load_settings(Project(tmp_path), {}, need_destination=False).warning
    assert said.count(f"chmod 600 {tmp_path / '.env'}") == warned
    accept = ("decide", "--accept-proposals", "--reviewer", "a tester")
    ended = run_here("--project", str(tmp_path), *accept)
    assert ended.err.count("chmod 600") == warned


@pytest.mark.parametrize(
    ("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (2, 0o664)]
)
def test_decision_files_have_the_rights_that_the_umask_leaves(
    tmp_path: Path, umask: int, mode: int
) -> None:
    """A team's setting for new files holds for them, each time they are written."""
    before = os.umask(umask)
    try:
        for _ in range(2):
            path = write_decision(Project(tmp_path), ConflictsDecision())
            assert path.stat().st_mode & 0o777 == mode
    finally:
        os.umask(before)
    assert [each.name for each in (tmp_path / "decisions").iterdir()] == [path.name]
