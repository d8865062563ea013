"""SQLite connections that commit the way the ledger promises, and their errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from time import time_ns
from typing import Any, TypeAlias

from cmsmig.errors import (
    LedgerDamagedError,
    LedgerError,
    LedgerLockedError,
    StorageError,
)
from cmsmig.ledger.database_schema import altered, foreign
from cmsmig.printable import printable
from cmsmig.valid_text import is_valid, valid_text

Statement: TypeAlias = "tuple[str, Sequence[object]]"
"""SQL, and the values of its parameters."""
_PATIENT = 10.0
"""Seconds that a process which writes waits for a busy file."""
_BRIEF = 0.2
"""Seconds that a process which only reads waits for it."""


class _Connection(sqlite3.Connection):
    """A connection that takes any text: a lone surrogate becomes U+FFFD.

    Real content has such text, and SQLite refuses it; the ledger keeps
    names and explanations for people, never the content itself.
    """

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run one statement."""
        if not parameters:
            return super().execute(sql)
        return super().execute(sql, _storable(parameters))

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        """Run one statement for each row."""
        return super().executemany(sql, map(_storable, rows))


def _storable(values: Sequence[object]) -> Sequence[object]:
    for each in values:
        if type(each) is str and not each.isascii() and not is_valid(each):
            return tuple(valid_text(v) if isinstance(v, str) else v for v in values)
    return values


class Store:
    """One ledger file through two connections.

    Intents go through a durable one; results through one of their own, which a
    killed process loses nothing of, and whose loss in a power cut is settled
    from the intent.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_id: int | None = None
        """The run that rows are written for."""
        self.log_found = Path(f"{path}-wal").exists()
        """Whether the write-ahead log of an earlier process was there."""
        self._durable = connect(path, durable=True)
        try:
            self._plain = connect(path, durable=False)
        except BaseException:
            self._durable.close()
            raise

    def close(self) -> None:
        """Close both connections."""
        self._plain.close()
        self._durable.close()

    def fold_in(self, *, truncate: bool = False) -> None:
        """Write what the write-ahead log holds into the file itself, if no process
        keeps it from being done; `truncate` gives the log's space back."""
        with translated(self.path):
            mode = "TRUNCATE" if truncate else "PASSIVE"
            self._durable.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()

    def atomic(
        self, *, durable: bool = False
    ) -> AbstractContextManager[sqlite3.Connection]:
        """Run the body as one transaction; anything raised rolls all of it back."""
        return _Transaction(self._durable if durable else self._plain, self.path)

    def commit(self, statements: Iterable[Statement], *, durable: bool = False) -> None:
        """Run statements as one transaction, which none of them may ask about; without
        any, do nothing."""
        rest = iter(statements)
        if first := next(rest, None):
            with self.atomic(durable=durable) as db:
                for each in chain((first,), rest):
                    db.execute(*each)

    def each(
        self, statement: str, values: Sequence[object] = ()
    ) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query, one at a time. Reads only; nothing is to be
        written meanwhile."""
        with translated(self.path):
            yield from self._plain.execute(statement, tuple(values))

    def version(self) -> tuple[int, int, int]:
        """Return what is another whenever the ledger may hold something else, whichever
        process wrote it."""
        with translated(self.path):
            (others,) = self._plain.execute("PRAGMA data_version").fetchone()
        return id(self._plain), self._plain.total_changes, others

    def one(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Row | None:
        """Return the first row of a query, if there is one. Reads only."""
        return next(self.each(statement, values), None)


class SimulatedStore(Store):
    """A ledger whose writes do not reach its file: the first one copies it into
    memory."""

    def __init__(self, store: Store) -> None:
        self.path, self.run_id, self.log_found = store.path, None, False
        self.statements: list[Statement] = []
        """What `commit` wrote, in order. What is written in `atomic` alone is not kept:
        what a plan settles has to go through `commit`."""
        self._durable = self._plain = self._file = store._plain

    def close(self) -> None:
        """Close the copy, if there is one."""
        if self._plain is not self._file:
            self._plain.close()

    def atomic(
        self, *, durable: bool = False
    ) -> AbstractContextManager[sqlite3.Connection]:
        """Run the body as one transaction of the copy."""
        if self._plain is self._file:
            copy = connect(Path(":memory:"), durable=False)
            with translated(self.path):
                self._file.backup(copy)
            self._durable = self._plain = copy
        return super().atomic(durable=durable)

    def commit(self, statements: Iterable[Statement], *, durable: bool = False) -> None:
        """Run statements as one transaction of the copy, and keep them."""
        written = [*statements]
        self.statements += written
        super().commit(written, durable=durable)


def now() -> str:
    """Return the time as the ledger writes it: ISO 8601 in UTC."""
    return _instant(time_ns() // 1_000_000)


@lru_cache(maxsize=1)
def _instant(milliseconds: int) -> str:
    """Return a time as text; one transaction asks for the same several times."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(
        timespec="milliseconds"
    )


