"""What is derived from raw answers and decisions, in one SQLite file.

Nothing depends on it: deleting the file costs the time to derive it again. A file that
is damaged or of another version is made anew; one that cannot be opened or written, or
of another program, is left alone and done without.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from cmsmig.plain_file import require_plain

Row: TypeAlias = tuple[Any, ...]

_APPLICATION = 0x636D6472
"""Tells SQLite files of ours from another program's ("cmdr")."""
VERSION = 4
_SCHEMA = """
CREATE TABLE IF NOT EXISTS draft (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL, key TEXT NOT NULL, print TEXT NOT NULL,
    facts BLOB NOT NULL, packed BLOB NOT NULL,
    UNIQUE (namespace, key)) STRICT;
CREATE TABLE IF NOT EXISTS content_hash (
    namespace TEXT NOT NULL, key TEXT NOT NULL, linked INTEGER NOT NULL,
    inputs TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (namespace, key, linked)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file_use (
    key TEXT PRIMARY KEY, print TEXT NOT NULL, uses TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS part (
    name TEXT NOT NULL, number INTEGER NOT NULL, print TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (name, number)) STRICT;
"""
_WAIT_SECONDS = 2.0
T = TypeVar("T")


class DerivedFile:
    """The file, opened when it is first needed; safe to use from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._tried = False

    def one(self, query: str, values: Iterable[str | int] = ()) -> Row | None:
        """Return the first row; None where there is none, or no file to do with."""
        return self._do(lambda db: _first(db.execute(query, tuple(values))))

    def all(self, query: str, values: Iterable[str | int] = ()) -> list[Row]:
        """Return all rows; none where there is no file to do with."""
        return self._do(lambda db: db.execute(query, tuple(values)).fetchall()) or []

    def change(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Let `work` change the file in one transaction."""

        def commit(db: sqlite3.Connection) -> None:
            with db:
                work(db)

        self._do(commit)

    def part(self, name: str, number: int, made_of: str) -> bytes | None:
        """Return a body kept under a name; None where it was made of something else.

        Bodies are numbered from 0; the one after the last is empty.
        """
        row = self.one(
            "SELECT body FROM part WHERE (name, number, print) = (?, ?, ?)",
            (name, number, made_of),
        )
        return None if row is None else bytes(row[0])

    def keep_parts(self, name: str, made_of: str, bodies: Iterable[bytes]) -> None:
        """Keep bodies under a name, in the place of what was there."""
        rows = (
            (name, number, made_of, body)
            for number, body in enumerate(chain(bodies, [b""]))
        )

        def write(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM part WHERE name = ?", (name,))
            db.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)

        self.change(write)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the open file; from the first error on, without it."""
        with self._lock:
            if not self._tried:
                self._tried = True
                self._db = _opened(self._path)
                if self._db is not None:
                    weakref.finalize(self, self._db.close)
            if self._db is None:
                return None
            try:
                return work(self._db)
            except sqlite3.Error:
                with suppress(sqlite3.Error):
                    self._db.close()
                self._db = None
                return None


def _first(cursor: sqlite3.Cursor) -> Row | None:
    found: Row | None = cursor.fetchone()
    return found


def _opened(path: Path) -> sqlite3.Connection | None:
    """Open the file, made anew where it is of no use; None where that fails, too, and
    where the file is another program's."""
    for _ in range(2):
        db: sqlite3.Connection | None = None
        try:
            for end in ("", "-wal", "-shm"):
                require_plain(Path(f"{path}{end}"))
            db = sqlite3.connect(path, timeout=_WAIT_SECONDS, check_same_thread=False)
            _prepare(db)
        except (sqlite3.DatabaseError, OSError) as error:
            if db is not None:
                db.close()
            if not _is_damage(error):
                return None
            _remove(path)
        else:
            return db
    return None


def _prepare(db: sqlite3.Connection) -> None:
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if tables and application != _APPLICATION:
        raise OSError("another program's file")
    if tables and version != VERSION:
        raise sqlite3.DatabaseError("another version")
    # Not flushed: what a power cut takes is made again.
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")
    if not tables:
        db.execute(f"PRAGMA application_id = {_APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.executescript(_SCHEMA)
    for table in ("draft", "content_hash", "file_use", "part"):
        db.execute(f"SELECT * FROM {table} LIMIT 0")


def _is_damage(error: Exception) -> bool:
    """Return whether a file made anew would do; not where somebody else uses it."""
    if isinstance(error, OSError):
        return False
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return code in (
        0,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{end}").unlink(missing_ok=True)
