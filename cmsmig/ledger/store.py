"""The ledger: each item's story record, the intents, and the results.

A run that is broken off leaves a write-ahead log next to the file, with everything that
was not folded in yet. Without that log the file is an older state that looks whole, and
a run that trusted it would take its own stories for an editor's.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from cmsmig.canonical import JsonObject
from cmsmig.errors import (
    CmsmigError,
    InterruptedRunError,
    LedgerDamagedError,
    LedgerError,
)
from cmsmig.ledger import database_schema
from cmsmig.ledger.connection import SimulatedStore, Statement, Store, now
from cmsmig.ledger.gone_items import GoneItems
from cmsmig.ledger.intents import Intents
from cmsmig.ledger.inventory import Inventory
from cmsmig.ledger.items import Items
from cmsmig.ledger.loss_rows import Findings
from cmsmig.ledger.rows import Identity, Intent, ItemRow
from cmsmig.ledger.stored_bodies import load_body
from cmsmig.ledger.tables import Rows

_NAMESPACE = uuid.UUID("5b0c6a39-9c5c-5f4e-8f3b-3f7a6f0a2d11")
"""Root of every derived `_uid` and external id; must never change."""
_RUN = Rows("run", "id = ?")

_SHORTEST_HASH = 8


def derived_namespace(site_id: str, space_id: str) -> str:
    """Return the UUID that block ids of this site in this space derive from.

    It depends on nothing else, so a rebuilt ledger knows its own stories.
    """
    return str(uuid.uuid5(_NAMESPACE, f"{site_id} -> {space_id}"))


class Ledger:
    """The ledger of one project. Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.intents = Intents(store)
        self.items = Items(store)
        self.gone = GoneItems(store)
        self.inventory = Inventory(store)
        self.findings = Findings(store)

    @classmethod
    def open(cls, path: Path, identity: Identity) -> Ledger:
        """Open or make the ledger at `path` for `identity`.

        Raises `LedgerDamagedError` when it is not whole, and `LedgerError` when it
        is of a newer version or belongs to another program, site or space.
        """
        return cls(_open(path, identity))

    @classmethod
    def open_existing(cls, path: Path) -> Ledger:
        """Open a ledger whatever it belongs to. Raises `LedgerError` without one."""
        if not path.exists():
            raise LedgerError(
                f"There is no ledger at {path} yet; `cmsmig plan` makes the first."
            )
        return cls(_open(path))

    def close(self) -> None:
        """Close the file."""
        _leave_run(self._store)
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def simulated(self) -> SimulatedLedger:
        """Return this ledger, to see what would be if something was written: writes
        go to a copy in memory."""
        return SimulatedLedger(self, SimulatedStore(self._store))

    def adopt(self, statements: Iterable[Statement]) -> None:
        """Write, all at once, what was written into a simulated ledger."""
        self._store.commit(statements, durable=True)

    def intended(self, kind: str) -> Iterator[tuple[Intent, ItemRow | None]]:
        """Yield the open intents of a kind with the rows of their items. Reads only."""
        if intents := self.intents.open(kind):
            rows = {str(key): row for key, row in self.items.all().items()}
            for each in intents:
                yield each, rows.get(each.subject)

    def is_unused(self) -> bool:
        """Return whether nothing was ever asked of a destination. Reads only."""
        return _is_unused(self._store)

    def site_id(self) -> str:
        """Return the site that this ledger belongs to; empty while to none. Reads
        only."""
        row = self._store.one("SELECT value FROM meta WHERE key = 'site'")
        return "" if row is None else str(row["value"])

    def begin_run(self, command: str, plan_hash: str = "") -> int:
        """Write one run row and return its number."""
        self._store.run_id = _open_run(self._store, command, plan_hash)
        return self._store.run_id

    def end_run(self, outcome: str) -> None:
        """Write how the current run ended."""
        ended = _RUN.change((self._store.run_id,), ended_at=now(), outcome=outcome)
        self._store.commit([ended])

    @contextmanager
    def run(self, command: str, plan_hash: str = "") -> Iterator[None]:
        """Write one run row for the body, and how that ended."""
        self.begin_run(command, plan_hash)
        try:
            yield
        except InterruptedRunError:
            self.end_run("stopped")
            raise
        except CmsmigError as error:
            self.end_run(f"failed: {error}")
            raise
        self.end_run("done")

    def was_run(self, plan_hash: str, *commands: str) -> bool:
        """Return whether a run of this plan by one of these commands came to its end:
        what is still missing was refused. Reads only."""
        marks = ", ".join("?" * len(commands))
        query = f"""SELECT 1 FROM run WHERE plan_hash = ? AND outcome = 'done'
                    AND command IN ({marks})"""
        return self._store.one(query, (plan_hash, *commands)) is not None

    def save_plan(self, plan_hash: str, body: JsonObject) -> None:
        """Store a plan under its hash; the same plan again only renews it."""
        plan = (plan_hash, now(), json.dumps(body, sort_keys=True))
        self._store.commit([("INSERT OR REPLACE INTO plan VALUES (?, ?, ?)", plan)])

    def only_pilots(self) -> bool:
        """Return whether parts of what is selected were imported, and never all of
        it. Reads only."""
        row = self._store.one(
            """SELECT count(json_extract(plan.body, '$.pilot')) AS pilots,
                   count(*) AS runs
               FROM run JOIN plan ON plan.hash = run.plan_hash"""
        )
        return row is not None and 0 < int(row["pilots"]) == int(row["runs"])

    def plan(self, plan_hash: str) -> JsonObject | None:
        """Return the stored plan whose hash starts with `plan_hash`; the newest for
        an empty one. Reads only."""
        return self._plan_part("body", (), plan_hash)

    def named_plan(self, plan_hash: str) -> JsonObject | None:
        """Return the stored plan that a person names. Fewer digits than eight may name
        another by chance. Reads only."""
        return self.plan(plan_hash) if len(plan_hash) >= _SHORTEST_HASH else None

    def newest_plan_part(self, name: str) -> JsonObject | None:
        """Return the object under a name in the newest plan, if there is one, without
        reading the rest: a plan names each of its items. Reads only."""
        return self._plan_part("json_extract(body, ?)", (f'$."{name}"',), "")

    def _plan_part(
        self, part: str, values: Sequence[str], start: str
    ) -> JsonObject | None:
        # Sorted without the bodies, each of which SQLite would hold for that.
        query = f"""SELECT {part} FROM plan WHERE hash = (SELECT hash FROM plan
                    WHERE substr(hash, 1, ?) = ? ORDER BY made_at DESC LIMIT 1)"""
        row = self._store.one(query, (*values, len(start), start))
        return load_body(row[0]) if row is not None and row[0] else None


