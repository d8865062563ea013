"""`cmsmig decisions check`, as CI calls it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.cli.bad_input import Rig


@pytest.fixture(scope="module")
def split(whole: Rig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a pulled project whose bodies are split, each accepted in bulk."""
    folder = tmp_path_factory.mktemp("split") / "project"
    shutil.copytree(whole.folder.parent / "decided", folder)
    for path in folder.glob("raw/*/*.json"):
        # Something to split at.
        text = path.read_text().replace("<p>Text ", "<p>Top</p><h2>Part</h2><p>Text ")
        path.write_text(text)
    replace(whole, folder=folder).done(
        *("decide", "--accept-proposals", "--overwrite", "--reviewer", "Bo"),
        *("--split", "headings"),
    )
    return folder


def _unlink(folder: Path) -> None:
    (folder / "decisions" / "design.yaml").unlink()


def _break(folder: Path) -> None:
    (folder / "decisions" / "embeds.yaml").write_text("kinds: [\n")


def _open(folder: Path) -> None:
    path = folder / "decisions" / "blocks.yaml"
    path.write_text(path.read_text().replace('by: "Bo"', 'by: ""', 1))


@pytest.mark.parametrize("pulled", [True, False])
@pytest.mark.parametrize(
    ("harm", "code", "said"),
    [
        (_unlink, 3, "design.yaml is missing"),
        (_break, 2, "embeds.yaml"),
        (_open, 3, "1 body waits for a review"),
    ],
)
def test_a_check_for_ci_needs_neither_token_nor_pull(
    whole: Rig,
    split: Path,
    tmp_path: Path,
    harm: Callable[[Path], None],
    code: int,
    said: str,
    pulled: bool,
) -> None:
    """Whole: 0. Missing or open: 3. Malformed: 2. In one sentence."""
    folder = shutil.copytree(split, tmp_path / "project")
    (folder / ".env").unlink(missing_ok=True)
    if not pulled:
        shutil.rmtree(folder / "raw")
    clone = replace(whole, folder=folder)
    sound = clone.run("decisions", "check")
    assert sound.code == 0, sound.err
    assert ("not pulled here" in sound.out) is not pulled
    assert clone.run("decisions", "check", "--json").document["reviews"] == 5
    harm(folder)
    ended = clone.run("decisions", "check")
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1
