"""The ledger's file: migrated whole, ours only, committed as promised."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cmsmig.errors import LedgerError
from cmsmig.ledger import migrations
from cmsmig.ledger.connection import Store
from cmsmig.ledger.rows import Identity, Intent, MadeRow
from cmsmig.ledger.store import Ledger, derived_namespace
from tests.support.timelimit import patience

NAMESPACE = "c219dc29-5b37-5a1c-a17f-4f148956fe57"
"""Of site `site` in space 7: it names blocks in spaces, so it must never change."""
OURS = Identity("site", "https://m.example/v1", "7")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def sql(path: Path, statement: str, *values: object) -> list[tuple]:
    """Ask the file as any other program would."""
    with closing(sqlite3.connect(path)) as db, db:
        return db.execute(statement, values).fetchall()


def tables(path: Path) -> set[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    return {name for (name,) in sql(path, query)}


def test_every_migration_is_recorded_with_its_number(path: Path) -> None:
    """The bookkeeping says what ran, and reopening runs nothing again."""
    Ledger.open(path, OURS).close()
    before = sql(path, "SELECT number, name, applied_at FROM migration ORDER BY number")
    assert [row[0] for row in before] == list(range(1, migrations.LATEST + 1))
    assert [row[1] for row in before] == [m.__name__ for m in migrations.MIGRATIONS]
    Ledger.open(path, OURS).close()
    assert sql(path, "SELECT number, name, applied_at FROM migration") == before


def _breaking(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE half_made (a TEXT) STRICT")
    db.execute("ALTER TABLE item ADD COLUMN half_made TEXT")
    db.execute("CREATE TABLE half_made (a TEXT)")


def test_a_migration_that_fails_leaves_the_old_version(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it or nothing: the file is the older ledger, whole and usable."""
    with Ledger.open(path, OURS) as ledger:
        ledger.begin_run("import")
    with monkeypatch.context() as patch:
        steps = (*migrations.MIGRATIONS, _breaking)
        patch.setattr(migrations, "MIGRATIONS", steps)
        patch.setattr(migrations, "LATEST", len(steps))
        with pytest.raises(LedgerError):
            Ledger.open(path, OURS)
    assert "half_made" not in tables(path)
    columns = [row[1] for row in sql(path, "PRAGMA table_info(item)")]
    assert "half_made" not in columns
    assert sql(path, "SELECT max(number) FROM migration") == [(migrations.LATEST,)]
    with Ledger.open(path, OURS):
        assert sql(path, "SELECT command FROM run") == [("import",)]


def test_a_newer_ledger_is_refused_and_left_as_it_is(path: Path) -> None:
    """A sentence that says which version it has and what to do."""
    Ledger.open(path, OURS).close()
    sql(path, "INSERT INTO migration VALUES (99, 'm099_later', 'then')")
    with pytest.raises(LedgerError, match=r"newer version.*99.*upgrade cmsmig"):
        Ledger.open(path, OURS)
    assert sql(path, "SELECT max(number) FROM migration") == [(99,)]


@pytest.mark.parametrize(
    ("identity", "named"),
    [
        (Identity("other", OURS.base_url, "7"), "site"),
        (Identity("site", OURS.base_url, "8"), "space 8"),
    ],
)
def test_a_ledger_of_another_site_or_space_is_refused(
    path: Path, identity: Identity, named: str
) -> None:
    """What was imported elsewhere is never mixed in."""
    with Ledger.open(path, OURS) as ledger:
        ledger.intents.write([Intent("create", "x", "")])
    with pytest.raises(LedgerError, match=named):
        Ledger.open(path, identity)
    assert sql(path, "SELECT value FROM meta WHERE key = 'space'") == [("7",)]


