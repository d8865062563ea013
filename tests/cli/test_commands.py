"""What the commands promise: JSON alone, nothing written unasked, no token told."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.settings import find_project
from cmsmig.steps.batch_conversion import convert_folder
from tests.support.cli.bad_input import Fault, Rig, story_at
from tests.support.rehearsal import run_here

KEYS = {
    "check": {"ok", "rows"},
    "pull": {"site", "collections", "files"},
    "plan": {
        "hash",
        "items",
        "skipped",
        "calls",
        "calls_saved",
        "rate",
        "seconds",
        "limits",
        "conflicts",
        "dangling",
        "dangling_by_cause",
        "losses_by_kind",
        "missing_files",
        "fingerprints",
    },
    "import": {"plan", "writes", "failed_assets", "accounting"},
    "verify": {"compared", "failed_items", "differences", "differences_by_code"},
    "status": {
        "accounting",
        "reasons",
        "failed",
        "links",
        "assets",
        "failed_assets",
        "losses_by_kind",
    },
}
ACCOUNTING = {"in", "created", "reused", "skipped", "failed", "open"}


def test_json_is_one_document_and_nothing_else(
    rig: Callable[..., Rig],
) -> None:
    """Each command prints one JSON object with its keys; progress goes elsewhere."""
    started = rig(decided=False)
    found = {}
    for command in ("check", "pull"):
        found[command] = started.done(command, "--json")
    started.done("decide", "--accept-proposals", "--reviewer", "R")
    for command in ("plan", "import", "verify", "status"):
        found[command] = started.done(command, "--json")
    for command, ended in found.items():
        assert ended.out.endswith("}\n"), command
        assert set(ended.document) >= KEYS[command], command
    assert set(found["import"].document["plan"]) == set(found["plan"].document)
    for command in ("import", "status"):
        assert set(found[command].document["accounting"]) == ACCOUNTING
    rows = {row["what"]: row["found"] for row in found["check"].document["rows"]}
    assert "space" in rows
    told = started.handle.announcement
    assert f"http://{rows['origin host']}" == told["origin_api_url"]
    assert f"http://{rows['destination host']}/v1" == told["base_url"]
    assert "stories: 6 stories handled" in found["import"].err
    assert found["status"].err == ""


@pytest.mark.parametrize("command", ["prepare", "create", "link", "publish", "import"])
def test_a_dry_run_writes_nothing(rig: Callable[..., Rig], command: str) -> None:
    """With --dry-run the plan is shown and the destination is only read."""
    started = rig()
    before = started.space()
    ended = started.done(command, "--dry-run")
    assert ended.out.startswith("plan ")
    assert "writes: 0" in ended.out
    assert started.writes == []
    assert started.space() == before


def test_plan_check_and_verify_only_read(rig: Callable[..., Rig]) -> None:
    """What only looks sends nothing but reads."""
    started = rig()
    started.done("import")
    asked = len(started.writes)
    for command in ("plan", "check", "verify", "status"):
        started.done(command)
    assert started.writes[asked:] == []


def test_the_parts_make_what_the_whole_makes(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """Prepare, create, link and publish in turn are an import."""
    started = rig()
    for command in ("prepare", "create", "link", "publish"):
        started.done(command)
    assert started.space() == whole.space()
    again = started.done("import")
    assert "writes: 0" in again.out
    assert re.search(
        r"^in 6 = created 6 \+ reused 0 \+ skipped 0 \+ failed 0$", again.out, re.M
    )


def test_verify_tells_a_difference_in_its_exit_code(rig: Callable[..., Rig]) -> None:
    """What somebody changed at the destination ends in 4 and is listed."""
    started = rig()
    started.done("import")
    story = story_at(started, "/note-2")
    story.body["content"] = {**story.content, "related": []}
    ended = started.run("verify", "--json")
    assert ended.code == 4
    (difference,) = ended.document["differences"]
    assert difference["code"] == "field_value"
    assert difference["where"] == "related"
    assert ended.document["differences_by_code"] == {"field_value": 1}


def test_init_changes_nothing_that_is_there(tmp_path: Path) -> None:
    """A second init keeps every file as a person left it."""
    place = ("--project", str(tmp_path / "p"))
    first = run_here(*place, "init")
    assert first.code == 0
    toml = tmp_path / "p" / "cmsmig.toml"
    toml.write_text('space_id = "7"\n')
    again = run_here(*place, "init")
    assert again.code == 0
    assert "cmsmig.toml was there and stays as it is" in again.out
    assert toml.read_text() == 'space_id = "7"\n'


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


def test_a_command_finds_its_project_from_below(
    rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a project folder no option is needed, and the variable does it too."""
    started = rig()
    started.done("plan")
    monkeypatch.chdir(started.folder / "decisions")
    assert run_here("status").code == 0
    monkeypatch.chdir("/")
    monkeypatch.setenv("CMSMIG_PROJECT", str(started.folder))
    assert run_here("status").code == 0


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stream)


BODY = '<p>Grüße <b>dich</b></p><marquee style="color: red">Los</marquee>'