class SimulatedLedger(Ledger):
    """A ledger whose writes go to a copy in memory."""

    def __init__(self, ledger: Ledger, store: SimulatedStore) -> None:
        super().__init__(store)
        self.items.as_read_by(ledger.items)
        self.inventory.as_read_by(ledger.inventory)
        self.statements: Sequence[Statement] = store.statements
        """What was written into it, for `Ledger.adopt`."""

    def is_as(self, ledger: Ledger) -> bool:
        """Return whether it holds what a ledger holds. Reads only."""
        return self._store.version() == ledger._store.version()


def _open(path: Path, identity: Identity | None = None) -> Store:
    store = Store(path)
    try:
        _require_schema(store)
        _check_log(store)
        if identity is not None:
            _claim(store, identity)
    except BaseException:
        store.close()
        raise
    return store


def _require_schema(store: Store) -> None:
    _check_pages(store)
    with store.atomic(durable=True) as db:
        # Asked within the transaction: another process may make the same ledger.
        found = database_schema.number_of(db)
        if found is None:
            database_schema.create(db)
        elif found != database_schema.NUMBER:
            raise LedgerDamagedError(
                f"{store.path} was written by another version of this tool (schema "
                f"{found}, this one has {database_schema.NUMBER}); run "
                "`cmsmig rebuild`, which puts it aside and makes a new one."
            )


