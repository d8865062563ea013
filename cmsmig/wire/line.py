"""One connection to a host: asyncio's streams, as httpcore reads and writes them.

The library's own streams do not read while they write, so that the answer of a host
that refuses a large request early is lost; and a connection whose caller is cancelled
just when it is made is never closed.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from socket import gaierror
from typing import SupportsIndex

import httpcore
import httpx

from cmsmig.wire.addresses import resolve_by_system

_NEXT_ADDRESS_SECONDS = 2.0
"""After which a host's next address is tried."""


class Line(httpcore.AsyncNetworkStream):
    """An open connection with one reader and one writer at a time."""

    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        # No byte is left in a buffer of ours when a write returns.
        writer.transport.set_write_buffer_limits(high=0)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what came, or nothing at the end.

        Raises `httpcore.ReadTimeout`, and `httpcore.ReadError` when the connection
        breaks.
        """
        with _raised_as(httpcore.ReadTimeout, httpcore.ReadError):
            async with asyncio.timeout(timeout):
                return await self._reader.take(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Return once the system has all bytes.

        Raises `httpcore.WriteTimeout`, and `httpcore.WriteError` when the connection
        ends.
        """
        if not buffer:
            return
        with _raised_as(httpcore.WriteTimeout, httpcore.WriteError):
            self._writer.write(buffer)
            async with asyncio.timeout(timeout):
                await self._writer.drain()

    async def aclose(self) -> None:
        """Hang up at once; what was not sent is not sent any more."""
        self._writer.transport.abort()

    def get_extra_info(self, info: str) -> object:
        """Return whether there is something to read: a host that hangs up does so by
        being readable, often before the event loop knows of it."""
        if info != "is_readable":
            return None
        return self._reader.has_something or _readable(self._writer.transport)


class _Reader(asyncio.StreamReader):
    """Returns what came before a connection broke, and only then raises the error."""

    def __init__(self) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self._unread = 0
        self._broken: Exception | None = None

    @property
    def has_something(self) -> bool:
        """Return whether bytes or the end came that `take` has not returned."""
        return self._unread > 0 or self.at_eof()

    async def take(self, most: int) -> bytes:
        """Return what came, or nothing at the end."""
        data = await self.read(most)
        self._unread -= len(data)
        if not data and self._broken is not None:
            raise self._broken
        return data

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        """Keep bytes for the reader."""
        self._unread += len(bytes(data))
        super().feed_data(data)

    def set_exception(self, exc: Exception) -> None:
        """Take note that the connection broke."""
        self._broken = exc
        self.feed_eof()


async def connect(
    host: str,
    port: int,
    addresses: tuple[str, ...],
    *,
    certificates: ssl.SSLContext | None,
    seconds: float | None,
) -> Line:
    """Return a connection, encrypted if there are `certificates` to check by.

    The host is looked up if there are no `addresses`. Raises `httpx.ConnectError` and
    `httpx.ConnectTimeout`.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _connect(host, port, addresses, certificates)
    except TimeoutError:
        raise httpx.ConnectTimeout("") from None
    except (ssl.SSLError, ssl.CertificateError, gaierror) as error:
        raise httpx.ConnectError(str(error)) from error
    except OSError as error:
        raise httpx.ConnectError("All connection attempts failed") from error


async def _connect(
    host: str,
    port: int,
    addresses: tuple[str, ...],
    certificates: ssl.SSLContext | None,
) -> Line:
    """Try a host's addresses one after another, the last one without a limit.

    Not at once, as the event loop would do it: when the caller is cancelled, it loses
    a connection that is just made.
    """
    *others, last = addresses or await resolve_by_system(host, port)
    loop = asyncio.get_running_loop()

    async def begin(address: str) -> Line:
        reader = _Reader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.create_connection(
            lambda: protocol,
            address,
            port,
            ssl=certificates,
            server_hostname=host if certificates else None,
        )
        return Line(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    for address in others:
        with suppress(OSError):
            async with asyncio.timeout(_NEXT_ADDRESS_SECONDS):
                return await begin(address)
    return await begin(last)


@contextmanager
def _raised_as(
    late: type[httpcore.TimeoutException], broken: type[httpcore.NetworkError]
) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise late from None
    except OSError:
        raise broken from None


def _readable(transport: asyncio.WriteTransport) -> bool:
    look = select.poll()
    look.register(transport.get_extra_info("socket").fileno(), select.POLLIN)
    return bool(look.poll(0))
