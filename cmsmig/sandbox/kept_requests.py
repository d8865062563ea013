"""What changed a space, kept in a file: the requests, to be done again in their order.

A space is what its requests made of it. Each is in the file before it is carried out,
so that a killed sandbox loses nothing that it reported to a client.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.errors import CacheError
from cmsmig.sandbox.destination.api import ManagementApi
from cmsmig.sandbox.destination.assets.uploads import UploadHost
from cmsmig.sandbox.http.asgi import Call

_TABLE = """CREATE TABLE IF NOT EXISTS request (
    serial INTEGER PRIMARY KEY, at REAL, method TEXT, path TEXT, raw_path TEXT,
    query TEXT, headers TEXT, body BLOB)"""
_CHANGING_READS = ("/publish", "/unpublish", "/finish_upload")
"""Ends of the paths of GETs that change something."""
_HEADERS = ("content-type", "content-length")
"""What an answer depends on; a token is not among them."""


@dataclass(slots=True)
class RequestClock:
    """One time for all that a request does, so that it can be done again exactly."""

    now: Callable[[], float]
    at: float = 0.0

    def __call__(self) -> float:
        """Return the time of the present request; before the first, the present."""
        return self.at or self.now()


@dataclass(slots=True)
class KeptRequests:
    """The file of one space's requests."""

    path: Path
    clock: RequestClock
    file: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        try:
            # Bytes of clients: no other user may read them.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self.file = sqlite3.connect(self.path, isolation_level=None)
            # It has to outlive the process, not the machine.
            self.file.execute("PRAGMA synchronous = OFF")
            self.file.execute("PRAGMA journal_mode = WAL")
            self.file.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise CacheError(
                f"The sandbox cannot keep its state in {self.path} ({error}); delete "
                "its folder to begin a new rehearsal."
            ) from error

    async def restore(self, api: ManagementApi) -> None:
        """Do again what was done, in an empty space; keep what is done from now on."""
        uploads = UploadHost(api.space)
        for at, call in self._kept():
            self.clock.at = at
            if call.path.startswith("/upload"):
                await uploads.answer(call)
            else:
                api.apply(call)
        api.space.received = self._keep

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def _keep(self, call: Call) -> None:
        self.clock.at = self.clock.now()
        if call.method == "GET" and not call.path.endswith(_CHANGING_READS):
            return
        headers = {k: call.headers[k] for k in _HEADERS if k in call.headers}
        query, said = json.dumps(call.query), json.dumps(headers)
        row = (call.method, call.path, call.raw_path, query, said, call.body)
        statement = "INSERT INTO request VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
        self.file.execute(statement, (self.clock.at, *row))

    def _kept(self) -> Iterator[tuple[float, Call]]:
        columns = "at, method, path, raw_path, query, headers, body"
        for at, method, path, raw_path, query, headers, body in self.file.execute(
            f"SELECT {columns} FROM request ORDER BY serial"
        ):
            asked = tuple((name, value) for name, value in json.loads(query))
            yield at, Call(method, path, raw_path, asked, json.loads(headers), body)