def _claim(store: Store, identity: Identity) -> None:
    wanted = {
        "site": identity.site_id,
        "space": identity.space_id,
        "base_url": identity.base_url,
    }
    with store.atomic(durable=True) as db:
        known = dict(db.execute("SELECT key, value FROM meta").fetchall())
        for key, value in wanted.items():
            if key not in known or _same(key, known[key], value):
                continue
            if not _is_unused(store):
                raise _elsewhere(store.path, key, known[key], value)
            # A plan with a wrong id in the settings must not bind it for good.
            for table in ("meta", "item", "plan", "loss"):
                db.execute(f"DELETE FROM {table}")
        for key, value in wanted.items():
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _same(key: str, known: str, wanted: str) -> bool:
    """Return whether two values name one thing; of an address the host counts."""
    if key == "base_url":
        return _host(known) == _host(wanted)
    return known == wanted


def _host(base_url: str) -> str:
    """Return the host of an address, with its port where that is not the scheme's.

    Two sandboxes on one machine differ in the port alone.
    """
    parts = urlsplit(base_url)
    port = parts.port
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    return f"{parts.hostname}" if port in (None, usual) else f"{parts.hostname}:{port}"


def _elsewhere(path: Path, key: str, known: str, wanted: str) -> LedgerError:
    if key == "base_url":
        return LedgerError(
            f"{path} belongs to the destination at {_host(known)}, but the settings "
            f"name {_host(wanted)}; use another project folder for another "
            "destination, or correct destination_base_url."
        )
    return LedgerError(
        f"{path} belongs to {key} {known}, but the settings name {key} {wanted}; use "
        f"another project folder for another {key}."
    )


def _is_unused(store: Store) -> bool:
    tables = ("intent", "story_record", "asset", "made")
    return all(store.one(f"SELECT 1 FROM {name}") is None for name in tables)


def _check_pages(store: Store) -> None:
    """Raise `LedgerDamagedError` when the file's structure is not whole."""
    (found,) = store.one("PRAGMA quick_check(1)") or ("",)
    if found != "ok":
        raise LedgerDamagedError(
            f"{store.path} is damaged ({' '.join(str(found).split())}); restore it "
            "from a backup, or run `cmsmig rebuild`, which puts it aside and makes a "
            "new one."
        )


def _check_log(store: Store) -> None:
    """Raise `LedgerDamagedError` when a run was broken off and its log is gone."""
    open_runs = "ended_at IS NULL AND outcome IS NULL"
    if store.one(f"SELECT 1 FROM run WHERE {open_runs}") is None:
        return
    mode = store.one("PRAGMA journal_mode")
    # Some network file systems take no such log; then none can be missing.
    if not store.log_found and mode is not None and mode[0] == "wal":
        raise LedgerDamagedError(
            f"{store.path}-wal is missing: the last run was broken off, and that file "
            "holds what it did; put it back, or run `cmsmig rebuild`, which puts the "
            "ledger aside and makes a new one."
        )
    # The log is read now and will be folded in, so that it may go.
    with store.atomic() as db:
        db.execute(f"UPDATE run SET outcome = 'broken off' WHERE {open_runs}")


def _open_run(store: Store, command: str, plan_hash: str) -> int:
    """Write one run row into the file itself and return its number."""
    with store.atomic() as db:
        cursor = db.execute(
            "INSERT INTO run (command, plan_hash, started_at) VALUES (?, ?, ?)",
            (command, plan_hash, now()),
        )
    store.fold_in()
    return int(cursor.lastrowid or 0)


def _leave_run(store: Store) -> None:
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
