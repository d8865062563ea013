"""Nothing is written through a link that leads out of the project folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cmsmig.errors import StorageError
from cmsmig.run.engine import execute, export_page
from cmsmig.run.locations import make_run_folder
from cmsmig.settings import Project
from cmsmig.ui.report_file import csv_text, write_text
from tests.support.cli.bad_input import Rig, sentence
from tests.support.run.small_notebooks import write_notebook

SECRET = "what was there\n"
NEVER = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder with a file, both outside the project."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file").write_text(SECRET)
    return folder


def untouched(outside: Path) -> bool:
    """Return whether nothing was written there."""
    held = [path.name for path in outside.iterdir()]
    return held == ["file"] and (outside / "file").read_text() == SECRET


@pytest.fixture
def rig(whole: Rig, tmp_path: Path) -> Rig:
    """Return a project that is pulled and decided, for one test."""
    folder = tmp_path / "project"
    shutil.copytree(whole.folder.parent / "decided", folder)
    return replace(whole, folder=folder)


def lead(path: Path, to: Path) -> None:
    """Put a link in the place of whatever is there."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)


@pytest.mark.parametrize(
    ("name", "to", "command"),
    [
        ("decisions", ".", ("decide", "--accept-proposals", "--reviewer", "Bo")),
        ("raw", ".", ("pull", "--refresh")),
        ("files", ".", ("pull", "--refresh")),
        ("ledger.sqlite", "file", ("plan",)),
        ("ledger.sqlite", "new", ("plan",)),
        ("ledger.lock", "new", ("pull",)),
        (".env.example", "new", ("init",)),
        (".gitignore", "new", ("init",)),
        ("notebooks", ".", ("init",)),
    ],
)
def test_a_command_refuses_in_one_sentence(
    rig: Rig, outside: Path, name: str, to: str, command: tuple[str, ...]
) -> None:
    """It names the file or folder; nothing outside is made or changed."""
    lead(rig.folder / name, outside / to)
    ended = rig.run(*command)
    assert untouched(outside)
    assert ended.code in (1, 2)
    assert "link leads it out of its folder" in sentence(ended)


@pytest.mark.parametrize("link", ["lists", "lists/items.csv"])
def test_a_list_is_not_saved_through_a_link(rig: Rig, outside: Path, link: str) -> None:
    """Neither through its folder nor through the file itself."""
    lead(rig.folder / link, outside / "file" if "." in link else outside)
    with pytest.raises(StorageError, match="link leads it out"):
        write_text(rig.folder / "lists" / "items.csv", csv_text(("a",), [("b",)]))
    assert untouched(outside)


def test_a_link_within_the_project_is_followed(rig: Rig) -> None:
    """Who moves a folder in the project has reasons."""
    (rig.folder / "elsewhere").mkdir()
    lead(rig.folder / "lists", rig.folder / "elsewhere")
    write_text(rig.folder / "lists" / "items.csv", "a\n")
    assert (rig.folder / "elsewhere" / "items.csv").read_text() == "a\n"


REFUSED: list[tuple[str, str, Callable[[Path], object]]] = [
    ("reports", ".", lambda at: run_folder(Path("reports"))),
    ("reports/run", ".", lambda at: run_folder(Path("reports"))),
    ("reports/run", ".", lambda at: run_folder(at / "reports")),
    ("reports/run/report.html", "file", lambda at: write_text(report(at), "x")),
    ("reports/run/redirects", ".", lambda at: write_text(redirects(at), "x")),
    ("reports/run/00_a.ipynb", "file", lambda at: run_notebook(at)),
    ("reports/run/00_a.html", "file", lambda at: export(at)),
]


def run_folder(reports: Path) -> Path:
    """Make the folder of a run."""
    return make_run_folder(reports, Project(Path("none")), NEVER, "run")


def report(at: Path) -> Path:
    """Return the report of the run."""
    return at / "reports" / "run" / "report.html"


def redirects(at: Path) -> Path:
    """Return a list of the run's redirects."""
    return at / "reports" / "run" / "redirects" / "redirects.csv"


def page(at: Path) -> Path:
    """Return a notebook's page."""
    return at / "reports" / "run" / "00_a.html"


def export(at: Path) -> None:
    """Make a notebook's page."""
    export_page(write_notebook(at / "notebooks", "00_a", "1"), page(at))


def run_notebook(at: Path) -> None:
    """Run a notebook into the folder of the run."""
    notebook = write_notebook(at / "notebooks", "00_a", "1")
    execute(notebook, page(at).with_suffix(".ipynb"), {}, lambda process: None)


@pytest.mark.parametrize(("link", "to", "write"), REFUSED)
def test_a_run_writes_through_no_link(
    tmp_path: Path,
    outside: Path,
    monkeypatch: pytest.MonkeyPatch,
    link: str,
    to: str,
    write: Callable[[Path], object],
) -> None:
    """Where `./reports` is no part of a project either."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    lead(here / link, outside / to)
    with pytest.raises(StorageError, match="link"):
        write(here)
    assert untouched(outside)
