"""How far the last run is, read while it runs: what another process asks each second.

Nothing here writes, checks or upgrades the file: it must not slow down a run, and
must not change what a run that was broken off left.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from cmsmig.errors import CmsmigError
from cmsmig.ledger.connection import connect_reading, translated
from cmsmig.ledger.item_rows import failed_rows
from cmsmig.ledger.rows import GONE, TEXT_NOT_WRITTEN, ItemRow

_FAILED_SHOWN = 30
_COUNTS = f"""SELECT
    count(*) FILTER (WHERE status <> 'skipped' AND gone = '') AS wanted,
    count(*) FILTER (WHERE status <> 'skipped' AND gone = ''
        AND home_id IS NOT NULL AND reason <> '{GONE}') AS there,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    (SELECT count(*) FROM asset WHERE status = 'proven') AS files,
    (SELECT count(*) FROM asset
        WHERE status = 'failed' OR reason = '{TEXT_NOT_WRITTEN}') AS failed_files
    FROM item"""
_SETTLED = """SELECT coalesce(
    (SELECT min(id) - 1 FROM intent INDEXED BY one_open_intent
     WHERE outcome IS NULL AND run_id = ?),
    (SELECT max(id) FROM intent), 0)"""
"""All requests of a run up to this intent have a final outcome."""
_HANDLED = """SELECT kind, count(*) FROM intent
    WHERE id > ? AND id <= ? AND run_id = ? AND outcome IS NOT NULL GROUP BY kind"""
_LAST = 2**62


@dataclass(frozen=True, slots=True)
class LastRun:
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
class Progress:
    """How far a run is, by what it noted."""

    run: LastRun
    handled: Mapping[str, int]
    """Its requests whose outcome is known, by the kind of their intents."""
    failures: tuple[ItemRow, ...]
    """The items that failed last."""
    wanted: int
    """Items that are to have a story."""
    there: int
    """Those of them that have one."""
    failed: int
    files: int
    """Files whose public address shows them."""
    failed_files: int


class RunWatch:
    """Looks at a ledger through one read-only connection that stays open.

    A look reads the counts of all items and, of the requests, only those since the
    last look: some 20 ms at 20,000 items, and nothing while nothing was written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._seen: object = None
        self._last: Progress | None = None
        self._run = 0
        self._floor = 0
        """The requests of the run up to this intent are counted."""
        self._counted: Counter[str] = Counter()

    def look(self) -> Progress | None:
        """Return how far the last run is; None before the first, and while the file
        cannot be read. Reads only."""
        with suppress(CmsmigError, OSError):
            if self._db is None and self._path.is_file():
                self._db = connect_reading(self._path)
            if self._db is not None:
                with translated(self._path):
                    return self._read(self._db)
        self.close()
        return None

    def close(self) -> None:
        """Close the connection; the next look opens it again."""
        if self._db is not None:
            self._db.close()
        self._db, self._seen = None, None

    def _read(self, db: sqlite3.Connection) -> Progress | None:
        (seen,) = db.execute("PRAGMA data_version").fetchone()
        if seen == self._seen:
            return self._last
        run = _last_run(db)
        if run is not None:
            handled = self._handled(db, run.number)
            failures = failed_rows(db, _FAILED_SHOWN)
            counts = db.execute(_COUNTS).fetchone()
            self._last = Progress(run, handled, failures, *counts)
        self._seen = seen
        return self._last

    def _handled(self, db: sqlite3.Connection, run: int) -> Mapping[str, int]:
        if run != self._run:
            self._run, self._floor, self._counted = run, 0, Counter()
        (settled,) = db.execute(_SETTLED, (run,)).fetchone()
        self._counted += _count(db, run, self._floor, settled)
        self._floor = settled
        return self._counted + _count(db, run, settled, _LAST)


def read_history(path: Path) -> tuple[tuple[LastRun, Mapping[str, int]], ...]:
    """Return every run, the first first, and its requests whose outcome is known, by
    the kind of their intents. Reads only. Raises `LedgerError`."""
    with closing(connect_reading(path)) as db, translated(path):
        return tuple((run, _count(db, run.number, 0, _LAST)) for run in _runs(db))


def _count(db: sqlite3.Connection, run: int, after: int, last: int) -> Counter[str]:
    return Counter(dict(db.execute(_HANDLED, (after, last, run)).fetchall()))


def _last_run(db: sqlite3.Connection) -> LastRun | None:
    return next(_runs(db, "ORDER BY run.id DESC LIMIT 1"), None)


def _runs(db: sqlite3.Connection, order: str = "ORDER BY run.id") -> Iterator[LastRun]:
    query = f"""SELECT run.*, json_extract(plan.body, '$.calls') AS calls
                FROM run LEFT JOIN plan ON plan.hash = run.plan_hash {order}"""
    yield from map(_run_of, db.execute(query).fetchall())


def _run_of(row: sqlite3.Row) -> LastRun:
    # Who merely opens the ledger may write an outcome; only the run itself ends it.
    outcome = row["outcome"] if row["ended_at"] else ""
    planned = json.loads(row["calls"] or "{}")
    return LastRun(row["id"], row["command"], row["started_at"], outcome, planned)
