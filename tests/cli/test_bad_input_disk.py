"""What stands on the disk is damaged, gone, or the disk takes no more."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Reply
from tests.support.cli.bad_input import (
    Case,
    Rig,
    Undo,
    check,
    moved_away,
    one_of,
    replaced,
    sentence,
    written,
)


def raw(name: str, content: bytes) -> Callable[[Rig], Undo]:
    return lambda rig: written(rig.folder / "raw" / name, content)


def items_cut(rig: Rig) -> Undo:
    path = one_of(rig.folder / "raw" / "items")
    return written(path, path.read_bytes()[:-3])


def items_garbled(rig: Rig) -> Undo:
    return replaced(one_of(rig.folder / "raw" / "items"), '{"id"', '{"id')


def items_gone(rig: Rig) -> Undo:
    return moved_away(one_of(rig.folder / "raw" / "live"))


def schema_garbled(rig: Rig) -> Undo:
    return written(one_of(rig.folder / "raw" / "collections"), b"\x00\x01")


def in_the_way(*names: str) -> Callable[[Rig], Undo]:
    """Put a file where a folder has to be, or a folder where a file has to be."""

    def cause(rig: Rig) -> Undo:
        path = rig.folder.joinpath(*names)
        back = moved_away(path) if path.exists() else None
        if path.suffix:
            path.mkdir()
        else:
            path.write_text("in the way")

        def undo() -> None:
            path.rmdir() if path.is_dir() else path.unlink()
            if back is not None:
                back()

        return undo

    return cause


def read_only(rig: Rig) -> Undo:
    """Take the right to write in the project folder; from root it takes more."""
    if os.geteuid() == 0:
        return in_the_way("ledger.lock")(rig)
    rig.folder.chmod(0o500)
    return lambda: rig.folder.chmod(0o700)


def no_ledger_file(content: bytes) -> Callable[[Rig], Undo]:
    return lambda rig: written(rig.folder / "ledger.sqlite", content)


CACHE = [
    Case("cut items", "plan", 1, ("items", "in the middle", "pull"), items_cut),
    Case("garbled items", "import", 1, ("items", "line 2", "pull"), items_garbled),
    Case("lost items", "plan", 2, ("live", "missing", "pull"), items_gone),
    Case("garbled schema", "plan", 1, ("collections", "damaged"), schema_garbled),
    Case(
        "garbled sites",
        "decide --accept-proposals --reviewer R --overwrite",
        1,
        ("sites.json", "damaged", "pull --refresh"),
        raw("sites.json", b"{"),
    ),
    Case(
        "list of sites that is none",
        "plan",
        1,
        ("sites.json", "no list of sites"),
        raw("sites.json", b'{"sites": {}}'),
    ),
    Case(
        "garbled index of files",
        "import",
        1,
        ("files.json", "damaged", "pull"),
        raw("files.json", b'{"files": [\n{"address": "x"}\n]}\n'),
    ),
    Case(
        "nothing pulled",
        "plan",
        2,
        ("sites.json is missing", "cmsmig pull"),
        lambda rig: moved_away(rig.folder / "raw"),
    ),
    Case(
        "nothing pulled, nothing decided",
        "decide --accept-proposals --reviewer R --overwrite",
        2,
        ("sites.json is missing", "cmsmig pull"),
        lambda rig: moved_away(rig.folder / "raw"),
    ),
]
PLACES = [
    Case("raw in the way", "pull", 1, ("raw",), in_the_way("raw"), decided=False),
    Case("files in the way", "pull", 1, ("files",), in_the_way("files"), False),
    Case(
        "decisions in the way",
        "decide --accept-proposals --reviewer R --overwrite",
        1,
        ("decisions", "cannot be written"),
        in_the_way("decisions"),
    ),
    Case("read-only project", "import", 1, ("ledger.lock",), read_only),
    Case(
        "ledger in the way",
        "import",
        1,
        ("ledger.sqlite", "right to write"),
        in_the_way("ledger.sqlite"),
    ),
    Case(
        "ledger that is none",
        "import",
        1,
        ("ledger.sqlite", "not a ledger", "rebuild"),
        no_ledger_file(b"This is a letter, and no database. " * 200),
    ),
]


@pytest.mark.parametrize("case", CACHE, ids=str)
def test_a_damaged_cache_ends_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, case: Case
) -> None:
    """The damaged file is named, and what reads it again."""
    check(case, rig(decided=case.decided), whole)


@pytest.mark.parametrize("case", PLACES, ids=str)
def test_a_place_that_cannot_be_written_ends_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, case: Case
) -> None:
    """What cannot be written is named, and nothing half-done stays behind."""
    check(case, rig(decided=case.decided), whole)


@pytest.mark.parametrize(
    "damage",
    [items_cut, items_garbled, items_gone, schema_garbled, raw("files.json", b"{")],
)
def test_a_pull_repairs_a_damaged_cache(
    rig: Callable[..., Rig], whole: Rig, damage: Callable[[Rig], Undo]
) -> None:
    """A pull reads again what is damaged, without being told to."""
    started = rig(decided=False)
    started.done("pull")
    damage(started)
    started.done("pull")
    assert started.raw() == whole.raw()


def test_a_damaged_page_of_a_pull_that_stopped_is_read_again(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """A page that is not what its manifest says counts as never read."""
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


@contextmanager
def small_disk(most: int) -> Iterator[None]:
    """Let no file of this process grow beyond `most` bytes; every system can."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


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
    """A full disk stops the run with what to do, and the rerun goes on."""
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


