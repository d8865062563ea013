"""What is on the disk is damaged, gone, or the disk takes no more."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cmsmig.sandbox.http.asgi import Call, Reply
from tests.support.cli.bad_input import (
    Cause,
    Rig,
    sentence,
)
from tests.support.ledger.files import held
from tests.support.scripts import do
from tests.support.small_disk import small_disk


@pytest.mark.parametrize(
    "damage",
    [
        {"cuts": ["raw/items/*.json", 3]},
        {"edits": ["raw/items/*.json", '{"id"', '{"id']},
        {"removes": "raw/live/*.json"},
        {"writes": ["raw/collections/*.json", "\0\1"]},
        {"writes": ["raw/files.json", "{"]},
    ],
    ids=str,
)
def test_a_pull_repairs_a_damaged_cache(
    rig: Callable[..., Rig], whole: Rig, damage: dict[str, Any]
) -> None:
    """A pull reads again what is damaged, without being asked to."""
    started = rig(decided=False)
    started.done("pull")
    do(damage, Cause(started))
    started.done("pull")
    assert started.raw() == whole.raw()


def test_a_damaged_page_of_a_pull_that_stopped_is_read_again(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """A page that is not what its first line says counts as never read."""
    started = rig(decided=False)

    seen: set[str] = set()

    def only_first_pages(call: Call, reply: Reply) -> Reply:
        if "/items" not in call.path:
            return reply
        if call.path in seen:
            return replace(reply, status=400)
        seen.add(call.path)
        page = json.loads(reply.body)
        page["pagination"]["total"] += 1
        return replace(reply, body=json.dumps(page).encode())

    started.faults.append(only_first_pages)
    assert started.run("pull").code == 1
    pages = list((started.folder / "raw" / ".pages").rglob("*.jsonl"))
    assert pages
    for page in pages:
        page.write_bytes(b'{"id": "x"}\n')
    started.faults.clear()
    started.done("pull")
    assert started.raw() == whole.raw()


@pytest.mark.parametrize("damage", ["gone", "changed", "cut"])
def test_a_damaged_download_fails_alone(
    rig: Callable[..., Rig], whole: Rig, damage: str
) -> None:
    """The file is listed with its reason, all else is imported, a pull heals it."""
    started = rig()
    path = max((started.folder / "files").iterdir())
    whole_bytes = path.read_bytes()
    changed = {"gone": None, "changed": b"x" * len(whole_bytes), "cut": b"x"}[damage]
    path.unlink() if changed is None else path.write_bytes(changed)
    ended = started.run("import", "--json")
    assert ended.code == 1
    assert sentence(ended).startswith("1 file failed")
    assert ended.document["failed_assets"] == 1
    assert ended.document["accounting"]["failed"] == 0
    (failed,) = started.done("status", "--json").document["failed_assets"]
    assert failed["reason"] == "file_damaged"
    assert path.name in failed["explanation"]
    path.write_bytes(whole_bytes)
    started.done("import")
    assert started.space() == whole.space()


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("pull", 0),
        ("pull", 1500),
        ("decide --accept-proposals --reviewer R --overwrite", 1000),
        ("plan", 50_000),
        ("import", 0),
        ("import", 300_000),
    ],
)
def test_a_full_disk_ends_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, command: str, most: int
) -> None:
    """A full disk stops the run with what to do, and the rerun continues."""
    started = rig(decided=command != "pull")
    with small_disk(most):
        ended = started.run(*command.split())
    assert ended.code == 1, ended.out + ended.err
    assert any(word in sentence(ended) for word in ("disk", "space", "cannot be"))
    if command == "pull":
        started.done("pull")
        assert started.raw() == whole.raw()
    else:
        if command.startswith("decide"):
            started.done(*command.split())
        started.done("import")
        assert started.space() == whole.space()
        assert started.handle.state.recorder.violations == []


def test_a_ledger_that_another_run_holds_ends_in_6_at_once(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """The holder is named, nothing is asked, and its end is enough."""
    started = rig()
    with held(started.folder / "ledger.lock") as holder:
        for command in ("import", "prepare", "create", "link", "publish"):
            said = started.fails(6, command)
            assert f"process {holder.pid} " in said
            assert "`cmsmig import`" in said
    assert started.entries == []
    # A pull is refused, too; commands that only read are not.
    with held(started.folder / "ledger.lock") as holder:
        assert f"process {holder.pid} " in started.fails(6, "pull")
        for reader in ("plan", "status", "check"):
            started.done(reader)
    started.done("import")
    assert started.space() == whole.space()


def test_a_ledger_that_cannot_be_used_is_left_alone(rig: Callable[..., Rig]) -> None:
    """Torn, or of another site, space or version: every command that reads it ends in
    one sentence; with the file as it was there is nothing to write."""
    started = rig()
    assert "no ledger" in started.fails(1, "status")
    started.done("import")
    path = started.folder / "ledger.sqlite"
    content = path.read_bytes()
    for damage, says in (
        (content[: len(content) // 2], "ledger.sqlite is damaged"),
        (content[:100] + b"\xff" * 9000, "ledger.sqlite is damaged"),
        ("UPDATE meta SET value = 'abc' WHERE key = 'site'", "belongs to site abc"),
        ("UPDATE meta SET value = '77' WHERE key = 'space'", "belongs to space 77"),
        ("PRAGMA user_version = 99", "rebuild"),
    ):
        if isinstance(damage, bytes):
            path.write_bytes(damage)
        else:
            with closing(sqlite3.connect(path)) as db, db:
                db.execute(damage)
        for command in ("plan", "import", "verify"):
            assert says in started.fails(1, command)
        path.write_bytes(content)
        for journal in started.folder.glob("ledger.sqlite-*"):
            journal.unlink()
    assert started.done("import", "--json").document["writes"] == 0


def test_output_that_is_not_taken(tmp_path: Path) -> None:
    """A full disk behind standard output is one sentence too."""
    full = Path("/dev/full")
    with small_disk(10), open(full if full.exists() else tmp_path / "out", "wb") as out:
        ended = subprocess.run(
            [sys.executable, "-m", "cmsmig.cli", "convert", "-"],
            input=b"<p>Text</p>",
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert ended.returncode == 1
    (line,) = ended.stderr.decode().splitlines()
    assert "Standard output" in line
