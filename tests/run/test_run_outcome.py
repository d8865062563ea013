"""Executed notebooks: what failed, where, and which exit code that is.

Each case is one kernel; papermill alone lets half of them pass as success.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cmsmig.run.engine import execute, export_page
from cmsmig.run.outcome import exit_code_of
from tests.support.cases import cases, part
from tests.support.run.small_notebooks import write_notebook


@cases(__file__, "notebooks.yaml")
def test_how_a_notebook_ends(tmp_path: Path, case: dict[str, Any]) -> None:
    """The folder's name has braces, which papermill would fill in."""
    last = tmp_path / "last"
    cells = [*case["cells"], f"open({str(last)!r}, 'w').close()"]
    folder = tmp_path / "{a} b"
    notebook = write_notebook(folder, "00_small", *cells, **case.get("tags", {}))
    output = folder / "out.ipynb"
    failure = execute(notebook, output, {"limit": 5}, lambda process: None)
    assert part(failure, case.get("fails")) == case.get("fails")
    assert last.exists() == case["to_its_end"]
    assert output.exists()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("CmsmigError", 1),
        ("SettingsError", 2),
        ("UndecidedError", 3),
        ("DifferencesError", 4),
        ("LedgerLockedError", 6),
        ("CredentialsError", 7),
        ("InterruptedRunError", 5),
        ("KeyboardInterrupt", 5),
        ("CancelledError", 5),
        ("PlanDriftError", 1),
        ("ValueError", 1),
    ],
)
def test_exit_codes_follow_the_tree(name: str, code: int) -> None:
    """A class's own code; a stop is resumable; what is foreign is 1."""
    assert exit_code_of(name) == code


def test_pages_load_and_run_nothing(tmp_path: Path) -> None:
    """No script, no widget state, and a policy against what output may hold."""
    notebook = write_notebook(
        tmp_path,
        "00_small",
        "import ipywidgets\nipywidgets.IntSlider()",
        "from IPython.display import HTML\n"
        "HTML('<script>fetch(\"https://example.com\")</script><b>there</b>')",
    )
    execute(notebook, tmp_path / "out.ipynb", {}, lambda process: None)
    assert "widget-state" in (tmp_path / "out.ipynb").read_text("utf-8")
    export_page(tmp_path / "out.ipynb", tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text("utf-8")
    assert "<b>there</b>" in page
    assert "default-src 'none'" in page
    for word in ("cdnjs", "unpkg", "widget-state", "<link", 'src="http', "@import"):
        assert word not in page, word
