"""The budget's file: its state and the log of releases, changed one at a time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from cmsmig.errors import StorageError
from cmsmig.plain_file import open_appending, require_plain
from cmsmig.wire.bounds import LONGEST_PAUSE

_Result = TypeVar("_Result")

VERSION = 2
PACE_FLOOR = 0.25
"""The least share of the full rate."""
_FAR = 1e10
"""Seconds that no clock shows; beyond it, fractions of a second get lost."""
_MANY = 2**53
_SLACK = 5.0
"""Seconds by which a pause exceeds what a service asked for, and more."""
_BUSY_MS = 4
"""Short, since SQLite waits inside the event loop; longer waits are the caller's."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS budget (
    one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS release (
    number INTEGER PRIMARY KEY, at REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS under_way (
    number INTEGER PRIMARY KEY, since REAL NOT NULL) STRICT;
"""


def shared_name(key: str) -> str:
    """Return the part of a file's name that all who use one `key` share."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


class BudgetBusyError(StorageError):
    """Another process is changing the budget just now; try again shortly."""


class _DamagedError(Exception):
    """The budget's file is damaged."""


@dataclass(slots=True)
class BudgetState:
    """What all sharers of a budget agree on; times are in the budget's own clock."""

    offset: float = 0.0
    """Added to the machine's clock, so that time never runs backwards."""
    seen: float = 0.0
    """The latest time that anyone saw."""
    released: int = 0
    """The number of the latest release."""
    next_slot: float = 0.0
    """When the next evenly spaced release may be."""
    generation: int = 0
    """Slots reserved under another generation are void."""
    frozen_until: float = 0.0
    frozen_number: int = 0
    """Releases up to this number were sent before the freeze."""
    level: int = 0
    """How many freezes in a row; 0 when requests flow."""
    probe: int = 0
    """The release that finds out whether a freeze is over; 0 when none does."""
    probe_until: float = 0.0
    """Until then it has the word."""
    named: int = 0
    """The limit in the service's last answer; 0 when it names none."""
    learned: int = 0
    """The limit in a 429's body; 0 when none was named."""
    learned_at: float = 0.0
    remaining: int = -1
    """How many calls the service's own window still takes; -1 when it never told."""
    told: float = 0.0
    """When it said so."""
    told_number: int = 0
    """The latest release that it had surely counted by then."""
    began: float = 0.0
    opened: float = 0.0
    """When that window began if nobody else began it, and at the latest."""
    typical: float = 0.0
    """Seconds that half of the answers take at most; 0 before the first."""
    usual: float = 0.0
    """Seconds that nine in ten take at most."""
    pace: float = 1.0
    """1 is the full rate; falls after a 429 and recovers with successes."""


_NAMES = tuple(field.name for field in fields(BudgetState))
_FORM = "{" + ", ".join(f'"{name}": %r' for name in _NAMES) + "}"
_values = attrgetter(*_NAMES)
_KINDS = tuple((field.name, str(field.type)) for field in fields(BudgetState))


class BudgetTransaction:
    """State and log inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, state: BudgetState) -> None:
        self._connection = connection
        self.state = state

    def now(self, clock: float) -> float:
        """Return the budget's time, which stands still when the clock goes back."""
        now = clock + self.state.offset
        if now < self.state.seen:
            self.state.offset += self.state.seen - now
            now = self.state.seen
        self.state.seen = now
        return now

    def record(self, at: float) -> int:
        """Add a release and return its number."""
        self.state.released += 1
        self._connection.execute(
            "INSERT OR REPLACE INTO release (number, at) VALUES (?, ?)",
            (self.state.released, at),
        )
        return self.state.released

    def newest(self, nth: int) -> tuple[float | None, float | None]:
        """Return when the `nth` newest release was, and when the latest."""
        last = self.state.released
        found = dict(
            self._connection.execute(
                "SELECT number, at FROM release WHERE number IN (?, ?)",
                (last - nth + 1, last),
            ).fetchall()
        )
        return found.get(last - nth + 1), found.get(last)

    def move(self, number: int, at: float) -> None:
        """Log a release at another time."""
        self._connection.execute(
            "UPDATE release SET at = ? WHERE number = ?", (at, number)
        )

    def time_of(self, number: int) -> float | None:
        """Return when a release was, None when it is forgotten."""
        found = self._connection.execute(
            "SELECT at FROM release WHERE number = ?", (number,)
        ).fetchone()
        return None if found is None else float(found[0])

    def begin(self, number: int, at: float) -> None:
        """Count a release as under way."""
        self._connection.execute(
            "INSERT OR REPLACE INTO under_way (number, since) VALUES (?, ?)",
            (number, at),
        )

    def end(self, number: int) -> None:
        """Count a release as under way no more."""
        self._connection.execute("DELETE FROM under_way WHERE number = ?", (number,))

    def under_way(self, since: float) -> int:
        """Return how many releases of that time or later are under way."""
        found = self._connection.execute(
            "SELECT count(*) FROM under_way WHERE since >= ?", (since,)
        ).fetchone()
        return int(found[0])

    def forget_future(self) -> None:
        """Drop what is logged for later than anyone has seen: nobody did that."""
        for table, column in (("release", "at"), ("under_way", "since")):
            self._connection.execute(
                f"DELETE FROM {table} WHERE {column} > ?", (self.state.seen,)
            )

    def forget_before(self, time: float, abandoned: float) -> None:
        """Drop the releases that no window can hold, and who was never heard of."""
        self._connection.execute(
            "DELETE FROM release WHERE number < (SELECT number FROM release"
            " WHERE at >= ? ORDER BY number LIMIT 1)",
            (time,),
        )
        self._connection.execute("DELETE FROM under_way WHERE since < ?", (abandoned,))


class BudgetFile:
    """One SQLite file; every change is one `BEGIN IMMEDIATE` transaction.

    A connection never crosses threads or a fork. A damaged file is made anew:
    all that it held is the last minute's history.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = str(path)
        self._translated = _Translated(self._translated_error)
        self._connection: sqlite3.Connection | None = None
        self._opened_as: tuple[int, int, int] = (0, 0, 0)
        self._doubted = True
        """Whether the log may still hold what is yet to come."""
        self._written: tuple[str, BudgetState] | None = None
        """What this process wrote last, as text and as the state that it tells of."""

    def change(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        """Run `work` in a transaction and keep what it did to the book.

        Raises `BudgetBusyError` when another process holds the file, and
        `StorageError` when the disk refuses it.
        """
        try:
            return self._change(work)
        except _DamagedError:
            self._recreate()
        try:
            return self._change(work)
        except _DamagedError:
            raise self._refused("it is damaged and cannot be replaced") from None

    def close(self) -> None:
        """Close the file; the next change opens it again."""
        connection, self._connection = self._connection, None
        # A connection of another thread or of a parent process is not ours to close.
        if connection is not None and self._opened_as[:2] == _thread():
            connection.close()

    def _change(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        with self._translated:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            written, self._written = self._written, None
            try:
                book = BudgetTransaction(connection, _load(connection, written))
                if self._doubted:
                    book.forget_future()
                result = work(book)
                text = _text(book.state)
                connection.execute(
                    "INSERT OR REPLACE INTO budget (one, state) VALUES (1, ?)", (text,)
                )
                connection.execute("COMMIT")
                self._doubted, self._written = False, (text, book.state)
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            return result

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._opened_as == self._identity():
            return self._connection
        self.close()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for end in ("", "-wal", "-shm"):
            require_plain(Path(f"{self.path}{end}"))
        self._doubted = True
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_MS / 1000, isolation_level=None
        )
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._opened_as = self._identity()
        return connection

    def _identity(self) -> tuple[int, int, int]:
        """Tell thread, process and file apart: another sharer may replace the file."""
        try:
            return (*_thread(), os.stat(self._place).st_ino)
        except FileNotFoundError:
            return (*_thread(), 0)

    def _recreate(self) -> None:
        """Replace a damaged file, unless another process has just done so."""
        self.close()
        with self._translated, open_appending(self.path.with_suffix(".lock")) as lock:
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise self._busy() from None
            try:
                _load(self._open(), None)
            except (sqlite3.DatabaseError, _DamagedError):
                self.close()
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _translated_error(self, error: BaseException) -> None:
        """Raise what an error in the body of `_Translated` means, if anything."""
        if isinstance(error, sqlite3.DatabaseError):
            code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise self._busy() from None
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, 1):
                raise _DamagedError from error
            raise self._refused(str(error)) from error
        if isinstance(error, OSError):
            raise self._refused(error.strerror or str(error)) from error

    def _busy(self) -> BudgetBusyError:
        return BudgetBusyError(
            f"The request budget {self.path} is in use by another process."
        )

    def _refused(self, reason: str) -> StorageError:
        return StorageError(
            f"The request budget {self.path} cannot be used ({reason}); delete it, free"
            " the disk or make its folder writable, then run again."
        )


class _Translated:
    """Gives the error that its body raises to a function, which may raise another.

    Not made of a generator: it is entered several times for each request.
    """

    def __init__(self, translate: Callable[[BaseException], None]) -> None:
        self._translate = translate

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if error is not None:
            self._translate(error)


def _thread() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _prepare(connection: sqlite3.Connection) -> None:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version not in (0, VERSION):
        raise _DamagedError
    # Not flushed: a killed process loses nothing, a power cut a minute's history.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    if version == 0:
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _text(state: BudgetState) -> str:
    # Numbers are written in JSON as Python writes them. `asdict` and `dumps` cost as
    # much as all the rest of a change.
    return _FORM % _values(state)


def _load(
    connection: sqlite3.Connection, written: tuple[str, BudgetState] | None
) -> BudgetState:
    """Return the state; what was `written` by this process needs no second look."""
    found = connection.execute("SELECT state FROM budget").fetchone()
    if found is None:
        return BudgetState()
    if written is not None and found[0] == written[0]:
        return written[1]
    try:
        state = BudgetState(**json.loads(found[0]))
    except (ValueError, TypeError, RecursionError):
        raise _DamagedError from None
    if not _possible(state):
        raise _DamagedError
    _disbelieve(state)
    return state


def _possible(state: BudgetState) -> bool:
    """Return whether a budget can have written these values."""
    for name, kind in _KINDS:
        value = getattr(state, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if not -_FAR <= value <= (_MANY if kind == "int" else _FAR):
            return False
        if kind == "int" and not isinstance(value, int):
            return False
    counts = (state.released, state.frozen_number, state.level, state.named)
    paced = PACE_FLOOR <= state.pace <= 1
    return paced and min(*counts, state.learned, state.typical, state.usual) >= 0


def _disbelieve(state: BudgetState) -> None:
    """Cut what is told of the future down to the longest pause that we ever take."""
    latest = state.seen + LONGEST_PAUSE + _SLACK
    state.frozen_until = min(state.frozen_until, latest)
    state.probe_until = min(state.probe_until, latest)
    for name in ("learned_at", "told", "began", "opened"):
        setattr(state, name, min(getattr(state, name), state.seen))
