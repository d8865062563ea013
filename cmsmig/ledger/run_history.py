"""The runs of a project, as its ledger noted them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cmsmig.errors import LedgerError, StorageError
from cmsmig.ledger.connection import connect_reading, translated
from cmsmig.ledger.item_rows import failed_rows
from cmsmig.ledger.rows import ItemRow

_RUNS = """SELECT run.*, json_extract(plan.body, '$.calls') AS calls
    FROM run LEFT JOIN plan ON plan.hash = run.plan_hash ORDER BY run.id"""
_LAST = f"{_RUNS} DESC LIMIT 1"
_NEWEST = """SELECT hash, made_at, json_extract(body, '$.calls') AS calls FROM plan
    WHERE hash = (SELECT hash FROM plan ORDER BY made_at DESC LIMIT 1)"""
_CARRIED_OUT = "SELECT command FROM run WHERE plan_hash = ? AND outcome = 'done'"
_HANDLED = """SELECT kind, count(*) FROM intent
    WHERE run_id = ? AND outcome IS NOT NULL GROUP BY kind"""

_WHOLE = """SELECT id, ended_at FROM run WHERE command IN ('import', 'publish')
    AND outcome = 'done' AND ended_at IS NOT NULL ORDER BY id DESC"""
_WRITTEN = """SELECT DISTINCT subject FROM intent WHERE run_id > ?
    AND kind IN ('create', 'update') AND outcome = 'done'"""


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run of a command that writes."""

    number: int
    command: str
    started_at: str
    """ISO 8601 in UTC."""
    outcome: str
    """`done`, `stopped` or `failed: ...`; empty while it runs, and where it was
    killed."""
    planned: Mapping[str, int]
    """The calls of its plan, by name."""


@dataclass(frozen=True, slots=True)
class NewestPlan:
    """The plan that was made last."""

    made_at: str
    """ISO 8601 in UTC."""
    calls: Mapping[str, int]
    """By name."""
    carried_out: frozenset[str]
    """The commands that ran by it to their end."""


@dataclass(frozen=True, slots=True)
class EarlierImport:
    """A whole import that came to its end, and what was written since."""

    ended_at: str
    """ISO 8601 in UTC."""
    written_since: frozenset[str]
    """The items whose stories were, as text."""


def read_newest_plan(path: Path) -> NewestPlan | None:
    """Return the plan that was made last, if any was. Reads only. Raises
    `LedgerError`."""
    with closing(connect_reading(path)) as db, translated(path):
        row = db.execute(_NEWEST).fetchone()
        if row is None:
            return None
        done = db.execute(_CARRIED_OUT, (row["hash"],)).fetchall()
        calls = json.loads(row["calls"] or "{}")
        return NewestPlan(row["made_at"], calls, frozenset(e["command"] for e in done))


def read_history(path: Path) -> tuple[tuple[PastRun, Mapping[str, int]], ...]:
    """Return every run, the first first, and its requests whose outcome is known, by
    the kind of their intents. Reads only. Raises `LedgerError`."""
    with closing(connect_reading(path)) as db, translated(path):
        runs = map(_run_of, db.execute(_RUNS).fetchall())
        return tuple(
            (run, dict(db.execute(_HANDLED, (run.number,)).fetchall())) for run in runs
        )


def read_earlier_import(path: Path, before: float) -> EarlierImport | None:
    """Return the last import that ended before a moment, in epoch seconds. Reads only.
    Raises `LedgerError`."""
    with closing(connect_reading(path)) as db, translated(path):
        for number, ended_at in db.execute(_WHOLE).fetchall():
            if datetime.fromisoformat(ended_at).timestamp() < before:
                subjects = db.execute(_WRITTEN, (number,)).fetchall()
                return EarlierImport(ended_at, frozenset(e[0] for e in subjects))
    return None


def count_runs(path: Path) -> int:
    """Return how many runs ended, in whatever way; 0 where that cannot be read. Reads
    only."""
    with (
        suppress(LedgerError, StorageError),
        closing(connect_reading(path)) as db,
        translated(path),
    ):
        return int(db.execute("SELECT count(ended_at) FROM run").fetchone()[0])
    return 0


def read_last_run(path: Path) -> PastRun | None:
    """Return the run that began last, if any did. Reads only. Raises `LedgerError`."""
    with closing(connect_reading(path)) as db, translated(path):
        return next(map(_run_of, db.execute(_LAST)), None)


def read_failed(path: Path, most: int) -> tuple[ItemRow, ...]:
    """Return the items that failed last, `most` at most, also while a run writes.
    Reads only. Raises `LedgerError`."""
    with closing(connect_reading(path)) as db, translated(path):
        return failed_rows(db, most)


def _run_of(row: sqlite3.Row) -> PastRun:
    # Who merely opens the ledger may write an outcome; only the run itself ends it.
    outcome = row["outcome"] if row["ended_at"] else ""
    planned = json.loads(row["calls"] or "{}")
    return PastRun(row["id"], row["command"], row["started_at"], outcome, planned)
