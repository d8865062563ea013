"""Whether a ledger's file is whole: its pages, and the log that belongs to it.

A run that is broken off leaves a write-ahead log beside the file, with everything
that was not folded in yet. Without that log the file is an older state that looks
whole, and a run that trusted it would take its own stories for an editor's.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from cmsmig.errors import CmsmigError, LedgerDamagedError
from cmsmig.ledger.connection import Store, now


def check_pages(store: Store) -> None:
    """Raise `LedgerDamagedError` when the file's structure is not whole."""
    (found,) = store.one("PRAGMA quick_check(1)") or ("",)
    if found != "ok":
        raise LedgerDamagedError(
            f"{store.path} is damaged ({' '.join(str(found).split())}); restore it "
            "from a backup, or run `cmsmig rebuild`, which puts it aside and makes a "
            "new one."
        )


def check_log(store: Store) -> None:
    """Raise `LedgerDamagedError` when a run was broken off and its log is gone."""
    open_runs = "ended_at IS NULL AND outcome IS NULL"
    if store.one(f"SELECT 1 FROM run WHERE {open_runs}") is None:
        return
    mode = store.one("PRAGMA journal_mode")
    # Some network file systems take no such log; then none can be missing.
    if not store.log_found and mode is not None and mode[0] == "wal":
        raise LedgerDamagedError(
            f"{store.path}-wal is missing: the last run was broken off, and what it "
            "did stands in that file; put it back, or run `cmsmig rebuild`, which puts "
            "the ledger aside and makes a new one."
        )
    # The log is read now and will be folded in, so that it may go.
    with store.atomic() as db:
        db.execute(f"UPDATE run SET outcome = 'broken off' WHERE {open_runs}")


def open_run(store: Store, command: str, plan_hash: str) -> int:
    """Write one run row into the file itself and return its number."""
    with store.atomic() as db:
        cursor = db.execute(
            "INSERT INTO run (command, plan_hash, started_at) VALUES (?, ?, ?)",
            (command, plan_hash, now()),
        )
    store.fold_in()
    return int(cursor.lastrowid or 0)


def leave_run(store: Store) -> None:
    """Note that a run which did not end was left in order; never raises."""
    if store.run_id is None:
        return
    with suppress(CmsmigError, sqlite3.Error):
        _leave(store, store.run_id)
        return
    # On a full disk the log's own space is all that there is to write into.
    with suppress(CmsmigError, sqlite3.Error):
        store.fold_in(truncate=True)
        _leave(store, store.run_id)


def _leave(store: Store, run_id: int) -> None:
    with store.atomic() as db:
        db.execute(
            "UPDATE run SET outcome = 'broken off' WHERE id = ? AND outcome IS NULL",
            (run_id,),
        )