def test_a_ledger_that_nothing_was_asked_with_yet_is_bound_anew(path: Path) -> None:
    """A plan with a wrong id in the settings does not bind it for good."""
    with Ledger.open(path, OURS) as ledger:
        ledger.save_plan("abc", {})
    Ledger.open(path, Identity("site", OURS.base_url, "8")).close()
    assert sql(path, "SELECT value FROM meta WHERE key = 'space'") == [("8",)]
    assert sql(path, "SELECT * FROM plan") == []


@pytest.mark.parametrize(
    "address",
    [
        "https://n.example/v1",
        "https://m.example:8443/v1",
        "http://127.0.0.1:81/v1",
        "https://m.example.evil.example/v1",
    ],
)
def test_a_ledger_of_another_host_is_refused(path: Path, address: str) -> None:
    """What one service was given says nothing about another of the same numbers."""
    with Ledger.open(path, OURS) as ledger:
        ledger.intents.write([Intent("create", "x", "")])
    with pytest.raises(LedgerError, match=r"at m\.example, but .*destination_base_url"):
        Ledger.open(path, Identity("site", address, "7"))
    found = sql(path, "SELECT value FROM meta WHERE key = 'base_url'")
    assert found == [(OURS.base_url,)]


@pytest.mark.parametrize(
    "address",
    ["https://M.example/v1/", "https://m.example:443/v1", "https://m.example/v2"],
)
def test_another_spelling_of_the_address_is_the_same_host(
    path: Path, address: str
) -> None:
    """The path, the usual port and capitals say nothing about who answers."""
    with Ledger.open(path, OURS) as ledger:
        ledger.intents.write([Intent("create", "x", "")])
    Ledger.open(path, Identity("site", address, "7")).close()
    found = sql(path, "SELECT value FROM meta WHERE key = 'base_url'")
    assert found == [(address,)]


def test_a_ledger_that_was_only_planned_with_moves_to_another_host(path: Path) -> None:
    """A plan against a rehearsal binds nothing."""
    with Ledger.open(path, OURS) as ledger:
        ledger.save_plan("abc", {})
    Ledger.open(path, Identity("site", "https://n.example/v1", "7")).close()
    found = sql(path, "SELECT value FROM meta WHERE key = 'base_url'")
    assert found == [("https://n.example/v1",)]


def test_a_database_of_another_program_is_refused_and_not_touched(path: Path) -> None:
    """Nothing is added to a file that is not ours."""
    sql(path, "CREATE TABLE recipes (name TEXT)")
    with pytest.raises(LedgerError, match="another program"):
        Ledger.open(path, OURS)
    assert tables(path) == {"recipes"}


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    """One sentence, and the file stays as it is."""
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(LedgerError, match="damaged or is not a ledger"):
        Ledger.open(path, OURS)
    assert path.read_bytes().startswith(b"not a database")


def test_a_ledger_that_is_not_there_is_no_ledger(path: Path) -> None:
    """Reading the status does not make an empty file."""
    with pytest.raises(LedgerError, match="no ledger"):
        Ledger.open_existing(path)
    assert not path.exists()


def test_intents_are_durable_and_results_are_not_synced_one_by_one(path: Path) -> None:
    """FULL for intents, NORMAL for results, both in WAL mode."""
    store = Store(path)
    found = {}
    for durable in (True, False):
        with store.atomic(durable=durable) as db:
            (level,) = db.execute("PRAGMA synchronous").fetchone()
            (mode,) = db.execute("PRAGMA journal_mode").fetchone()
            (keys,) = db.execute("PRAGMA foreign_keys").fetchone()
            found[durable] = (level, mode, keys)
    store.close()
    assert found == {True: (2, "wal", 1), False: (1, "wal", 1)}


