"""What is derived from raw answers and decisions, in one SQLite file.

Nothing depends on it: deleting the file costs the time to derive it again. A file that
is damaged or of another version is made again; one that cannot be opened or written,
or of another program, is left alone and done without. A damaged row is read as missing.
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

from pydantic import TypeAdapter

from cmsmig.canonical import compact

Row: TypeAlias = tuple[Any, ...]

_APPLICATION = 0x636D6472
"""Tells SQLite files of ours from another program's ("cmdr")."""
VERSION = 11
_SCHEMA = """
CREATE TABLE IF NOT EXISTS draft (
    id INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL, key TEXT NOT NULL, print TEXT NOT NULL,
    record BLOB NOT NULL, body BLOB NOT NULL,
    UNIQUE (namespace, key)) STRICT;
CREATE TABLE IF NOT EXISTS content_hash (
    namespace TEXT NOT NULL, key TEXT NOT NULL, linked INTEGER NOT NULL,
    inputs TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (namespace, key, linked)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS file_use (
    key TEXT PRIMARY KEY, print TEXT NOT NULL, uses TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS part (
    name TEXT NOT NULL, number INTEGER NOT NULL, print TEXT NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (name, number)) STRICT;
CREATE TABLE IF NOT EXISTS scanned_body (
    key TEXT PRIMARY KEY, print TEXT NOT NULL, record BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS edition (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL, print TEXT NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0, decided TEXT NOT NULL DEFAULT '',
    UNIQUE (collection, print)) STRICT;
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY,
    edition INTEGER NOT NULL, item TEXT NOT NULL, locale TEXT NOT NULL,
    name TEXT NOT NULL, sorted TEXT NOT NULL, slug TEXT NOT NULL,
    state TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
    published TEXT NOT NULL, differs INTEGER NOT NULL,
    staged_at INTEGER, staged_length INTEGER, live_at INTEGER, live_length INTEGER,
    bodies INTEGER NOT NULL, losses INTEGER,
    path TEXT NOT NULL DEFAULT '', left_out TEXT NOT NULL DEFAULT '',
    UNIQUE (edition, item, locale)) STRICT;
CREATE INDEX IF NOT EXISTS entry_item ON entry (item);
CREATE INDEX IF NOT EXISTS entry_name ON entry (edition, locale, sorted);
CREATE INDEX IF NOT EXISTS entry_slug ON entry (edition, locale, slug);
CREATE TABLE IF NOT EXISTS cell (
    entry INTEGER NOT NULL, field TEXT NOT NULL, ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL, facet TEXT NOT NULL, shown TEXT NOT NULL, number REAL,
    cause TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (entry, field, ordinal)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS cell_facet ON cell (facet) WHERE facet <> '';
CREATE INDEX IF NOT EXISTS cell_cause ON cell (cause) WHERE cause <> '';
CREATE TABLE IF NOT EXISTS searched (
    entry INTEGER NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (entry, field)) STRICT;
CREATE TABLE IF NOT EXISTS held_file (
    entry INTEGER NOT NULL, field TEXT NOT NULL, ordinal INTEGER NOT NULL,
    address TEXT NOT NULL, alt TEXT NOT NULL, picture INTEGER NOT NULL,
    sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    PRIMARY KEY (entry, field, ordinal)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS file_size ON held_file (size);
CREATE TABLE IF NOT EXISTS noticed (
    entry INTEGER NOT NULL, finding TEXT NOT NULL, field TEXT NOT NULL,
    times INTEGER NOT NULL, what TEXT NOT NULL, place TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (entry, finding, field)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS noticed_finding ON noticed (finding);
"""
_TABLES = (
    "draft", "content_hash", "file_use", "part", "scanned_body",
    "edition", "entry", "cell", "searched", "held_file", "noticed",
)  # fmt: skip
_WAIT_SECONDS = 2.0
T = TypeVar("T")


class DerivedFile:
    """The file, opened when it is first needed; safe to use from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._tried = False

    def one(
        self, query: str, values: Iterable[str | int | float | None] = ()
    ) -> Row | None:
        """Return the first row; None where there is none, or no file to do with."""
        found: Row | None
        found = self._do(lambda db: db.execute(query, tuple(values)).fetchone())
        return found

    def all(
        self, query: str, values: Iterable[str | int | float | None] = ()
    ) -> list[Row]:
        """Return all rows; none where there is no file to do with."""
        return self._do(lambda db: db.execute(query, tuple(values)).fetchall()) or []

    def change(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Let `work` change the file in one transaction."""

        def commit(db: sqlite3.Connection) -> None:
            with db:
                work(db)

        self._do(commit)

    def derive(
        self, name: str, made_of: str, codec: TypeAdapter[T], find: Callable[[], T]
    ) -> T:
        """Return what is kept under a name, if it was made of the same; else what
        `find` returns, which is kept."""
        if body := self.part(name, 0, made_of):
            # Another release may have written that.
            with suppress(ValueError):
                return codec.validate_json(body)
        found = find()
        body = compact(codec.dump_python(found, mode="json"))
        self.keep_parts(name, made_of, [body])
        return found

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
            db.executemany(
                "INSERT INTO part (name, number, print, body) VALUES (?, ?, ?, ?)", rows
            )

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


def _opened(path: Path) -> sqlite3.Connection | None:
    """Open the file, made again where it is of no use; None where that fails, too, and
    where the file is another program's."""
    for _ in range(2):
        db: sqlite3.Connection | None = None
        try:
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
        # At once: another process may do the same.
        db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")
    for table in _TABLES:
        db.execute(f"SELECT * FROM {table} LIMIT 0")


def _is_damage(error: Exception) -> bool:
    """Return whether the file may be made again; not while another process uses it."""
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
