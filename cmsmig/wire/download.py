"""Downloads of other people's files: public addresses only, never too much."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias
from urllib.parse import urljoin

from cmsmig.errors import FieldProblem, UnreachableError
from cmsmig.wire.addresses import (
    Refusal,
    Resolver,
    Target,
    reachable,
    refuse,
    target,
)
from cmsmig.wire.answers import bare
from cmsmig.wire.failures import delay_before

_HOPS = 6
_TRIES = 4
_REDIRECTS = (301, 302, 303, 307, 308)


class BrokenTransferError(Exception):
    """The transport failed; the text says how."""

    def __init__(self, reason: str, *, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.timed_out = timed_out


@dataclass(frozen=True, slots=True)
class Fetched:
    """The outcome of a download."""

    status: int
    """Of the last hop; nothing was written unless it is a 2xx."""
    content_type: str
    """In lower case, without parameters; empty when the host names none."""
    size: int
    sha256: str
    """Of what was written; empty when nothing was."""


class Stream(Protocol):
    """An answer whose body is still to come."""

    @property
    def status(self) -> int:
        """Return the status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers, keys in lower case."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body; raises `BrokenTransferError`."""
        ...


Opener: TypeAlias = Callable[
    [Target, tuple[str, ...]], AbstractAsyncContextManager[Stream]
]
"""Opens an address at one of its numeric addresses; raises `BrokenTransferError`."""


@dataclass(frozen=True, slots=True)
class Download:
    """One download; every hop's address is checked before it is asked for."""

    url: str
    max_bytes: int
    allow_private: bool
    """Whether the host of `url` itself may be a private one, at its port."""
    write: Callable[[bytes], None]
    open: Opener
    resolve: Resolver | None
    sleep: Callable[[float], Awaitable[object]]
    random: Callable[[], float]
    timeout: float
    """Seconds for one try, all hops and bytes included."""
    restart: Callable[[], None] | None = None
    """Takes back what `write` was given, so that a cut transfer can begin anew."""

    async def run(self) -> Fetched:
        """Return the outcome; raises `RejectedError` and `UnreachableError`.

        It is tried again as long as no byte was handed on, or can be taken back.
        """
        attempt = 1
        while True:
            copy = _Copy(self.write, self.max_bytes)
            fetched, reason = await self._try(copy)
            if fetched is not None and not _passing(fetched.status):
                return fetched
            kept = copy.size > 0 and self.restart is None
            if kept or attempt == _TRIES:
                if fetched is not None:
                    return fetched
                raise self._unreachable(reason, timed_out=copy.timed_out)
            if copy.size and self.restart is not None:
                self.restart()
            attempt += 1
            await self.sleep(delay_before(attempt, self.random))

    async def _try(self, copy: _Copy) -> tuple[Fetched | None, str]:
        try:
            async with asyncio.timeout(self.timeout):
                return await self._follow(copy), ""
        except BrokenTransferError as error:
            copy.timed_out = error.timed_out
            return None, str(error)
        except TimeoutError:
            copy.timed_out = True
            return None, f"it took longer than {self.timeout:g} seconds"
        except OSError as error:
            if copy.failed:
                raise
            return None, error.strerror or str(error)

    async def _follow(self, copy: _Copy) -> Fetched:
        aim = target(self.url)
        allowed = (aim.host, aim.port) if self.allow_private else None
        for _ in range(_HOPS):
            places = await reachable(aim, allowed=allowed, resolve=self.resolve)
            async with self.open(aim, places) as stream:
                onward = stream.headers.get("location")
                if stream.status not in _REDIRECTS or not onward:
                    return await self._take(aim, stream, copy)
            aim = _next(aim, onward)
        raise refuse(
            Refusal.REDIRECTS,
            self.url,
            f"{bare(self.url)} redirects without end; correct it in the origin.",
        )

    async def _take(self, aim: Target, stream: Stream, copy: _Copy) -> Fetched:
        kind = stream.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not 200 <= stream.status < 300:
            return Fetched(stream.status, kind, 0, "")
        announced = stream.headers.get("content-length", "")
        encoded = stream.headers.get("content-encoding", "identity") != "identity"
        if announced.isascii() and announced.isdigit() and not encoded:
            copy.check(int(announced), aim)
        async for chunk in stream.chunks():
            copy.check(copy.size + len(chunk), aim)
            copy.add(chunk)
        return Fetched(stream.status, kind, copy.size, copy.digest())

    def _unreachable(self, reason: str, *, timed_out: bool) -> UnreachableError:
        code = "timeout" if timed_out else "unreachable"
        return UnreachableError(
            f"The file {bare(self.url)} cannot be downloaded ({reason}); check it in a"
            " browser, then run again.",
            service="files",
            method="GET",
            url=bare(self.url),
            problems=(FieldProblem(code, reason),),
        )


class _Copy:
    """Counts and hashes what is handed on."""

    def __init__(self, write: Callable[[bytes], None], max_bytes: int) -> None:
        self._write = write
        self._max_bytes = max_bytes
        self._hash = hashlib.sha256()
        self.size = 0
        self.timed_out = False
        self.failed = False
        """Whether it was the receiver that failed, and not the network."""

    def check(self, size: int, aim: Target) -> None:
        if size > self._max_bytes:
            raise refuse(
                Refusal.TOO_LARGE,
                aim.url,
                f"The file {bare(aim.url)} is larger than {self._max_bytes} bytes;"
                " raise the limit in the settings or make the file smaller.",
            )

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self._hash.update(chunk)
        try:
            self._write(chunk)
        except OSError:
            self.failed = True
            raise

    def digest(self) -> str:
        return self._hash.hexdigest()


def _next(aim: Target, location: str) -> Target:
    try:
        return target(urljoin(aim.url, location))
    except ValueError:
        return target(location)


def _passing(status: int) -> bool:
    """Return whether the status may be another one a moment later."""
    return status >= 500 or status in (408, 429)
