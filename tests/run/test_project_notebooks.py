"""A project's own copies of the notebooks, besides those that a run executes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmsmig.errors import UsageError
from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.run.project_notebooks import read_copies
from cmsmig.settings import Project
from cmsmig.steps.project_init import start_project
from tests.support.run.small_notebooks import PARAMETERS, run_notebooks, write_notebook

OWN = PARAMETERS.replace("limit: int = 3", "limit: int = 5").replace("1.5", "2")


def test_a_copy_gives_parameters_and_no_code(tmp_path: Path) -> None:
    """Its cell of parameters holds below -p, and the log has it; its other cells
    are named and not executed."""
    shown = "print(limit, rate, project, sep='|')"
    write_notebook(tmp_path / "notebooks", "00_first", shown, "print('gone')")
    copy = write_notebook(
        tmp_path / "project" / "notebooks",
        "00_first",
        "print('mine')",
        parameters=OWN.replace('""', '"/elsewhere"'),
    )
    finished, noticed = run_notebooks(tmp_path, "rate=7")
    assert finished.exit_code == 0
    executed = (tmp_path / "reports/run/00_first.ipynb").read_text("utf-8")
    assert f"5|7.0|{tmp_path / 'project'}" in executed
    assert "mine" not in executed
    first, second = noticed
    assert first == (
        "00_first: limit=5 from the parameters cell of the project's "
        "notebooks/00_first.ipynb; -p NAME=VALUE overrides it"
    )
    assert "cell c1 `print('mine')` was changed" in second
    assert "cell c2 `print('gone')` was taken out" in second
    assert f"papermill {copy} OUT.ipynb" in second
    log = (tmp_path / "reports/run/log.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line for line in lines if "limit=5 from" in json.dumps(line)]
    assert [line for line in lines if "cell c1" in json.dumps(line)]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ('colection = "posts"', "colection is none of its parameters"),
        ('limit = "many"', "takes a whole number"),
        ("limit = None", "limit takes no NoneType"),
        ("limit = open('/etc/passwd').read()", "cannot be read as lines NAME = VALUE"),
        ("import os", "`import os` is no line NAME = VALUE"),
        ("limit = (", "cannot be read as lines NAME = VALUE"),
    ],
)
def test_a_cell_of_parameters_that_does_not_fit_runs_nothing(
    tmp_path: Path, parameters: str, said: str
) -> None:
    """A pilot whose name is mistyped is no whole run: refused with file and cell."""
    write_notebook(tmp_path / "notebooks", "00_first", "1")
    folder = tmp_path / "project" / "notebooks"
    copy = write_notebook(folder, "00_first", "1", parameters=parameters)
    with pytest.raises(UsageError, match="lays a new copy") as raised:
        run_notebooks(tmp_path)
    assert said in str(raised.value)
    assert f"{copy}, cell parameters" in str(raised.value)
    assert not (tmp_path / "reports").exists()


def test_a_damaged_copy_is_one_sentence(tmp_path: Path) -> None:
    """Nothing is run by it."""
    write_notebook(tmp_path / "notebooks", "00_first", "1")
    copy = tmp_path / "project" / "notebooks" / "00_first.ipynb"
    copy.parent.mkdir(parents=True)
    copy.write_text("{", "utf-8")
    with pytest.raises(UsageError, match="cannot be read as a notebook"):
        run_notebooks(tmp_path)


def test_two_projects_have_notebooks_of_their_own(tmp_path: Path) -> None:
    """What `init` laid differs in nothing; what one project changes stays in it."""
    ours = notebooks_folder()
    projects = [Project(tmp_path / name) for name in ("one", "two")]
    for project in projects:
        start_project(project, ours)
        found = read_copies(project, find_notebooks(ours))
        assert list(found.notices({})) == []
    first = projects[0].notebooks / "05_create_stories.ipynb"
    document = json.loads(first.read_text("utf-8"))
    for cell in document["cells"]:
        if "parameters" in cell["metadata"].get("tags", ()):
            cell["source"] = "".join(cell["source"]).replace("int = 0", "int = 4")
        cell.pop("id")
    first.write_text(json.dumps({**document, "nbformat_minor": 4}), "utf-8")
    # Copies of an older format have no ids; another notebook is missing.
    (projects[0].notebooks / "06_link_stories.ipynb").unlink()
    noticed = [
        [(each.where, each.what.partition(" from")[0]) for each in found.notices({})]
        for found in (read_copies(each, find_notebooks(ours)) for each in projects)
    ]
    assert noticed == [[("05_create_stories", "limit=4")], []]


def test_a_checkout_as_a_project_compares_nothing_with_itself(tmp_path: Path) -> None:
    """The executed notebook and the copy may be the same file."""
    project = Project(tmp_path)
    write_notebook(project.notebooks, "00_first", "1", parameters="limit = len([])")
    assert not read_copies(project, find_notebooks(project.notebooks)).values