def test_convert_takes_a_file_or_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same document from a file, from `-` and from nothing named."""
    path = tmp_path / "body.html"
    path.write_text(BODY)
    losses = tmp_path / "losses.json"
    told = run_here("convert", "--losses", str(losses), str(path))
    assert told.code == 0
    assert told.document["type"] == "doc"
    assert "Grüße" in told.out
    for arguments in (("convert", "-"), ("convert",)):
        feed(monkeypatch, BODY)
        assert run_here(*arguments).out == told.out
    listed = json.loads(losses.read_text())
    assert listed
    assert all({"kind", "what", "where", "why"} <= set(each) for each in listed)


def test_render_gives_html_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A converted document renders to HTML, from a file and from standard input."""
    feed(monkeypatch, "<p>Grüße <b>dich</b></p>")
    document = run_here("convert", "-").out
    path = tmp_path / "document.json"
    path.write_text(document)
    rendered = run_here("render", str(path))
    assert rendered.code == 0
    assert re.sub(r"<(/?)strong>", r"<\1b>", rendered.out).strip() == (
        "<p>Grüße <b>dich</b></p>"
    )
    feed(monkeypatch, document)
    assert run_here("render", "-").out == rendered.out


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"type": "doc"}', '"doc"'])
def test_render_of_no_document(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """What is no document ends in 2 and one sentence, or is an empty one."""
    feed(monkeypatch, text)
    ended = run_here("render", "-")
    assert ended.code in (0, 2), ended.err
    assert len(ended.err.splitlines()) == (1 if ended.code else 0)
    assert "Traceback" not in ended.err
    assert "should not happen" not in ended.err


@pytest.mark.parametrize("command", ["convert", "render"])
def test_a_file_that_is_not_there(tmp_path: Path, command: str) -> None:
    """The file is named in one sentence."""
    ended = run_here(command, str(tmp_path / "nobody.html"))
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert "nobody.html" in line


def test_a_batch_is_the_same_on_one_core_and_on_many(tmp_path: Path) -> None:
    """Names, bytes and losses do not depend on the number of processes."""
    source = tmp_path / "in"
    (source / "below").mkdir(parents=True)
    (source / "below" / "deep.html").write_text("<p>not at the top</p>")
    (source / "other.md").write_text("# Not HTML")
    for number in range(12):
        text = BODY if number % 3 == 0 else f"<p>Text {number}</p>"
        (source / f"body.{number}.html").write_text(text)
    written = []
    for processes in (1, 3):
        target = tmp_path / f"out{processes}" / "made"
        convert_folder(
            source, target, mode="faithful", kind="html", processes=processes
        )
        written.append({path.name: path.read_bytes() for path in target.iterdir()})
    assert written[0] == written[1]
    assert {name for name in written[0] if "losses" in name} == {
        f"body.{number}.losses.json" for number in range(0, 12, 3)
    }
    assert len(written[0]) == 12 + 4


def test_a_batch_by_command(tmp_path: Path) -> None:
    """The folder is made, Markdown is taken by its ending, nothing is on stdout."""
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.md").write_text("# Title\n\nText")
    (source / "b.html").write_text("<p>not Markdown</p>")
    target = tmp_path / "out" / "put"
    ended = run_here(
        "convert", "--batch", "--from", "markdown", str(source), str(target)
    )
    assert ended.code == 0
    assert ended.out == ""
    assert [path.name for path in target.iterdir()] == ["a.json"]
    document = json.loads((target / "a.json").read_text())
    assert [node["type"] for node in document["content"]] == ["heading", "paragraph"]
    missing = run_here("convert", "--batch", str(tmp_path / "none"), str(target))
    assert missing.code == 2
    in_the_way = run_here("convert", "--batch", str(source), str(source / "b.html"))
    assert in_the_way.code == 1
    assert "b.html" in in_the_way.err


def repeating(tokens: list[str]) -> Fault:
    """Let each service repeat the token that it got, as some do when they refuse."""

    def fault(call: Call, reply: Reply) -> Reply:
        got = tokens[reply.service != "origin"]
        body = json.dumps({"error": f"not with {got}"}).encode()
        return replace(reply, status=422, body=body)

    return fault


def test_no_token_is_told_anywhere(rig: Callable[..., Rig]) -> None:
    """No output, file, ledger or budget holds a token; only `.env` does."""
    started = rig(decided=False)
    told = started.handle.announcement
    tokens = [told["origin_token"], told["destination_token"]]
    outputs = []
    for command in (
        "check",
        "pull --json",
        "decide --accept-proposals --reviewer R",
        "plan --json",
        "--debug import",
        "verify",
        "status --json",
        "--debug plan extra",
    ):
        ended = started.run(*command.split())
        outputs += [ended.out, ended.err]
    started.faults.append(repeating(tokens))
    for command in ("--debug plan", "--debug pull --refresh", "--debug check"):
        ended = started.run(*command.split())
        assert ended.code != 0, command
        outputs += [ended.out, ended.err]
    for folder in (started.folder, started.state):
        for path in folder.rglob("*"):
            if path.is_file() and path.name != ".env":
                outputs.append(path.read_bytes().decode("latin-1") + path.name)
    assert len(outputs) > 30
    for token in tokens:
        assert [text[:80] for text in outputs if token in text] == []


_HEAVY = {
    *("pandas", "httpx", "lxml", "PIL", "uvicorn", "jupyterlab", "IPython"),
    *("ipywidgets", "nbformat", "pydantic", "sqlite3", "asyncio"),
}
"""Modules that no help and no import of the package needs."""


def test_the_module_runs_as_a_program(tmp_path: Path) -> None:
    """Help is instant and needs no settings; no notebook or table tool is loaded."""
    code = (
        "import sys\n"
        "from cmsmig.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit as ending:\n    assert not ending.code\n"
        f"heavy = {_HEAVY}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "import" in ended.stdout
