"""derived.sqlite may hold what another program changed: it is read as missing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.derived_file import DerivedFile
from tests.support.steps.forged_drafts import (
    FORGED,
    forge_drafts,
    forge_hashes,
    forge_index,
)
from tests.support.steps.staged_project import Stage, StagedProject


def is_forged(project: StagedProject) -> bool:
    """Return whether the space holds what was forged."""
    return FORGED in json.dumps(project.comparable())


def mirrored(project: StagedProject) -> None:
    project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")


@pytest.mark.parametrize("is_planned_again", [False, True])
@pytest.mark.parametrize("forge", [forge_drafts, forge_index])
def test_what_another_program_wrote_is_not_planned_nor_written(
    stage: Stage, forge: Callable[[Path], int], *, is_planned_again: bool
) -> None:
    """The plan is the same, the import brings what raw/ gives, and a verification
    compares with that."""
    project = stage()
    shown = project.plan()
    assert forge(project.folder)
    if is_planned_again:
        assert project.plan()["hash"] == shown["hash"]
        assert forge(project.folder)
    project.done("import", "--plan", shown["hash"])
    assert len(project.stories()) == 6
    assert not is_forged(project)
    assert forge(project.folder)
    assert forge_hashes(project.folder)
    project.verified()
    assert forge_hashes(project.folder)
    assert project.done("import", "--json").document["writes"] == 0


def test_a_forged_version_for_visitors_is_not_published(stage: Stage) -> None:
    """What visitors see below edits is a draft of its own."""
    project = stage()
    for path in (project.folder / "raw" / "live").glob("*.json"):
        path.write_text(path.read_text().replace('"Record ', '"Released record '))
    mirrored(project)
    shown = project.plan()
    assert shown["fingerprints"]["drafts"]["visitors"]
    assert forge_drafts(project.folder)
    project.done("import", "--plan", shown["hash"])
    assert not is_forged(project)
    project.verified()


def test_a_file_of_another_user_is_made_again(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is the user's: nobody else's rows are read."""
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
