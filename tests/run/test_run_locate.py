"""Which notebooks there are, which a run takes, and where it leaves its folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cmsmig.errors import StorageError, UsageError
from cmsmig.run.locations import (
    Notebook,
    find_notebooks,
    make_run_folder,
    notebooks_folder,
    select,
)
from cmsmig.settings import Project

NAMES = ("00_start", "01_inspect", "05_create", "07_verify")
NOTEBOOKS = tuple(Notebook(int(name[:2]), Path(f"/n/{name}.ipynb")) for name in NAMES)
MOMENT = datetime(2026, 1, 31, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0, 1, 5, 7]),
        ({"only": "05"}, [5]),
        ({"only": "5"}, [5]),
        ({"only": "05_create"}, [5]),
        ({"first": "01", "last": "05"}, [1, 5]),
        ({"first": "05"}, [5, 7]),
        ({"last": "1"}, [0, 1]),
    ],
)
def test_selections(options: dict[str, str], expected: list[int]) -> None:
    """A number or a name chooses one; a range keeps the order."""
    assert [each.number for each in select(NOTEBOOKS, **options)] == expected


@pytest.mark.parametrize(
    "options",
    [{"only": "03"}, {"first": "07", "last": "00"}, {"only": "00", "last": "01"}],
)
def test_selections_that_are_none(options: dict[str, str]) -> None:
    """An unknown number, an empty range and two choices at once are refused."""
    with pytest.raises(UsageError):
        select(NOTEBOOKS, **options)


def test_a_checkout_runs_its_own_notebooks(tmp_path: Path) -> None:
    """Next to a pyproject.toml the checkout's folder, else what the wheel brought."""
    package = tmp_path / "cmsmig"
    assert notebooks_folder(package) == package / "_notebooks"
    (tmp_path / "notebooks").mkdir()
    assert notebooks_folder(package) == package / "_notebooks"
    (tmp_path / "pyproject.toml").touch()
    assert notebooks_folder(package) == tmp_path / "notebooks"


def test_only_numbered_notebooks_are_run(tmp_path: Path) -> None:
    """Drafts and copies next to them are left alone; none at all is said."""
    with pytest.raises(UsageError, match="no numbered notebooks"):
        find_notebooks(tmp_path)
    for name in ("01_b", "00_a", "draft", "00_a-Copy1"):
        (tmp_path / f"{name}.ipynb").touch()
    assert [each.name for each in find_notebooks(tmp_path)] == ["00_a", "01_b"]


def test_run_folders_are_named_after_moment_and_site(tmp_path: Path) -> None:
    """The project's name until a site was pulled; a second run has its own."""
    project = Project(tmp_path / "Große Site!")
    reports = tmp_path / "deep" / "reports"
    first = make_run_folder(reports, project, MOMENT)
    assert first == reports / "20260131T090000Z-groe-site"
    assert make_run_folder(reports, project, MOMENT).name == f"{first.name}-2"
    project.raw.mkdir(parents=True)
    (project.raw / "sites.json").write_text(
        '{"sites": [{"id": "0123456789abcdef01234567", "shortName": "my-site"}]}'
    )
    assert make_run_folder(reports, project, MOMENT).name.endswith("Z-my-site")


def test_a_named_run_continues_in_its_folder(tmp_path: Path) -> None:
    """The same name twice is the same folder; a path is no name."""
    project = Project(tmp_path)
    first = make_run_folder(tmp_path, project, MOMENT, "final")
    assert make_run_folder(tmp_path, project, MOMENT, "final") == first
    for name in ("../up", "", "a/b", ".hidden"):
        with pytest.raises(UsageError):
            make_run_folder(tmp_path, project, MOMENT, name)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """A file where the reports should go is named, with what to do."""
    (tmp_path / "reports").touch()
    with pytest.raises(StorageError, match="--reports"):
        make_run_folder(tmp_path / "reports", Project(tmp_path), MOMENT)
