"""The notebooks are thin, and the check that says so finds what is not."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.run.small_notebooks import write_notebook

TOP = Path(__file__).parent.parent.parent
PARAMETERS = 'project: str = ""  # project folder'


@pytest.fixture(scope="session")
def checker() -> ModuleType:
    """Load the script that `make check` runs."""
    spec = spec_from_file_location("lint", TOP / ".ci" / "notebook_lint.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_notebooks_are_thin(checker: ModuleType) -> None:
    """Numbers 00 to 07, each once, and nothing to find in any."""
    paths = sorted((TOP / "notebooks").glob("*.ipynb"))
    assert [*checker.numbering(paths)] == []
    assert [line for path in paths for line in checker.lint(path)] == []


def test_a_thin_notebook_passes(checker: ModuleType, tmp_path: Path) -> None:
    """Imports from the package, calls, await, and something to look at."""
    source = (
        "from cmsmig.errors import UsageError\n\nawait UsageError('x').add_note('')"
    )
    path = write_notebook(tmp_path, "00_a", source, parameters=PARAMETERS)
    assert [*checker.lint(path)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os\nos.name", "imports os"),
        ("from . import x\nx", "imports ."),
        ("def f():\n    pass\nf()", "defines a function"),
        ("[x for x in 'ab']", "loops"),
        ("for x in 'ab':\n    print(x)\nx", "loops"),
        ("1 if project else 2", "branches"),
        ("with open('x') as f:\n    pass\nf", "holds something open"),
        ("try:\n    x = 1\nexcept OSError:\n    pass\nx", "handles exceptions"),
        ("x = 1", "does not end in something to look at"),
        ("!ls", "is not plain Python"),
        ("%matplotlib inline", "is not plain Python"),
        ("", "is empty"),
        ("\n".join("1" * 9), "has 9 lines"),
        ("'" + "a" * 90 + "'", "too long"),
    ],
)
def test_logic_in_a_cell_is_found(
    checker: ModuleType, tmp_path: Path, source: str, found: str
) -> None:
    """Whatever decides, defines or reaches elsewhere belongs into the package."""
    path = write_notebook(tmp_path, "00_a", source, parameters=PARAMETERS)
    findings = [*checker.lint(path)]
    assert any(found in line and "cell 3" in line for line in findings), findings


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ("limit = 3  # how many", "something else than"),
        ("limit: int = 3", "not explained"),
        ("limit: int = '3'  # how many", "not a literal of its type"),
        ("limit: int = True  # how many", "does not fit"),
        ("limit: list = []  # which", "does not fit"),
        ("limit: int = len('a')  # how many", "not a literal"),
        ("limit: int = 3  # at most = 5", "more than one equals sign"),
        ("api_token: str = ''  # from the settings", "looks like a secret"),
    ],
)
def test_parameters_that_cannot_be_checked_are_found(
    checker: ModuleType, tmp_path: Path, parameters: str, found: str
) -> None:
    """Each is typed, literal, explained, readable for papermill, and no secret."""
    findings = [*checker.lint(write_notebook(tmp_path, "00_a", parameters=parameters))]
    assert any(found in line for line in findings), findings


def test_leftovers_of_a_run_are_found(checker: ModuleType, tmp_path: Path) -> None:
    """Outputs, counts and metadata do not go into the repository."""
    path = write_notebook(tmp_path, "00_a", "1", parameters=PARAMETERS)
    document = json.loads(path.read_text("utf-8"))
    document["metadata"]["papermill"] = {}
    document["cells"][2]["execution_count"] = 1
    document["cells"][2]["metadata"]["collapsed"] = True
    document["cells"][0]["source"] = "![picture](https://example.com/a.png)"
    path.write_text(json.dumps(document), "utf-8")
    found = "\n".join(checker.lint(path))
    for each in ("papermill", "keeps its output", "keeps metadata", "loads something"):
        assert each in found, each
    assert "begin with a title" in found


def test_numbers_that_are_missing_or_twice_are_found(
    checker: ModuleType, tmp_path: Path
) -> None:
    """A run goes by number, so each has to be there once."""
    paths = [tmp_path / name for name in ("00_a.ipynb", "00_b.ipynb", "draft.ipynb")]
    found = [*checker.numbering(paths)]
    assert any("draft" in line for line in found)
    assert "notebook 00 is there 2 times" in found
    assert "notebook 07 is there 0 times" in found
