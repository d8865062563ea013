"""Files of strangers: none of them sets anything, runs anything or gets a token."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.configuration.ownership import require_own
from cmsmig.errors import SettingsError
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
)
from cmsmig.settings import Project, Settings, find_project, load_settings
from cmsmig.steps.decide.decision_store import write_decision
from cmsmig.steps.decide.rules_file import load_rules
from tests.support.rehearsal import run_here

TOKENS = {
    "CMSMIG_ORIGIN_TOKEN": "origin-hush",
    "CMSMIG_DESTINATION_TOKEN": "other-hush",
}
GIVEN = {**TOKENS, "CMSMIG_SPACE_ID": "1"}
RULES = """
from pathlib import Path
Path(__file__).with_name("ran").touch()
from cmsmig.richtext.custom.rules import rule
@rule("div")
def plain(tag):
    return None
"""


FILES = ("cmsmig.toml", ".env", "rules.py")


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let another user run than the one who owns the test's files."""
    monkeypatch.delenv("SUDO_UID", raising=False)

    def become() -> None:
        other = os.getuid() + 4711
        monkeypatch.setattr("os.geteuid", lambda: other)

    return become


def made(folder: Path) -> Project:
    """Return a project with all three files."""
    folder.mkdir(exist_ok=True)
    (folder / "cmsmig.toml").write_text('richtext.rules = "rules.py"\n')
    (folder / ".env").write_text("CMSMIG_ORIGIN_TOKEN=of-the-file\n")
    (folder / "rules.py").write_text(RULES)
    return Project(folder)


def used(project: Project) -> Settings:
    """Read everything that a command reads."""
    settings = load_settings(project, GIVEN)
    load_rules(project, settings.rules or "rules.py")
    return settings


def test_ones_own_files_are_read(tmp_path: Path) -> None:
    """Group rights are no matter: many machines give them by default."""
    project = made(tmp_path / "p")
    for path in (project.root, project.toml, project.env, project.root / "rules.py"):
        path.chmod(path.stat().st_mode | 0o020)
    assert used(project).rules == "rules.py"
    assert (project.root / "ran").exists()


@pytest.mark.parametrize("harm", ["owner", "file", 0o777, 0o1777, 0o703])
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_another_may_have_written_is_refused(
    tmp_path: Path, name: str, harm: str | int, stranger: Callable[[], None]
) -> None:
    """By its owner, its rights or those of its folder, sticky or not.

    One sentence names the file, whose it is and what to do; nothing runs.
    """
    folder = tmp_path / "project"
    project = made(folder)
    for other in {*FILES} - {name}:
        (folder / other).unlink()
    advice = f"chmod o-w {folder}"
    if harm == "owner":
        stranger()
        advice = "chown"
    elif harm == "file":
        (folder / name).chmod(0o646)
        advice = f"chmod o-w {folder / name}"
    else:
        folder.chmod(int(harm))
    with pytest.raises(SettingsError) as caught:
        require_own(folder / name)
    assert_sentence(caught.value, folder / name, advice)
    with pytest.raises(SettingsError) as caught:
        used(project)
    assert_sentence(caught.value, folder / name, advice)
    assert not (folder / "ran").exists()


def test_a_link_counts_as_what_it_leads_to(tmp_path: Path) -> None:
    """A file in an open folder stays one, whatever name leads there."""
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "settings").write_text("")
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "cmsmig.toml").symlink_to(tmp_path / "open" / "settings")
    with pytest.raises(SettingsError, match="anyone on this machine"):
        load_settings(Project(tmp_path / "own"), GIVEN)


def test_rules_in_an_open_folder_of_the_project_are_refused(tmp_path: Path) -> None:
    """Every folder between the project and the file counts."""
    inner = tmp_path / "open" / "closed"
    inner.mkdir(parents=True)
    (inner / "rules.py").write_text(RULES)
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(SettingsError, match="anyone on this machine"):
        load_rules(Project(tmp_path), "open/closed/rules.py")
    assert not (inner / "ran").exists()


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


def test_init_leaves_nothing_that_anyone_may_write(tmp_path: Path) -> None:
    """Whatever the umask says, the project it starts is one that it then reads."""
    before = os.umask(0)
    try:
        assert run_here("--project", str(tmp_path / "new"), "init").code == 0
    finally:
        os.umask(before)
    for path in (tmp_path / "new", *(tmp_path / "new").iterdir()):
        assert not path.stat().st_mode & 0o002, path
    load_settings(Project(tmp_path / "new"), GIVEN)


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


def assert_sentence(error: SettingsError, path: Path, advice: str) -> None:
    """Require one sentence with the place and what to do, and no token."""
    said = str(error)
    assert str(path) in said
    assert advice in said
    assert "\n" not in said
    assert said.endswith(".")
    assert "hush" not in said
    assert error.exit_code == 2


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
