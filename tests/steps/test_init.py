"""`init`: what it writes, and that it changes nothing that is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from cmsmig.destination.assumed import STANDARD
from cmsmig.settings import Project, Settings, load_settings
from cmsmig.steps.project_init import start_project

GIVEN = {
    "CMSMIG_ORIGIN_TOKEN": "o",
    "CMSMIG_DESTINATION_TOKEN": "d",
    "CMSMIG_SPACE_ID": "123456",
}


def test_a_new_folder_gets_settings_example_and_ignores(tmp_path: Path) -> None:
    """All files are written and reported, and the settings load as they are."""
    project = Project(tmp_path / "new" / "site")
    report = start_project(project)
    assert report.written == ("cmsmig.toml", ".env.example", ".gitignore")
    assert report.kept == ()
    fresh = load_settings(project, GIVEN)
    project.toml.unlink()
    plain = load_settings(project, GIVEN)
    assert fresh.origin_api_url == plain.origin_api_url
    assert fresh.assumed == plain.assumed == {}
    ignored = (project.root / ".gitignore").read_text("utf-8").split()
    assert {"/raw/", "/files/", "/ledger*", ".env"} <= set(ignored)


def test_nothing_that_is_there_changes(tmp_path: Path) -> None:
    """An edited file stays byte by byte; a missing one comes back."""
    project = Project(tmp_path)
    start_project(project)
    project.toml.write_text("destination_rate = 2\n", "utf-8")
    (tmp_path / ".gitignore").unlink()
    report = start_project(project)
    assert report.written == (".gitignore",)
    assert report.kept == ("cmsmig.toml", ".env.example")
    assert project.toml.read_text("utf-8") == "destination_rate = 2\n"


def test_the_toml_explains_every_setting_with_its_default(tmp_path: Path) -> None:
    """Uncommented, each line is a known setting, and the assumed ones are as is."""
    project = Project(tmp_path)
    start_project(project)
    text = project.toml.read_text("utf-8")
    assert tomllib.loads(text) == {}
    lines = re.findall(r"^# ([\w.]+ = .+|\[assumed\])$", text, re.MULTILINE)
    project.toml.write_text("\n".join(lines), "utf-8")
    table = tomllib.loads("\n".join(lines))
    found = {f"richtext_{name}" for name in table.pop("richtext")} | table.keys()
    unwritten = {"origin_token", "destination_token", "warning"}
    assert found == Settings.model_fields.keys() - unwritten
    assert STANDARD.overridden(table["assumed"]) == STANDARD
    settings = load_settings(project, GIVEN)
    assert settings.destination_rate == 3
    assert settings.in_flight == 12


def test_the_example_names_both_tokens_without_a_value(tmp_path: Path) -> None:
    """Copied as it is, `.env.example` leaves the tokens missing."""
    start_project(Project(tmp_path))
    text = (tmp_path / ".env.example").read_text("utf-8")
    assert re.findall(r"^(CMSMIG_\w+)=(.*)$", text, re.MULTILINE) == [
        ("CMSMIG_ORIGIN_TOKEN", ""),
        ("CMSMIG_DESTINATION_TOKEN", ""),
    ]


def test_packaged_notebooks_are_copied(tmp_path: Path) -> None:
    """Where the package brings notebooks they are copied once, and only they."""
    packaged = tmp_path / "packaged"
    packaged.mkdir()
    (packaged / "00_start_here.ipynb").write_text("{}", "utf-8")
    (packaged / "notes.txt").write_text("no", "utf-8")
    project = Project(tmp_path / "site")
    assert "notebooks/00_start_here.ipynb" in start_project(project, packaged).written
    (project.notebooks / "00_start_here.ipynb").write_text("mine", "utf-8")
    assert "notebooks/00_start_here.ipynb" in start_project(project, packaged).kept
    assert (project.notebooks / "00_start_here.ipynb").read_text("utf-8") == "mine"
    assert not (project.notebooks / "notes.txt").exists()
