"""What the commands promise: JSON alone, nothing written unasked, no token shown."""

from __future__ import annotations

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
from tests.support.cli.bad_input import Fault, Rig, story_at
from tests.support.rehearsal import run_here
from tests.support.token_encodings import ENCODINGS, reveals

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
    announced = started.handle.announcement
    assert f"http://{rows['origin host']}" == announced["origin_api_url"]
    assert f"http://{rows['destination host']}/v1" == announced["base_url"]
    assert "stories: 6 stories handled" in found["import"].err
    assert found["status"].err == ""


def test_what_only_looks_writes_nothing(rig: Callable[..., Rig]) -> None:
    """Neither a dry run, before the import, nor a check of any kind, after it.

    What an editor changed at the destination is listed by `verify` as kept.
    """
    started = rig()
    before = started.space()
    for command in ("prepare", "create", "link", "publish", "import"):
        ended = started.done(command, "--dry-run")
        assert ended.out.startswith("Changes: "), command
        assert "\nPlan " in ended.out, command
        assert "writes: 0" in ended.out, command
    assert started.writes == []
    assert started.space() == before
    started.done("import")
    asked = len(started.writes)
    for command in ("plan", "check", "verify", "status"):
        started.done(command)
    assert started.writes[asked:] == []
    story = story_at(started, "/note-2")
    story.body["content"] = {**story.content, "related": []}
    found = started.done("verify", "--json").document
    (kept,) = found["kept"]
    assert (kept["code"], kept["where"]) == ("field_value", "related")
    assert (found["differences"], found["differences_by_code"]) == ([], {})


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


def echoing(tokens: list[str]) -> Fault:
    """Let each service return the token that it got, in every form: in a header of
    each answer, and at the origin in names of sites, collections and items."""
    every = [", ".join(form(each) for form in ENCODINGS.values()) for each in tokens]

    def fault(call: Call, reply: Reply) -> Reply:
        said = every[reply.service != "origin"]
        headers = (*reply.headers, ("Deprecation", said), ("X-Echo", said))
        body = reply.body
        if reply.service == "origin":
            name = f'ame": "{json.dumps(said)[1:-1]} '
            body = body.replace(b'ame": "', name.encode())
        return replace(reply, headers=headers, body=body)

    return fault


def refusing(tokens: list[str], status: int) -> Fault:
    """Let each service refuse a call and repeat its token in every form."""

    def fault(call: Call, reply: Reply) -> Reply:
        got = tokens[reply.service != "origin"]
        said = [form(got) for form in ENCODINGS.values()]
        body = {"error": said, "message": "; ".join(said), "code": said[0]}
        place = ENCODINGS["address"](got)
        location = ("Location", f"https://elsewhere.test/{place}/{got}?t={got}")
        text = json.dumps(body).encode()
        return replace(reply, status=status, body=text, headers=(location,))

    return fault


def test_no_token_is_shown_anywhere(rig: Callable[..., Rig]) -> None:
    """No output, file, ledger or budget holds a token; only `.env` does.

    The services return it in every form, with what they answer and where they refuse.
    """
    started = rig(decided=False)
    announced = started.handle.announcement
    tokens = [announced["origin_token"], announced["destination_token"]]
    started.faults.append(echoing(tokens))
    commands = (
        "check",
        "pull --json",
        "decide --accept-proposals --reviewer R",
        "plan --json",
        "--debug import",
        "verify",
        "status --json",
    )
    outputs = [started.done(*command.split()) for command in commands]
    outputs.append(started.run("--debug", "plan", "extra"))
    for status in (301, 401, 422):
        started.faults[1:] = [refusing(tokens, status)]
        for command in ("plan", "pull --refresh", "check", "verify", "rebuild"):
            outputs.append(started.run("--debug", *command.split()))
            assert outputs[-1].code != 0, command
    found = [each.out.encode() + each.err.encode() for each in outputs]
    for folder in (started.folder, started.state):
        files = [path for path in folder.rglob("*") if path.is_file()]
        found += [
            path.read_bytes() + path.name.encode()
            for path in files
            if path.name != ".env"
        ]
    assert len(found) > 30
    assert any(b"(hidden)" in each for each in found)
    for token in tokens:
        assert [text[:80] for text in found if reveals(text, token)] == []


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
