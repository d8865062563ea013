"""The ledger's file: made whole, ours only, committed as promised."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cmsmig.errors import LedgerDamagedError, LedgerError
from cmsmig.ledger import database_schema
from cmsmig.ledger.connection import Store
from cmsmig.ledger.rows import Identity, Intent, MadeRow
from cmsmig.ledger.store import Ledger, derived_namespace
from tests.support.cases import cases
from tests.support.ledger.files import OURS, sql
from tests.support.timelimit import patience

NAMESPACE = "c219dc29-5b37-5a1c-a17f-4f148956fe57"
"""Of site `site` in space 7: it names blocks in spaces, so it must never change."""


@cases(__file__, "opening.yaml")
def test_whose_ledger_is_opened(path: Path, case: dict[str, Any]) -> None:
    if "text" in case:
        path.write_text(case["text"] * 100)
    elif "tables" in case:
        sql(path, case["tables"])
    else:
        with Ledger.open(path, OURS) as ledger:
            ledger.save_plan("abc", {})
            if "asked" in case:
                ledger.intents.write([Intent("create", "x", "")])
        if "sql" in case:
            sql(path, case["sql"])
    before = path.read_bytes()
    given = (case.get("site", "site"), case.get("url", OURS.base_url))
    identity = Identity(*given, case.get("space", "7"))
    if "refused" in case:
        with pytest.raises(LedgerError, match=case["refused"]) as refused:
            Ledger.open(path, identity)
        damaged = isinstance(refused.value, LedgerDamagedError)
        assert damaged == case.get("damaged", False)
        assert path.read_bytes() == before
    else:
        Ledger.open(path, identity).close()
        found = dict(sql(path, "SELECT key, value FROM meta"))
        bound = Identity(found["site"], found["base_url"], found["space"])
        assert bound == identity
        plans = sql(path, "SELECT count(*) FROM plan")
        assert plans == [(case.get("plans", 1),)]


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
    ledger.inventory.save_made(MadeRow("folder", "x", 1, "", True))
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
    """Both end with a whole ledger: what is there is asked within the transaction."""
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
    assert sql(path, "PRAGMA user_version") == [(database_schema.NUMBER,)]


def test_block_ids_derive_from_site_and_space_only() -> None:
    """A new ledger of the same site knows its stories; another space has other ids."""
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
    """A part that is no object, or is only in an older plan, is missing."""
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
