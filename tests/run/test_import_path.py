"""No command of ours runs Python or templates from a folder that it works in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cmsmig.run import lab
from cmsmig.settings import Project
from cmsmig.steps.project_init import start_project
from tests.support.planted import found_running, plant
from tests.support.run.small_notebooks import run_notebooks, write_notebook

SPAWNING = """
import os, sys, threading
from cmsmig.steps.process_pool import in_processes
if __name__ == "__main__":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    print(list(in_processes(abs, [-1, -2], processes=1)))
    print(os.environ.get("PYTHONSAFEPATH"))
"""
IN_A_KERNEL = """
import os, sys, threading
from cmsmig.steps.process_pool import in_processes
print(list(in_processes(abs, [-1], processes=1)))
print("" in sys.path, os.environ.get("PYTHONSAFEPATH"))
"""


def test_a_kernel_and_its_page_run_nothing_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cmsmig run` in a folder with planted modules and a planted page template."""
    write_notebook(tmp_path / "notebooks", "00_first", IN_A_KERNEL)
    monkeypatch.chdir(plant(tmp_path / "here"))
    finished, _ = run_notebooks(tmp_path)
    assert finished.run.complaint == ""
    assert found_running(tmp_path / "here") == []
    folder = tmp_path / "reports" / "run"
    document = json.loads((folder / "00_first.ipynb").read_text("utf-8"))
    said = "".join(document["cells"][-1]["outputs"][0]["text"])
    assert said == "[(-1, 1)]\nFalse None\n"
    assert "planted" not in (folder / "00_first.html").read_text("utf-8")


def test_processes_of_a_pool_import_nothing_of_the_current_folder(
    tmp_path: Path,
) -> None:
    """Where threads run they are new interpreters; the environment stays as it was."""
    script = tmp_path / "spawning.py"
    script.write_text(SPAWNING, "utf-8")
    here = plant(tmp_path / "here")
    ended = subprocess.run(
        [sys.executable, script], cwd=here, capture_output=True, text=True, check=False
    )
    assert ended.stdout == "[(-1, 1), (-2, 2)]\nNone\n", ended.stderr
    assert found_running(here) == []


def test_jupyterlab_and_its_kernels_import_nothing_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server starts in a folder of ours, a kernel with a safe import path; it is of
    this interpreter, also where another environment has one of that name."""
    project = Project(plant(tmp_path / "project"))
    start_project(project)
    spec = tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text('{"argv": ["elsewhere"], "language": "python"}', "utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    started = []

    def ended_well(command: list[str], environ: dict[str, str]) -> str:
        ended = subprocess.run(
            command,
            **{"env": environ, "cwd": project.root},
            **{"capture_output": True, "text": True, "check": False},
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def keep(command: list[str], environ: dict[str, str], *, cwd: Path) -> int:
        started.append(cwd)
        named = "from jupyter_client.kernelspec import get_kernel_spec\n"
        named += "print(*get_kernel_spec('python3').argv, sep='\\n')"
        found = ended_well([sys.executable, "-P", "-c", named], environ)
        kernel = found.splitlines()
        assert kernel[-2:] == ["-f", "{connection_file}"]
        assert kernel[0] == sys.executable
        for each in ([*command, "--version"], [*kernel[:-2], "--help"]):
            ended_well(each, environ)
        return 0

    monkeypatch.setattr(lab, "run_child", keep)
    assert lab.open_lab(project, os.environ, browser=False) == 0
    assert found_running(project.root) == []
    assert not started[0].is_relative_to(project.root)
