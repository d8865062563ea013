"""The key of derived.sqlite is the user's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.derived_file import DerivedFile
from tests.support.steps.staged_project import Stage


def test_a_file_of_another_user_is_made_again(stage: Stage, tmp_path: Path) -> None:
    """The key is the user's: rows of another user are not read."""
    project = stage()
    shown = project.plan()
    (key,) = tmp_path.rglob("derived.key")
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    assert project.plan()["hash"] == shown["hash"]
    with closing(sqlite3.connect(project.folder / "derived.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM draft").fetchone() == (6,)
    assert key.is_file()


def test_the_key_is_in_the_state_folder_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the user's own folder where it is written with a tilde."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CMSMIG_STATE_DIR", "~/states")
    derived = DerivedFile(tmp_path / "project" / "derived.sqlite")
    (tmp_path / "project").mkdir()
    assert derived.one("SELECT 1") == (1,)
    assert (tmp_path / "states" / "derived.key").is_file()


def test_without_a_place_for_the_key_the_file_is_done_without(stage: Stage) -> None:
    """Slower, and with the same plan."""
    project = stage()
    shown = project.plan()
    (project.folder / "derived.sqlite").unlink()
    (key,) = project.folder.parent.rglob("derived.key")
    key.unlink()
    key.mkdir()
    assert project.plan()["hash"] == shown["hash"]
    assert not (project.folder / "derived.sqlite").exists()
