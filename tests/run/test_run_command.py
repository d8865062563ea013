"""`cmsmig run` on the real notebooks, and `cmsmig demo` and `cmsmig lab`."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import nbformat
import pytest
from nbformat.sign import NotebookNotary

from cmsmig.errors import UsageError
from cmsmig.run.demo import MARK, clear_own
from cmsmig.run.lab import (
    Place,
    lab_command,
    leave_static,
    own_options,
    place_of,
    trust_unchanged,
)
from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.settings import Project
from cmsmig.steps.project_init import start_project
from tests.support.plaintools import plain_papermill
from tests.support.sites.exact import write_load_site
from tests.support.sites.usual import make_usual
from tests.support.timelimit import patience

_LISTENING = re.compile(r"http://127\.0\.0\.1:([1-9]\d*)/lab")


def texts(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield every file below a folder with its bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, path.read_bytes()


def test_the_demo_from_nothing_to_the_report(tmp_path: Path) -> None:
    """Eight notebooks, all of them whole, the accounting, and no write again.

    Settings of this machine, which may name a real service, are not looked at.
    """
    site = tmp_path / "site"
    write_load_site(site, items=6, images=4)
    make_usual(site)
    environ = {**os.environ, "CMSMIG_DESTINATION_BASE_URL": "http://127.0.0.1:9/v1"}
    ended = subprocess.run(
        [sys.executable, "-m", "cmsmig.cli", "demo", "--content", site],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = ended.stdout.splitlines()
    assert "writes: 0" in lines
    assert [line for line in lines if line.startswith("in 6 = created 6 ")]
    (folder,) = (tmp_path / "reports").iterdir()
    assert f"report: reports/{folder.name}/report.html" in lines
    notebooks = sorted(folder.glob("*.ipynb"))
    assert [path.name[:2] for path in notebooks] == [f"0{n}" for n in range(8)]
    for path in notebooks:
        document = json.loads(path.read_text("utf-8"))
        assert "widgets" not in document["metadata"]
        code = [each for each in document["cells"] if each["cell_type"] == "code"]
        assert all(each["execution_count"] for each in code)
        outputs = [output for each in code for output in each["outputs"]]
        assert not [each for each in outputs if each["output_type"] == "error"]
        assert path.with_suffix(".html").stat().st_size < 5_000_000
    assert (folder / "report.html").stat().st_size < 5_000_000
    assert json.loads((folder / "report.json").read_text("utf-8"))["exit_code"] == 0
    assert tokens_shown(tmp_path, ended.stdout + ended.stderr) == {
        tmp_path / "demo" / ".env",
        # What starts the rehearsal's sandbox again; of this machine's own sandbox.
        tmp_path / "demo" / "sandbox" / "sandbox.json",
    }


def tokens_shown(folder: Path, streams: str) -> set[Path]:
    """Return the files below a folder that hold a token of the demo's `.env`."""
    assert (folder / "demo" / ".env").stat().st_mode & 0o777 == 0o600
    settings = (folder / "demo" / ".env").read_text("utf-8").splitlines()
    tokens = [
        value.strip("\"'").encode()
        for name, _, value in (line.partition("=") for line in settings)
        if name.endswith("_TOKEN")
    ]
    assert len(tokens) == 2
    assert all(len(token) > 20 and token.decode() not in streams for token in tokens)
    return {path for path, data in texts(folder) for each in tokens if each in data}


def test_a_demo_replaces_only_a_demo(tmp_path: Path) -> None:
    """What has its mark is replaced; a destination elsewhere makes it one's own."""
    project = Project(tmp_path)
    clear_own(project)
    (project.decisions).mkdir()
    project.toml.write_text("", "utf-8")
    with pytest.raises(UsageError, match="not a demo's"):
        clear_own(project)
    (tmp_path / MARK).touch()
    with pytest.raises(UsageError, match="not a demo's"):
        clear_own(project)
    sandbox = "CMSMIG_DESTINATION_BASE_URL=http://127.0.0.1:9\n"
    project.env.write_text(sandbox, "utf-8")
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    project.ledger.write_text("", "utf-8")
    clear_own(project)
    assert {path.name for path in tmp_path.iterdir()} == {MARK, "notes.txt"}
    (tmp_path / MARK).unlink()
    project.env.write_text(sandbox, "utf-8")
    with pytest.raises(UsageError, match="not a demo's"):
        clear_own(project)
    assert project.env.exists()


