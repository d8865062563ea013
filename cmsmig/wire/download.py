"""Downloads of other people's files: public addresses only, never too much."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from socket import gaierror
from typing import BinaryIO
from urllib.parse import urljoin

from cmsmig.errors import FieldProblem, UnreachableError
from cmsmig.events import Observer, RequestRetried
from cmsmig.wire.addresses import (
    Refusal,
    Resolver,
    Target,
    reachable,
    refuse,
    target,
)
from cmsmig.wire.answers import bare, path_of, whole_number
from cmsmig.wire.bounds import FILE_PIECE, Gauge, TooSlowError, held_to
from cmsmig.wire.failures import Outage, delay_before
from cmsmig.wire.http_library import (
    TRANSFER_TRIES,
    BrokenTransferError,
    Client,
    Stream,
)

_FILES = "files"
_HOPS = 6
_REDIRECTS = (301, 302, 303, 307, 308)


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
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of the last hop, keys in lower case."""


@dataclass(frozen=True, slots=True)
class Download:
    """One download; every hop's address is checked before it is asked for."""

    url: str
    max_bytes: int
    allow_private: bool
    """Whether the host of `url` itself may be a private one, at its port."""
    into: BinaryIO | None
    client: Client
    resolve: Resolver | None
    sleep: Callable[[float], Awaitable[object]]
    random: Callable[[], float]
    timeout: float
    """Seconds for the whole, all hops, bytes and tries included."""
    headers: Mapping[str, str]
    """Sent with each hop, in addition to the usual ones."""
    follow: bool
    """Whether a redirect is followed; else it is the outcome."""
    outage: Outage
    observer: Observer
    """Is shown each pause while the host is away."""
    method: str = "GET"
    """Or HEAD, to know only whether it is there."""

    async def run(self) -> Fetched:
        """Return the outcome; raises `RejectedError` and `UnreachableError`.

        A transfer that is cut begins again.
        """
        attempt, waited, away = 1, 0, 0.0
        began = asyncio.get_running_loop().time()
        while True:
            copy = _Copy(self.into, self.max_bytes)
            left = began + self.timeout - asyncio.get_running_loop().time()
            fetched, broken = await self._try(copy, left)
            if fetched is not None:
                self.outage.over(self.url)
            if fetched is not None and not _passing(fetched.status):
                return fetched
            is_away = broken is not None and not broken.sent
            waits = is_away and self.outage.is_waited_for(self.url, away)
            waited += waits
            counted = attempt if is_away else attempt - waited
            if not waits and counted >= (broken.tries if broken else TRANSFER_TRIES):
                if fetched is not None:
                    return fetched
                raise self._unreachable(broken)
            attempt += 1
            asked = (
                whole_number(fetched.headers.get("retry-after", "")) if fetched else 0
            )
            delay = delay_before(attempt, self.random, asked)
            if waits:
                path, reason = path_of(self.url), str(broken)
                self.observer(RequestRetried(_FILES, "GET", path, reason, delay))
            await self.sleep(delay)
            away = away + delay if is_away else 0.0
            if waits:
                began = asyncio.get_running_loop().time()

    async def _try(
        self, copy: _Copy, seconds: float
    ) -> tuple[Fetched | None, BrokenTransferError | None]:
        try:
            async with held_to(seconds, FILE_PIECE) as gauge:
                gauge.begin()
                return await self._follow(copy, gauge), None
        except BrokenTransferError as error:
            return None, error
        except TooSlowError as error:
            if not error.at_deadline:
                return None, BrokenTransferError(str(error), timed_out=True)
            whole = f"it took longer than {self.timeout:g} seconds"
            return None, BrokenTransferError(whole, timed_out=True, tries=1)
        except OSError as error:
            if copy.failed:
                raise
            why = error.strerror or str(error)
            return None, BrokenTransferError(why, sent=not isinstance(error, gaierror))

    async def _follow(self, copy: _Copy, gauge: Gauge) -> Fetched:
        aim = target(self.url)
        allowed = (aim.host, aim.port) if self.allow_private else None
        for _ in range(_HOPS):
            places = await reachable(aim, allowed=allowed, resolve=self.resolve)
            async with self.client.stream(
                aim, places, self.headers, self.method
            ) as stream:
                onward = stream.headers.get("location")
                led_on = self.follow and stream.status in _REDIRECTS
                if not led_on or not onward:
                    return await self._take(aim, stream, copy, gauge)
            aim = _next(aim, onward)
        raise refuse(
            Refusal.REDIRECTS,
            self.url,
            f"{bare(self.url)} redirects without end; correct it in the origin.",
        )

    async def _take(
        self, aim: Target, stream: Stream, copy: _Copy, gauge: Gauge
    ) -> Fetched:
        kind = stream.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not 200 <= stream.status < 300:
            return Fetched(stream.status, kind, 0, "", stream.headers)
        announced = whole_number(stream.headers.get("content-length", ""))
        encoded = stream.headers.get("content-encoding", "identity") != "identity"
        if announced is not None and not encoded:
            copy.check(announced, aim)
        async for chunk in stream.chunks():
            gauge.take(len(chunk))
            copy.check(copy.size + len(chunk), aim)
            copy.add(chunk)
        digest = copy.digest()
        return Fetched(stream.status, kind, copy.size, digest, stream.headers)

    def _unreachable(self, broken: BrokenTransferError | None) -> UnreachableError:
        code = "timeout" if broken and broken.timed_out else "unreachable"
        reason = str(broken or "its host does not answer")
        return UnreachableError(
            f"The file {bare(self.url)} cannot be downloaded ({reason}); check it in a"
            " browser, then run again.",
            service=_FILES,
            method="GET",
            url=bare(self.url),
            problems=(FieldProblem(code, reason),),
        )


class _Copy:
    """Counts and hashes what comes, and writes it to the start of a file."""

    def __init__(self, into: BinaryIO | None, max_bytes: int) -> None:
        self._into = into
        if into is not None:
            into.seek(0)
            into.truncate()
        self._max_bytes = max_bytes
        self._hash = hashlib.sha256()
        self.size = 0
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
            if self._into is not None:
                self._into.write(chunk)
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
