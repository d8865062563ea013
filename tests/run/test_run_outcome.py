"""Executed notebooks: what failed, where, and which exit code that is.

Each case is one kernel; papermill alone lets half of them pass as success.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.run.engine import execute, export_page
from cmsmig.run.outcome import Cell, Executed, Failure, exit_code_of, judge
from tests.support.run.small_notebooks import write_notebook

RAISING = "from cmsmig.errors import {0}\nraise {0}('Decide on Posts first.')"


def run(folder: Path, *sources: str, **tags: str) -> Failure | None:
    """Run a small notebook and judge it."""
    notebook = write_notebook(folder, "00_small", *sources, **tags)
    output = folder / "out.ipynb"
    failure = judge(execute(notebook, output, {"limit": 5}, lambda process: None))
    assert output.exists()
    return failure


def test_a_notebook_that_runs_to_its_end(tmp_path: Path) -> None:
    """Values arrive typed, `await` works, and paths may hold braces."""
    source = "import asyncio\nawait asyncio.sleep(0)\nassert limit == 5"
    assert run(tmp_path / "{a} b", source, "!true", "x = !echo hi\nx") is None


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import sys\nsys.exit(0)", "sys.exit"),
        ("!false", "non-zero exit status"),
        ("x = !false", "non-zero exit status"),
        ("%run missing.py", "missing.py"),
        ("input()", "does not support input"),
    ],
)
def test_silent_failures_are_failures(tmp_path: Path, source: str, why: str) -> None:
    """The cell is named by its prompt and last line; nothing after it runs."""
    failure = run(tmp_path, source, f"open({str(tmp_path / 'after')!r}, 'w')")
    assert failure is not None
    assert why in failure.why
    assert failure.exit_code == 1
    assert failure.where == f"cell [3] `{source.splitlines()[-1]}`"
    assert not (tmp_path / "after").exists()


def test_our_errors_keep_their_sentence_and_code(tmp_path: Path) -> None:
    """An error of the tree ends the run with the code that the command has."""
    failure = run(tmp_path, RAISING.format("UndecidedError"))
    assert failure is not None
    assert failure.why == "Decide on Posts first"
    assert failure.exit_code == 3


def test_a_cell_that_is_skipped_by_its_tag_is_a_failure(tmp_path: Path) -> None:
    """A notebook whose cell did not run is not done, whatever the tag says."""
    failure = run(tmp_path, "1", "2", c1="skip-execution")
    assert failure is not None
    assert "not run" in failure.why
    assert failure.where == "cell [ ] `1`"


def test_an_error_that_a_tag_allows_is_a_failure(tmp_path: Path) -> None:
    """Nor does a tag that lets a notebook carry on make an error none."""
    failure = run(tmp_path, "1 / 0", "2", c1="raises-exception")
    assert failure is not None
    assert failure == Failure(
        "cell [3] `1 / 0`", "ZeroDivisionError: division by zero", 1
    )


def test_a_kernel_that_ends_is_a_failure_in_its_cell(tmp_path: Path) -> None:
    """A killed kernel is told as such, where it happened."""
    failure = run(tmp_path, "1", "import os\nos._exit(0)", "2")
    assert failure is not None
    assert failure.why == "the kernel ended on its own"
    assert "os._exit(0)" in failure.where


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


def test_an_exception_without_words_is_a_failure() -> None:
    """Papermill's own mark counts even where no cell shows an error."""
    done = Cell("1", 1, True, None)
    assert judge(Executed((done,), False, "")) is None
    assert judge(Executed((done,), True, "")) is not None
    assert judge(Executed((done,), True, "no room left")) == Failure(
        "cell [1] `1`", "no room left", 1
    )


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
