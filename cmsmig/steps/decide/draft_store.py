"""Drafts on disk: what an item became is made once, and read again by every step.

Nothing depends on it: deleting the file costs the time to make it again. A file that
is damaged, of another version or that cannot be written is done without.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.kept_draft import DraftFacts, KeptDraft
from cmsmig.plain_file import require_plain

_APPLICATION = 0x636D6472
"""Tells SQLite files of ours from another program's ("cmdr", cmsmig drafts)."""
VERSION = 2
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
"""
_AT_ONCE = 200
"""Drafts that are written in one transaction."""
_WAIT_SECONDS = 2.0


class DraftStore:
    """The drafts of one site and space in a file; safe to use from any thread."""

    def __init__(self, path: Path, namespace: str) -> None:
        self._namespace = namespace
        self._waiting: dict[str, tuple[str, KeptDraft]] = {}
        self._hashes: dict[tuple[str, bool], tuple[str, str]] = {}
        self._lock = threading.Lock()
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._tried = False

    def facts(self, key: ItemKey, made_of: str) -> DraftFacts | None:
        """Return what is known of an item's draft, if it was made of the same."""
        if (waiting := self._held(key, made_of)) is not None:
            return waiting.facts
        row = self._row("facts", key, made_of)
        return None if row is None else _facts(row[0])

    def draft(self, key: ItemKey, made_of: str) -> KeptDraft | None:
        """Return an item's draft, if it was made of the same."""
        if (waiting := self._held(key, made_of)) is not None:
            return waiting
        row = self._row("facts, packed", key, made_of)
        facts = None if row is None else _facts(row[0])
        if row is None or facts is None:
            return None
        found = KeptDraft(facts, row[1])
        return found if found.is_whole() else None

    def keep(self, made_of: str, draft: KeptDraft) -> None:
        """Keep a draft; it is on disk after the next `flush` at the latest."""
        with self._lock:
            self._waiting[str(draft.facts.key)] = (made_of, draft)
            if len(self._waiting) >= _AT_ONCE:
                self._write()

    def content_hash(self, key: ItemKey, inputs: str, *, linked: bool) -> str | None:
        """Return the hash of content that was computed last, if of the same inputs."""
        waiting = self._hashes.get((str(key), linked))
        if waiting is None:
            waiting = self._one(
                "SELECT inputs, hash FROM content_hash"
                " WHERE (namespace, key, linked) = (?, ?, ?)",
                (self._namespace, str(key), linked),
            )
        return str(waiting[1]) if waiting and waiting[0] == inputs else None

    def keep_content_hash(
        self, key: ItemKey, inputs: str, found: str, *, linked: bool
    ) -> None:
        """Keep the hash of content; it is on disk after the next `flush`."""
        with self._lock:
            self._hashes[(str(key), linked)] = (inputs, found)
            if len(self._hashes) >= _AT_ONCE:
                self._write()

    def flush(self) -> None:
        """Write what is waiting."""
        with self._lock:
            self._write()

    def _held(self, key: ItemKey, made_of: str) -> KeptDraft | None:
        found, draft = self._waiting.get(str(key), ("", None))
        return draft if found == made_of else None

    def _row(self, columns: str, key: ItemKey, made_of: str) -> tuple[Any, ...] | None:
        return self._one(
            f"SELECT {columns} FROM draft WHERE (namespace, key, print) = (?, ?, ?)",
            (self._namespace, str(key), made_of),
        )

    def _one(
        self, query: str, values: tuple[str | bool, ...]
    ) -> tuple[Any, ...] | None:
        with self._lock, self._without_errors():
            db = self._opened()
            if db is not None:
                found: tuple[Any, ...] | None = db.execute(query, values).fetchone()
                return found
        return None

    def _opened(self) -> sqlite3.Connection | None:
        """Open the file when it is first needed, and once."""
        if not self._tried:
            self._tried = True
            self._db = _opened(self._path)
            if self._db is not None:
                weakref.finalize(self, self._db.close)
        return self._db

    def _write(self) -> None:
        drafts, self._waiting = self._waiting, {}
        hashes, self._hashes = self._hashes, {}
        with self._without_errors():
            db = self._opened() if drafts or hashes else None
            if db is None:
                return
            db.executemany(
                "INSERT OR REPLACE INTO draft"
                " (namespace, key, print, facts, packed) VALUES (?, ?, ?, ?, ?)",
                [
                    (self._namespace, key, made_of, each.facts.as_bytes(), each.packed)
                    for key, (made_of, each) in drafts.items()
                ],
            )
            db.executemany(
                "INSERT OR REPLACE INTO content_hash VALUES (?, ?, ?, ?, ?)",
                [(self._namespace, *named, *found) for named, found in hashes.items()],
            )
            db.commit()

    @contextmanager
    def _without_errors(self) -> Iterator[None]:
        """Do without the file from the first error on."""
        try:
            yield
        except sqlite3.Error:
            if self._db is not None:
                with suppress(sqlite3.Error):
                    self._db.close()
            self._db = None


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
    db.execute("SELECT namespace, key, print, facts, packed FROM draft LIMIT 0")


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


def _facts(kept: bytes) -> DraftFacts | None:
    """Return kept facts; None for what nobody wrote."""
    try:
        return DraftFacts.of(kept)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