def test_lab_is_on_this_machine_only_and_brings_its_settings(tmp_path: Path) -> None:
    """JupyterLab answers on loopback with our defaults, and ends when asked to."""
    start_project(Project(tmp_path))
    token = "--IdentityProvider.token=for-the-test"
    arguments = ["lab", "--no-browser", "--port", "0", "--", token]
    process = subprocess.Popen(
        [sys.executable, "-m", "cmsmig.cli", "--project", tmp_path, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert process.stderr is not None
    try:
        said = (_LISTENING.search(line) for line in process.stderr)
        port = int(next(filter(None, said))[1])
        address = f"http://127.0.0.1:{port}/lab/api/settings?token=for-the-test"
        # The address is printed shortly before the server listens.
        with httpx.Client(transport=httpx.HTTPTransport(retries=6)) as client:
            settings = client.get(address).json()["settings"]
        saved = _save_with_an_output(port, tmp_path)
    finally:
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=patience())[1]
    assert "Traceback" not in rest
    assert "a client's words" not in saved
    assert "print(1)" in saved
    schemas = {each["id"]: each["schema"].get("properties", {}) for each in settings}
    news = schemas["@jupyterlab/apputils-extension:notification"]
    assert news["fetchNews"]["default"] == "false"
    assert news["checkForUpdates"]["default"] is False
    tracker = schemas["@jupyterlab/notebook-extension:tracker"]
    assert tracker["windowingMode"]["default"] == "defer"
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))


def _save_with_an_output(port: int, project: Path) -> str:
    """Save a notebook as JupyterLab's page does; return what is in the file."""
    shown = {"output_type": "stream", "name": "stdout", "text": "a client's words"}
    cell = {"cell_type": "code", "id": "one", "source": "print(1)", "outputs": [shown]}
    document = {
        "cells": [{**cell, "metadata": {}, "execution_count": 7}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    model = {"type": "notebook", "format": "json", "content": document}
    path = "notebooks/00_start_here.ipynb"
    address = f"http://127.0.0.1:{port}/api/contents/{path}?token=for-the-test"
    httpx.put(address, json=model, trust_env=False).raise_for_status()
    return (project / path).read_text("utf-8")


def test_lab_listens_where_it_is_asked_to(tmp_path: Path) -> None:
    """On loopback, at the port that is named."""
    command = lab_command(Place(tmp_path, ""), tmp_path, browser=True, port=8123)
    assert {"--ServerApp.ip=127.0.0.1", "--ServerApp.port=8123"} <= set(command)


def test_lab_opens_the_notebooks_of_the_project(tmp_path: Path) -> None:
    """Its own copies, those that are missing laid first, in a workspace of its own."""
    project = Project(tmp_path / "migration")
    with pytest.raises(UsageError, match="cmsmig init"):
        place_of(project)
    start_project(project)
    place = place_of(project)
    assert place == Place(project.root, "notebooks/00_start_here.ipynb")
    names = [path.name for path in sorted(project.notebooks.iterdir())]
    assert names == [each.path.name for each in find_notebooks(notebooks_folder())]
    options = own_options(place, keep_outputs=False)
    workspaces = project.root / ".lab" / "workspaces"
    assert f"--LabApp.workspaces_dir={workspaces}" in options
    hook = "--ContentsManager.pre_save_hook=cmsmig.run.lab."
    assert f"{hook}strip_outputs" in options
    assert f"{hook}leave_static" in own_options(place, keep_outputs=True)


def test_lab_trusts_the_notebooks_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their button runs them without a question; what anyone changed asks first."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    project = Project(tmp_path / "migration")
    start_project(project)
    place_of(project)
    first, second = sorted(project.notebooks.iterdir())[:2]
    second.write_text(second.read_text("utf-8").replace("dry_run", "drv_run"), "utf-8")
    trust_unchanged(project.notebooks, notebooks_folder())
    trusts = NotebookNotary().check_signature
    assert trusts(nbformat.read(first, as_version=4))
    assert not trusts(nbformat.read(second, as_version=4))


def test_a_saved_panel_is_its_static_form() -> None:
    """JupyterLab would take the controls first, of which nothing is left without the
    kernel; widgets that have no other form stay."""
    view = "application/vnd.jupyter.widget-view+json"
    panel = {view: {"model_id": "a"}, "text/html": "<p>all</p>", "text/plain": "all"}
    other = {view: {"model_id": "b"}, "text/plain": "IntSlider()"}
    outputs = [{"data": panel}, {"data": other}, {"output_type": "stream"}]
    cells = [{"cell_type": "code", "outputs": outputs}, {"cell_type": "markdown"}]
    language = {"name": "python", "version": "3.13.0", "mimetype": "text/x-python"}
    metadata = {"widgets": {}, "language_info": language}
    content = {"cells": cells, "metadata": metadata}
    leave_static({"type": "notebook", "content": content})
    assert panel == {"text/html": "<p>all</p>", "text/plain": "all"}
    assert view in other
    assert metadata == {"language_info": {"name": "python"}}


def test_plain_papermill_stops_at_a_mistyped_parameter(tmp_path: Path) -> None:
    """Papermill only warns; a pilot that is mistyped would be a whole import."""
    ended = plain_papermill(
        notebooks_folder() / "05_create_stories.ipynb",
        tmp_path / "out.ipynb",
        *("-p", "project", str(tmp_path / "none"), "-p", "limitt", "5"),
        environ=os.environ,
    )
    assert ended.returncode == 1
    last = ended.stderr.strip().splitlines()[-1]
    expected = "This notebook has no parameter limitt; did you mean limit?"
    assert last == f"UsageError: {expected}"
    assert not (tmp_path / "none").exists()