def connect(path: Path, *, durable: bool) -> sqlite3.Connection:
    """Open `path` in WAL mode; `durable` commits survive a power cut (FULL).

    A commit that is not durable (NORMAL) survives the process being killed.
    Raises what `translated` raises, and `LedgerError` for a database of another
    program, which is not touched.
    """
    return _open(
        path,
        "PRAGMA journal_mode = WAL",
        f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}",
        "PRAGMA foreign_keys = ON",
    )


def connect_reading(path: Path) -> sqlite3.Connection:
    """Open a ledger for reading while another process writes it; never waits long.

    Raises what `connect` raises.
    """
    return _open(path, reading=True)


def _open(path: Path, *statements: str, reading: bool = False) -> sqlite3.Connection:
    with translated(path):
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro" if reading else path,
            uri=reading,
            isolation_level=None,
            timeout=_BRIEF if reading else _PATIENT,
            factory=_Connection,
        )
        try:
            db.row_factory = sqlite3.Row
            # Before anything is written: the journal's mode marks the file as ours.
            _refuse_foreign(db, path)
            for each in statements:
                db.execute(each)
        except BaseException:
            db.close()
            raise
        return db


def _refuse_foreign(db: sqlite3.Connection, path: Path) -> None:
    if name := altered(db):
        raise LedgerDamagedError(
            f"{path} holds a view or trigger that is not ours ({printable(name)}); "
            "take it out, or run `cmsmig rebuild`, which puts the ledger aside and "
            "makes a new one."
        )
    if foreign(db):
        raise LedgerError(
            f"{path} is a database of another program; move it away and run this again."
        )


def translated(path: Path) -> AbstractContextManager[object]:
    """Turn SQLite's errors in the body into one sentence about `path`.

    Raises `StorageError` for the disk, `LedgerLockedError` for a busy file and
    `LedgerDamagedError` for a damaged one.
    """
    return _Translation(path)


class _Translation(AbstractContextManager["_Translation"]):
    """Not made of a generator, which costs as much as a statement."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise _translation(self._path, error) from error
        if isinstance(error, UnicodeDecodeError):
            # SQLite returns the text of damaged pages unchanged.
            why = "a text in it is no UTF-8"
            raise _make_damage_error(self._path, why) from error


class _Transaction(AbstractContextManager[sqlite3.Connection]):
    """Translates errors too, of the body and its own."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._translation = _Translation(path)

    def __enter__(self) -> sqlite3.Connection:
        with self._translation:
            self._db.execute("BEGIN IMMEDIATE")
        return self._db

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        with self._translation:
            if error is None:
                self._db.execute("COMMIT")
            # A full disk may have ended the transaction already.
            elif self._db.in_transaction:
                self._db.execute("ROLLBACK")
        self._translation.__exit__(kind, error, None)


def _translation(path: Path, error: sqlite3.Error) -> Exception:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return StorageError(
            f"{path} could not be written because the disk is full or failing; free "
            "some space and run this again: it continues where it stopped."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StorageError(
            f"{path} cannot be opened for writing; give this user the right to write "
            "in the project folder."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerLockedError(
            f"Another program keeps {path} busy; close it and run this again."
        )
    return _make_damage_error(path, str(error))


def _make_damage_error(path: Path, why: str) -> LedgerDamagedError:
    return LedgerDamagedError(
        f"{path} is damaged or is not a ledger ({why}); restore it from a backup, "
        "or run `cmsmig rebuild`, which puts it aside and makes a new one."
    )
