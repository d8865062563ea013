"""Command lines that ask no service: arguments, exit code, and both outputs."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from cmsmig.settings import find_project
from cmsmig.steps.batch_conversion import convert_folder
from tests.support.cases import cases, part
from tests.support.cli.bad_input import sentence
from tests.support.rehearsal import run_here


@cases(__file__, "lines.yaml")
def test_a_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]
) -> None:
    """Each case has a folder of its own."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, text in case.get("files", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, "utf-8")
    stdin = io.BytesIO(case.get("stdin", "").encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin, encoding="utf-8"))
    before = contents(folder)
    ended = run_here("--project", "project", *shlex.split(case["command"]))
    assert ended.code == case["code"], ended.err
    after = contents(folder)
    if ended.code == 2:
        assert (ended.out, after) == ("", before)
    said = sentence(ended) if ended.code else ended.err
    assert [each for each in case.get("says", []) if each not in said] == [], said
    assert [each for each in case.get("prints", []) if each not in ended.out] == []
    if "json" in case:
        assert part(ended.document, case["json"]) == case["json"]
    for name, wanted in case.get("after", {}).items():
        assert part(json.loads(after[name]), wanted) == wanted
    for name in case.get("kept", []):
        assert after[name] == before[name]
    assert [name for name in case.get("absent", []) if name in after] == []


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file and folder below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def test_the_project_folder_is_found_in_order(tmp_path: Path) -> None:
    """The option, then the variable, then the nearest parent, then ./migration."""
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    assert find_project(None, {}, here).root == here / "migration"
    (tmp_path / "a" / "cmsmig.toml").touch()
    assert find_project(None, {}, here).root == tmp_path / "a"
    named = {"CMSMIG_PROJECT": str(tmp_path / "v")}
    assert find_project(None, named, here).root == tmp_path / "v"
    assert find_project(Path("o"), named, here).root == here / "o"


def test_a_batch_is_the_same_on_one_core_and_on_many(tmp_path: Path) -> None:
    """Names, bytes and losses do not depend on the number of processes."""
    source = tmp_path / "in"
    (source / "below").mkdir(parents=True)
    (source / "below" / "deep.html").write_text("<p>not at the top</p>")
    (source / "other.md").write_text("# Not HTML")
    for number in range(12):
        lossy = number % 3 == 0
        text = "<marquee style='color: red'>Los</marquee>" if lossy else "<p>Text</p>"
        (source / f"body.{number}.html").write_text(text)
    written = []
    for processes in (1, 3):
        target = tmp_path / f"out{processes}" / "made"
        convert_folder(source, target, kind="html", processes=processes)
        written.append(contents(target))
    assert written[0] == written[1]
    assert {name for name in written[0] if "losses" in name} == {
        f"body.{number}.losses.json" for number in range(0, 12, 3)
    }
    assert len(written[0]) == 12 + 4
