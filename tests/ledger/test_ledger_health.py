"""A damaged ledger is refused when it is opened; an intact one never is."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cmsmig.errors import LedgerDamagedError
from cmsmig.ledger.connection import connect, connect_reading
from cmsmig.ledger.rows import MadeRow, WrittenStory
from cmsmig.ledger.store import Ledger
from cmsmig.ledger.stored_bodies import load_body, pack_story, unpack_story
from tests.support.ledger.files import OURS, sql

RUN = """
import os, pathlib, signal, sys
from cmsmig.ledger.rows import Identity, Intent, MadeRow
from cmsmig.ledger.store import Ledger
ours = Identity("site", "https://m.example/v1", "7")
ledger = Ledger.open(pathlib.Path(sys.argv[1]), ours)
ledger.begin_run("import")
ledger.intents.write([Intent("folder", "notes", "")])
ledger.inventory.save_made(MadeRow("folder", "notes", 1, "", True))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def killed(path: Path) -> Path:
    """Return a ledger whose run was killed: its write-ahead log is still there."""
    ended = subprocess.run([sys.executable, "-c", RUN, path], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert log_of(path).stat().st_size > 0
    return path


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def made(path: Path) -> list[str]:
    with Ledger.open(path, OURS) as ledger:
        return list(ledger.inventory.made("folder"))


def test_a_killed_run_is_all_there(killed: Path) -> None:
    """With its log the file holds all that was committed; the next command folds it
    in, and from then on the file is whole by itself."""
    assert made(killed) == ["notes"]
    assert not log_of(killed).exists()
    assert made(killed) == ["notes"]


@pytest.mark.parametrize("opened", ["open", "open_existing"])
def test_a_missing_log_is_refused_and_nothing_is_changed(
    killed: Path, opened: str
) -> None:
    """Without it the file looks whole and is an older state: one sentence."""
    for name in ("-wal", "-shm"):
        killed.with_name(killed.name + name).unlink()
    before = killed.read_bytes()
    arguments = (killed, OURS) if opened == "open" else (killed,)
    for _ in range(2):
        with pytest.raises(LedgerDamagedError, match=r"-wal is missing.*rebuild"):
            getattr(Ledger, opened)(*arguments)
    assert killed.read_bytes() == before


@pytest.mark.parametrize("ended", [True, False])
def test_a_run_that_is_left_in_order_needs_no_log(path: Path, ended: bool) -> None:
    """Whether it ended or broke off with an error: closing makes the file whole."""
    with Ledger.open(path, OURS) as ledger:
        ledger.begin_run("import")
        ledger.inventory.save_made(MadeRow("folder", "notes", 1, "", True))
        if ended:
            ledger.end_run("done")
    assert not log_of(path).exists()
    assert made(path) == ["notes"]


def test_looking_at_a_ledger_does_not_end_the_run_that_uses_it(path: Path) -> None:
    """`status` during an import does not stop the import."""
    with Ledger.open(path, OURS) as ledger:
        ledger.begin_run("import")
        Ledger.open_existing(path).close()
        ledger.inventory.save_made(MadeRow("folder", "notes", 1, "", True))
        ledger.end_run("done")
    assert sql(path, "SELECT outcome FROM run") == [("done",)]


def lost_page(data: bytearray, size: int) -> None:
    data[size * 3 : size * 4] = bytes(size)


def cut_off(data: bytearray, size: int) -> None:
    del data[len(data) // 2 :]


def garbled_header(data: bytearray, size: int) -> None:
    data[:64] = os.urandom(64)


def swapped_pages(data: bytearray, size: int) -> None:
    one, two = data[size : size * 2], data[size * 4 : size * 5]
    data[size : size * 2], data[size * 4 : size * 5] = two, one


@pytest.mark.parametrize("damage", [lost_page, cut_off, garbled_header, swapped_pages])
def test_a_damaged_file_is_refused_before_any_query(
    path: Path, damage: Callable[[bytearray, int], None]
) -> None:
    """A torn page or a truncated file is refused on opening, and stays as it is."""
    made(path)
    data = bytearray(path.read_bytes())
    damage(data, int.from_bytes(data[16:18], "big"))
    path.write_bytes(data)
    for _ in range(2):
        with pytest.raises(LedgerDamagedError, match=r"damaged.*cmsmig rebuild"):
            Ledger.open(path, OURS)
    assert path.read_bytes() == bytes(data)


def test_a_name_that_is_no_text_is_damage(path: Path) -> None:
    """SQLite repeats a damaged name in its complaint, which is no UTF-8 then."""
    made(path)
    content = path.read_bytes()
    assert b"sqlite_autoindex" in content
    path.write_bytes(content.replace(b"sqlite_autoindex", b"sql\xabte_autoindex"))
    with pytest.raises(LedgerDamagedError, match=r"damaged.*cmsmig rebuild"):
        connect(path, durable=True)
    with pytest.raises(LedgerDamagedError, match=r"damaged.*cmsmig rebuild"):
        Ledger.open(path, OURS)


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


@pytest.mark.parametrize(
    "statements",
    [
        f"DROP VIEW accounting; CREATE VIEW accounting AS {ENDLESS} SELECT x FROM n",
        f"DROP TABLE plan; CREATE VIEW plan AS {ENDLESS} SELECT x AS hash FROM n",
        "CREATE TRIGGER slow AFTER INSERT ON run BEGIN SELECT count(*) FROM"
        " run a, run b; END",
        "CREATE VIRTUAL TABLE texts USING fts5(words)",
    ],
)
@pytest.mark.parametrize(
    "opened",
    [lambda path: Ledger.open(path, OURS), Ledger.open_existing, connect_reading],
)
def test_objects_of_others_in_a_ledger_are_refused(
    path: Path, statements: str, opened: Callable[[Path], object]
) -> None:
    """A view that never ends, a trigger: before the first query of ours."""
    made(path)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(statements)
    with pytest.raises(LedgerDamagedError, match="view or trigger that is not ours"):
        opened(path)


@pytest.mark.parametrize(
    "kept",
    [
        # Packed by its test alone: every process reads this list.
        lambda: zlib.compress(b" " * (300 * 1024 * 1024), 1),
        b"no zlib at all",
        zlib.compress(b"[1, 2]")[:-6],
        zlib.compress(b"[1]"),
        zlib.compress(b"[" * 100_000),
        "a text",
        None,
    ],
    ids=["bomb", "none", "cut", "one", "deep", "text", "null"],
)
def test_a_story_that_was_never_kept_is_a_sentence(kept: Any) -> None:
    """Six megabytes that expand to six thousand, or no packed bytes at all."""
    story = WrittenStory({"a": 1}, {"b": 2})
    assert unpack_story(pack_story(story)) == story
    with pytest.raises(LedgerDamagedError, match="ledger is damaged"):
        unpack_story(kept() if callable(kept) else kept)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "9" * 5000])
def test_a_body_that_was_never_kept_is_a_sentence(text: str) -> None:
    """Intents and earlier values are texts of JSON."""
    with pytest.raises(LedgerDamagedError, match="ledger is damaged"):
        load_body(text)
