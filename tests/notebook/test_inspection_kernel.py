"""Notebooks 00 and 01 in a kernel, as papermill and `jupyter execute` run them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.plaintools import plain_papermill
from tests.support.rehearsal import Rehearsal

NOTEBOOKS = Path(__file__).parent.parent.parent / "notebooks"


def executed(rehearsal: Rehearsal, name: str, folder: Path) -> dict:
    """Run a notebook unattended from a folder that has nothing to do with it."""
    output = folder / name
    ended = plain_papermill(
        NOTEBOOKS / name,
        output,
        *("-p", "project", str(rehearsal.folder)),
        environ={**os.environ, "CMSMIG_STATE_DIR": str(rehearsal.state)},
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(output.read_text())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("00_start_here.ipynb", "Limits of the plans", id="00"),
        pytest.param("01_inspect_origin.ipynb", "Item set per collection", id="01"),
    ],
)
def test_unattended_it_runs_to_its_end_and_leaves_no_widget(
    rehearse, tmp_path: Path, name: str, words: str
) -> None:
    """Every cell ran, its output is static, no widget and no token is in the file."""
    rehearsal = rehearse()
    notebook = executed(rehearsal, name, tmp_path)
    cells = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    assert all(each["execution_count"] for each in cells)
    outputs = [output for each in cells for output in each["outputs"]]
    assert {each["output_type"] for each in outputs} <= {"execute_result", "stream"}
    text = json.dumps(notebook)
    assert words in text
    assert "widget" not in json.dumps([outputs, notebook["metadata"]])
    announced = rehearsal.handle.announcement
    assert announced["origin_token"] not in text
    assert announced["destination_token"] not in text


@pytest.mark.parametrize("name", ["00_start_here.ipynb", "01_inspect_origin.ipynb"])
def test_the_file_is_ready_to_be_run_and_compared(name: str) -> None:
    """No outputs or counts are stored, cells have lasting ids, one has parameters."""
    notebook = json.loads((NOTEBOOKS / name).read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    ids = [each["id"] for each in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    code = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    assert all(not each["outputs"] and each["execution_count"] is None for each in code)
    tagged = [each for each in code if "parameters" in each["metadata"].get("tags", [])]
    assert len(tagged) == 1