def test_what_is_written_goes_through_the_connection_that_it_should(
    path: Path,
) -> None:
    """Intents through the durable one, story records and files through the other."""
    Ledger.open(path, OURS).close()
    store = Store(path)
    seen: dict[bool, list[str]] = {True: [], False: []}
    for durable, lines in seen.items():
        with store.atomic(durable=durable) as db:
            db.set_trace_callback(lines.append)
    ledger = Ledger(store)
    ledger.intents.write([Intent("create", "x", "")])
    ledger.inventory.save_made(MadeRow("folder", "x", 1, "", True, ""))
    ledger.close()
    synced, quick = ("".join(seen[durable]) for durable in (True, False))
    assert ("INSERT INTO intent" in synced, "INTO made" in synced) == (True, False)
    assert ("INSERT INTO intent" in quick, "INTO made" in quick) == (False, True)


def test_what_is_raised_within_a_transaction_undoes_it(path: Path) -> None:
    """Half a result is no result."""
    Ledger.open(path, OURS).close()
    store = Store(path)

    def half() -> None:
        with store.atomic() as db:
            db.execute("INSERT INTO run (command, started_at) VALUES ('x', 'then')")
            db.execute("INSERT INTO run (command) VALUES (NULL)")

    with pytest.raises(LedgerError):
        half()
    store.close()
    assert sql(path, "SELECT * FROM run") == []


def test_two_processes_may_make_the_same_ledger_at_once(path: Path) -> None:
    """Both end with a whole ledger: an upgrade asks again within its transaction."""
    code = (
        "import sys, pathlib\n"
        "from cmsmig.ledger.store import Ledger\n"
        "from cmsmig.ledger.rows import Identity\n"
        "sys.stdin.read(1)\n"
        "Ledger.open(pathlib.Path(sys.argv[1]), Identity('site', 'x', '7')).close()\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, path],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    ended = [child.communicate(b"x", timeout=patience()) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], ended
    assert sql(path, "SELECT count(*) FROM migration") == [(migrations.LATEST,)]


def test_block_ids_derive_from_site_and_space_only() -> None:
    """A ledger made anew knows its own stories; another space has other ids."""
    assert derived_namespace("site", "7") == derived_namespace("site", "7")
    assert derived_namespace("site", "7") == NAMESPACE
    assert len({derived_namespace(*pair) for pair in ("ab", "ba", "aa")}) == 3


def test_plans_are_found_by_the_beginning_of_their_hash(path: Path) -> None:
    """The newest one wins, and the same plan twice is one row."""
    with Ledger.open(path, OURS) as ledger:
        ledger.save_plan("abcdef", {"n": 1})
        ledger.save_plan("abcdef", {"n": 2})
        assert ledger.plan("abc") == {"n": 2}
        assert ledger.plan("abd") is None
        assert ledger.plan("a%") is None
    ((found, body),) = sql(path, "SELECT hash, body FROM plan")
    assert (found, json.loads(body)) == ("abcdef", {"n": 2})


def test_a_part_of_the_newest_plan_is_read_alone(path: Path) -> None:
    """What is no object, or stands in an older plan alone, is none."""
    with Ledger.open(path, OURS) as ledger:
        assert ledger.newest_plan_part("labels") is None
        assert ledger.plan("") is None
        ledger.save_plan("bb", {"labels": {"a": "é"}, "older": {"a": "1"}})
        ledger.save_plan("aa", {"labels": {"b": {"c": 2}}, "empty": {}})
        sql(path, "UPDATE plan SET made_at = '2020' WHERE hash = 'bb'")
        assert ledger.newest_plan_part("labels") == {"b": {"c": 2}}
        assert ledger.newest_plan_part("empty") == {}
        assert ledger.newest_plan_part("older") is None
        assert ledger.plan("") == {"labels": {"b": {"c": 2}}, "empty": {}}


def test_runs_are_written_with_their_end(path: Path) -> None:
    """A run without an end is one that was killed."""
    with Ledger.open(path, OURS) as ledger:
        ledger.begin_run("prepare", "abc")
        ledger.begin_run("import")
        ledger.end_run("done")
    query = "SELECT id, command, plan_hash, outcome, ended_at IS NULL FROM run"
    ended = (2, "import", "", "done", 0)
    assert sql(path, query) == [(1, "prepare", "abc", None, 1), ended]
