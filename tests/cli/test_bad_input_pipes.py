"""In the place of a file is a pipe, a device, a loop of links or a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.cli.bad_input import Rig, one_of, sentence

KINDS = ("pipe", "device", "loop", "folder")
READ_BY_PLAN = (
    *("cmsmig.toml", ".env", "rules.py"),
    *(f"decisions/{each}.yaml" for each in ("collections", "design", "blocks")),
    *(f"decisions/{each}.yaml" for each in ("embeds", "conflicts")),
    *("raw/sites.json", "raw/collections.json", "raw/files.json", "raw/.origin.json"),
    *("raw/collections/*", "raw/items/*", "raw/live/*"),
    *("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-journal"),
)


WITHOUT = ("raw/.origin.json",)
LEADING_NOWHERE = ("raw/files.json", "cmsmig.toml", "ledger.sqlite-wal")
PASSED = {"loop": (*WITHOUT, *LEADING_NOWHERE)}
"""What a plan does without, and what a link that leads nowhere takes away."""


def put(place: Path, kind: str) -> None:
    """Put what is no file in the place of one."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero" if kind == "device" else place.name)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_one_sentence_for_plan_and_status(
    rig: Callable[..., Rig], kind: str
) -> None:
    """None of them hangs, fills the memory or crashes; all is whole afterwards."""
    started = rig()
    started.done("plan")
    for name in READ_BY_PLAN:
        place = one_of(started.folder, name)
        kept = place.read_bytes() if place.is_file() else None
        if name == "rules.py":
            settings = started.folder / "cmsmig.toml"
            before = settings.read_text()
            settings.write_text(before + '\n[richtext]\nrules = "rules.py"\n')
        put(place, kind)
        ended = started.run("status" if name.startswith("ledger") else "plan")
        if ended.code:
            said = sentence(ended)
            assert "should not happen" not in said, (name, kind, said)
        else:
            assert name in PASSED.get(kind, WITHOUT), (name, kind)
        place.rmdir() if kind == "folder" else place.unlink()
        if kept is not None:
            place.write_bytes(kept)
            place.chmod(0o600)
        if name == "rules.py":
            settings.write_text(before)
    started.done("plan")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    ["sites.json", "collections.json", "collections/*", "items/*", "files.json"],
)
def test_a_pull_puts_files_where_something_else_is(
    rig: Callable[..., Rig], whole: Rig, kind: str, name: str
) -> None:
    """It reads again what it cannot read, or says that a folder is in the way."""
    started = rig(decided=False)
    started.done("pull")
    place = one_of(started.folder / "raw", name)
    put(place, kind)
    ended = started.run("pull")
    if kind == "folder":
        assert ended.code == 1
        assert "The disk refused" in sentence(ended)
    else:
        assert ended.code == 0, ended.err
        assert started.raw() == whole.raw()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["pull", "import"])
def test_a_lock_that_is_no_file_is_one_sentence(
    rig: Callable[..., Rig], kind: str, command: str
) -> None:
    """Nothing waits, and nothing is asked of the destination."""
    started = rig()
    put(started.folder / "ledger.lock", kind)
    assert "ledger.lock" in started.fails(1, command)
    assert started.writes == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_download_that_is_no_file_fails_alone(
    rig: Callable[..., Rig], whole: Rig, kind: str
) -> None:
    """The others are imported; a pull brings it again."""
    started = rig(decided=False).decided()
    place = max((started.folder / "files").iterdir())
    put(place, kind)
    ended = started.run("import", "--json")
    assert ended.code == 1
    assert ended.document["failed_assets"] == 1
    if kind == "folder":
        place.rmdir()
    started.done("pull")
    started.done("import")
    assert started.space() == whole.space()


def test_three_pulls_at_once_are_one_pull(rig: Callable[..., Rig], whole: Rig) -> None:
    """One of them reads; the others end at once with the owner's name."""
    started = rig(decided=False)
    with ExitStack() as stack:
        running = [stack.enter_context(started.process("pull")) for _ in range(3)]
        said = [process.communicate(timeout=50)[1] for process in running]
    codes = [process.returncode for process in running]
    assert set(codes) <= {0, 6}, said
    assert 0 in codes
    for code, text in zip(codes, said, strict=True):
        assert "Traceback" not in text
        assert (code == 6) == ("Another run holds" in text)
    assert started.raw() == whole.raw()


STREAMS = (
    (">&-", 1, "Standard output is closed"),
    ("2>&-", 0, ""),
    ("<&-", 0, ""),
    ("<&- >&- 2>&-", 1, ""),
    ("2>/dev/full", 0, ""),
    (">/dev/full", 1, "Standard output does not take"),
)


def test_streams_that_are_closed_or_full(rig: Callable[..., Rig]) -> None:
    """One sentence, never a traceback; no file takes the place of a stream."""
    started = rig()
    for closed, code, says in STREAMS:
        if "/dev/full" in closed and not Path("/dev/full").exists():
            continue
        script = f'exec "$0" -m cmsmig.cli --project "$1" plan --json {closed}'
        ended = subprocess.run(
            ["/bin/sh", "-c", script, sys.executable, str(started.folder)],
            capture_output=True,
            check=False,
            text=True,
            env={**os.environ, "CMSMIG_STATE_DIR": str(started.state)},
            timeout=50,
        )
        assert ended.returncode == code, (closed, ended.stderr)
        assert "Traceback" not in ended.stderr
        assert says in ended.stderr
        assert not says or len(ended.stderr.splitlines()) == 1
    started.done("plan")