HOLDER = """
import sys
from pathlib import Path
from cmsmig.ledger.lease import lease
with lease(Path(sys.argv[1]), "cmsmig import"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_ledger_that_another_run_holds_ends_in_6_at_once(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """The holder is named, nothing is asked, and its end is enough."""
    started = rig()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(started.folder / "ledger.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        for command in ("import", "prepare", "create", "link", "publish"):
            ended = started.run(command)
            assert ended.code == 6, command
            assert f"process {holder.pid}" in sentence(ended)
            assert "`cmsmig import`" in sentence(ended)
        holder.communicate("")
    assert started.entries == []
    started.done("import")
    assert started.space() == whole.space()


def test_a_torn_ledger_ends_in_one_sentence(rig: Callable[..., Rig]) -> None:
    """A ledger cut in the middle is damaged for every command that reads it."""
    started = rig()
    started.done("import")
    path = started.folder / "ledger.sqlite"
    content = path.read_bytes()
    for torn in (content[: len(content) // 2], content[:100] + b"\xff" * 9000):
        undo = written(path, torn)
        for command in ("status", "plan", "import", "verify"):
            ended = started.run(command)
            assert ended.code == 1, command
            assert "ledger.sqlite is damaged" in sentence(ended)
        undo()
        for journal in started.folder.glob("ledger.sqlite-*"):
            journal.unlink()
    again = started.done("import", "--json").document
    assert again["writes"] == 0


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE meta SET value = 'abc' WHERE key = 'site'", "belongs to site abc"),
        ("UPDATE meta SET value = '77' WHERE key = 'space'", "belongs to space 77"),
        ("INSERT INTO migration VALUES (99, 'later', 'now')", "newer version"),
    ],
)
def test_a_ledger_of_something_else_is_left_alone(
    rig: Callable[..., Rig], statement: str, says: str
) -> None:
    """A ledger of another site, space or version is named and not touched."""
    started = rig()
    started.done("import")
    path = started.folder / "ledger.sqlite"
    before = path.read_bytes()
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()
    for command in ("plan", "import", "verify"):
        ended = started.run(command)
        assert ended.code == 1
        assert says in sentence(ended)
    path.write_bytes(before)
    for journal in started.folder.glob("ledger.sqlite-*"):
        journal.unlink()
    assert started.done("import", "--json").document["writes"] == 0


def test_a_ledger_that_only_planned_is_not_bound(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """A plan for the wrong space is no reason to refuse the right one."""
    started = rig()
    undo = started.set(space_id="290513")
    assert started.run("plan").code == 1
    undo()
    started.done("import")
    assert started.space() == whole.space()


def test_no_ledger_yet(rig: Callable[..., Rig]) -> None:
    """Without a ledger there is nothing to account for, and it is said."""
    ended = rig().run("status")
    assert ended.code == 1
    assert "no ledger" in sentence(ended)


def test_output_that_nobody_takes(rig: Callable[..., Rig], tmp_path: Path) -> None:
    """A full disk behind standard output is one sentence too."""
    started = rig()
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
    assert started.folder.exists()
