"""The same bodies give the same bytes, wherever and however often."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cmsmig.steps.batch_conversion import convert_folder
from tests.support.richtext.recorded import recorded

COMMAND = [sys.executable, "-m", "cmsmig.cli", "convert", "--batch"]


def written(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return sixty bodies in a folder: those recorded of the official converter."""
    folder = tmp_path / "bodies"
    folder.mkdir()
    bodies = [case.source for case in recorded() if not case.markdown]
    for number in range(60):
        html = "".join(bodies[number::60])
        (folder / f"{number}.html").write_text(html, "utf-8", newline="")
    return folder


def test_cores_do_not_matter(source: Path, tmp_path: Path) -> None:
    """A folder converted on three cores holds the bytes of one core."""
    for cores in (1, 3):
        target = tmp_path / str(cores)
        convert_folder(source, target, kind="html", processes=cores)
    assert len(written(tmp_path / "1")) >= 60
    assert written(tmp_path / "1") == written(tmp_path / "3")


def test_hash_seeds_do_not_matter(source: Path, tmp_path: Path) -> None:
    """Processes that order their sets otherwise write the same bytes."""
    for seed in ("0", "1", "4242"):
        subprocess.run(
            [*COMMAND, str(source), str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
    assert len(written(tmp_path / "0")) >= 60
    assert written(tmp_path / "0") == written(tmp_path / "1")
    assert written(tmp_path / "0") == written(tmp_path / "4242")
