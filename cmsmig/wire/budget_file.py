"""The budget's file: its state and the log of releases, changed one at a time."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter

from cmsmig.errors import StorageError
from cmsmig.wire.bounds import LONGEST_PAUSE

_Result = TypeVar("_Result")

VERSION = 3
PACE_FLOOR = 0.25
"""The least share of the full rate."""
_FAR = 1e10
"""Seconds that no clock shows; beyond it, fractions of a second get lost."""
_Seconds: TypeAlias = Annotated[float, Field(ge=-_FAR, le=_FAR)]
_Length: TypeAlias = Annotated[float, Field(ge=0, le=_FAR)]
_Count: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]
_SLACK = 5.0
"""Seconds by which a pause exceeds what a service asked for, and more."""
_BUSY_MS = 4
"""Short, since SQLite waits inside the event loop; longer waits are the caller's."""
_ENDS = ("", "-wal", "-shm")
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGE = (0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS budget (
    one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS release (
    number INTEGER PRIMARY KEY, at REAL NOT NULL) STRICT;
"""


def shared_name(key: str) -> str:
    """Return the part of a file's name that all who use one `key` share."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]


class BudgetBusyError(StorageError):
    """Another process is changing the budget just now; try again shortly."""


@dataclass(slots=True)
class BudgetState:
    """What all sharers of a budget agree on; times are in the budget's own clock.

    A budget writes no other values than these types hold.
    """

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    offset: _Seconds = 0.0
    """Added to the machine's clock, so that time never runs backwards."""
    seen: _Seconds = 0.0
    """The latest time that anyone saw."""
    released: _Count = 0
    """The number of the latest release."""
    in_flight: dict[_Count, _Seconds] = field(default_factory=dict)
    """When each release in flight was, by its number."""
    next_slot: _Seconds = 0.0
    """When the next evenly spaced release may be."""
    generation: _Count = 0
    """Slots reserved under another generation are void."""
    frozen_until: _Seconds = 0.0
    frozen_number: _Count = 0
    """Releases up to this number were sent before the freeze."""
    level: _Count = 0
    """How many freezes in a row; 0 when requests flow."""
    probe: _Count = 0
    """The release that finds out whether a freeze is over; 0 when none does."""
    probe_until: _Seconds = 0.0
    """Until then it has the word."""
    named: _Count = 0
    """The limit in the service's last answer; 0 when it names none."""
    learned: _Count = 0
    """The limit in a 429's body; 0 when none was named."""
    learned_at: _Seconds = 0.0
    remaining: int = -1
    """How many calls the service's own window still takes; -1 when it never said."""
    told: _Seconds = 0.0
    """When it said that."""
    told_number: int = 0
    """The latest release that it had surely counted by then."""
    began: _Seconds = 0.0
    opened: _Seconds = 0.0
    """When that window began if no other client began it, and at the latest."""
    typical: _Length = 0.0
    """Seconds that half of the answers take at most; 0 before the first."""
    usual: _Length = 0.0
    """Seconds that nine in ten take at most."""
    pace: Annotated[float, Field(ge=PACE_FLOOR, le=1)] = 1.0
    """1 is the full rate; falls after a 429 and recovers with successes."""


_STATE = TypeAdapter(BudgetState)


class BudgetTransaction:
    """State and log inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, state: BudgetState) -> None:
        self._connection = connection
        self.state = state

    def now(self, clock: float) -> float:
        """Return the budget's time, which stops while the clock is behind it."""
        now = clock + self.state.offset
        if now < self.state.seen:
            self.state.offset += self.state.seen - now
            now = self.state.seen
        self.state.seen = now
        return now

    def begin(self, at: float) -> int:
        """Count one more release as in flight and return its number."""
        self.state.released += 1
        self.state.in_flight[self.state.released] = at
        return self.state.released

    def log(self, number: int, at: float) -> None:
        """Add a release to the log."""
        self._connection.execute(
            "INSERT OR REPLACE INTO release VALUES (?, ?)", (number, at)
        )

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
        if number in self.state.in_flight:
            self.state.in_flight[number] = at
        self._connection.execute(
            "UPDATE release SET at = ? WHERE number = ?", (at, number)
        )

    def time_of(self, number: int) -> float | None:
        """Return when a release was that is in flight, else None."""
        return self.state.in_flight.get(number)

    def end(self, number: int) -> None:
        """Count a release as in flight no more."""
        self.state.in_flight.pop(number, None)

    def in_flight(self, since: float) -> int:
        """Return how many releases are in flight; those before that time never ended
        and are dropped."""
        found = self.state.in_flight.items()
        self.state.in_flight = {number: at for number, at in found if at >= since}
        return len(self.state.in_flight)

    def forget_before(self, time: float) -> None:
        """Drop the releases that no window can hold."""
        self._connection.execute("DELETE FROM release WHERE at < ?", (time,))


class BudgetFile:
    """One SQLite file; every change is one `BEGIN IMMEDIATE` transaction.

    A connection never crosses threads or a fork. A damaged file is replaced:
    all that it held is the last minute's history.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._opened_as: tuple[int, int, int] = (0, 0, 0)
        self._notes: list[Callable[[BudgetTransaction], object]] = []
        self._written: tuple[str, BudgetState] | None = None
        """What this process wrote last, as text and as the state that it holds."""

    def note(self, work: Callable[[BudgetTransaction], object]) -> None:
        """Have `work` run within the next change, before it."""
        self._notes.append(work)

    def write_notes(self) -> None:
        """Run what was noted, if anything; raises what `change` raises."""
        if self._notes:
            self.change(lambda book: None)

    def change(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        """Run `work` in a transaction and keep what it did to the book.

        Raises `BudgetBusyError` when another process holds the file, and
        `StorageError` when the disk refuses it.
        """
        try:
            try:
                return self._change(work)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._recreate()
                return self._change(work)
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._translated(error) from error

    def close(self) -> None:
        """Close the file; the next change opens it again."""
        connection, self._connection = self._connection, None
        # A connection of another thread or of a parent process is not ours to close.
        if connection is not None and self._opened_as[:2] == _thread():
            connection.close()

    def _change(self, work: Callable[[BudgetTransaction], _Result]) -> _Result:
        connection, notes = self._open(), tuple(self._notes)
        written, self._written = self._written, None
        connection.execute("BEGIN IMMEDIATE")
        try:
            book = BudgetTransaction(connection, _load(connection, written))
            for note in notes:
                note(book)
            result = work(book)
            text = _STATE.dump_json(book.state).decode()
            connection.execute(
                "INSERT OR REPLACE INTO budget (one, state) VALUES (1, ?)", (text,)
            )
            connection.execute("COMMIT")
            self._written = text, book.state
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        del self._notes[: len(notes)]
        return result

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._opened_as == self._identity():
            return self._connection
        self.close()
        self.path.parent.mkdir(parents=True, exist_ok=True)
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
            return (*_thread(), os.stat(self.path).st_ino)
        except FileNotFoundError:
            return (*_thread(), 0)

    def _recreate(self) -> None:
        """Replace a damaged file, unless another process has just done so."""
        self.close()
        with self.path.with_suffix(".lock").open("ab") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                _load(self._open(), None)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self.close()
                for end in _ENDS:
                    Path(f"{self.path}{end}").unlink(missing_ok=True)

    def _translated(self, error: sqlite3.DatabaseError | OSError) -> StorageError:
        if isinstance(error, BlockingIOError) or _code(error) in _BUSY:
            return BudgetBusyError(
                f"The request budget {self.path} is in use by another process."
            )
        reason = getattr(error, "strerror", None) or str(error)
        if _is_damage(error):
            reason = "it is damaged and cannot be replaced"
        return StorageError(
            f"The request budget {self.path} cannot be used ({reason}); delete it, free"
            " the disk or make its folder writable, then run again."
        )


def _thread() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _code(error: Exception) -> int:
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _is_damage(error: Exception) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and _code(error) in _DAMAGE


def _prepare(connection: sqlite3.Connection) -> None:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version not in (0, VERSION):
        raise sqlite3.DatabaseError("another version")
    # Not flushed: a killed process loses nothing, a power cut a minute's history.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    if version == 0:
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    # No process logs what is later than any of them has seen.
    seen = "(SELECT json_extract(state, '$.seen') FROM budget)"
    connection.execute(f"DELETE FROM release WHERE at > {seen}")


def _load(
    connection: sqlite3.Connection, written: tuple[str, BudgetState] | None
) -> BudgetState:
    found = connection.execute("SELECT state FROM budget").fetchone()
    if found is None:
        return BudgetState()
    if written is not None and written[0] == found[0]:
        return written[1]
    try:
        state = _STATE.validate_json(found[0])
    except ValueError:
        raise sqlite3.DatabaseError("no state of a budget") from None
    # The file may name no pause that is longer than the longest we ever take.
    latest = state.seen + LONGEST_PAUSE + _SLACK
    state.frozen_until = min(state.frozen_until, latest)
    state.probe_until = min(state.probe_until, latest)
    found = state.in_flight.items()
    state.in_flight = {number: at for number, at in found if at <= state.seen}
    for name in ("learned_at", "told", "began", "opened"):
        setattr(state, name, min(getattr(state, name), state.seen))
    return state
