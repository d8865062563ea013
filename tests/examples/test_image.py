"""The image's file: what it names, who runs in it, and what goes to its build."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.proofs.container.image import context_of, read_stages

TOP = Path(__file__).parents[2]
DOCKERFILE = TOP / "Dockerfile"
HOST = re.compile(r"https?://|[a-z0-9-]+\.[a-z]{2,}(:\d+)?/|--index-url|--find-links")


def test_it_names_no_registry() -> None:
    """Which one is asked is the engine's setting, and the machine's."""
    stages = read_stages(DOCKERFILE)
    assert not HOST.search(DOCKERFILE.read_text("utf-8"))
    assert {each.base for each in stages} == {"python:3.13-slim"}


def test_it_runs_the_command_and_not_as_root() -> None:
    """Volumes for the project and for the budget that containers share."""
    stage = read_stages(DOCKERFILE)[-1]
    assert stage.last("ENTRYPOINT").listed == ["cmsmig"]
    assert stage.last("USER").text == "cmsmig"
    assert stage.last("VOLUME").listed == ["/project", "/state"]
    variables = stage.last("ENV").variables
    assert variables["CMSMIG_PROJECT"] == "/project"
    assert variables["CMSMIG_STATE_DIR"] == "/state"


def test_all_that_it_copies_goes_to_the_build() -> None:
    """And nothing else: no project, no report, no history."""
    sent = {str(path) for path in context_of(TOP)}
    copied = [
        name
        for stage in read_stages(DOCKERFILE)
        for each in stage.instructions
        if each.word == "COPY" and "--from" not in each.text
        for name in shlex.split(each.text)[:-1]
    ]
    assert len(copied) == 6
    for name in copied:
        assert any(path == name or path.startswith(f"{name}/") for path in sent), name
    for path in sent:
        assert any(path == name or path.startswith(f"{name}/") for name in copied), path


@pytest.mark.parametrize(
    "name",
    [
        "migration/.env",
        "notebooks/.env",
        "notebooks/.ipynb_checkpoints/a.ipynb",
        "cmsmig/__pycache__/a.pyc",
        "reports/a/report.html",
        ".git/config",
    ],
)
def test_no_secret_and_no_left_over_goes_to_the_build(
    tmp_path: Path, name: str
) -> None:
    """Only sources go into the image, no other file of the folder."""
    shutil.copy(TOP / ".dockerignore", tmp_path)
    for each in (name, "cmsmig/cli.py"):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).touch()
    assert [str(path) for path in context_of(tmp_path)] == ["cmsmig/cli.py"]
