"""One connection to a host: bytes out until the system has them, bytes in as they come.

Errors are the HTTP library's, with the texts that its own connections give them.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections.abc import Callable
from contextlib import suppress
from socket import SOCK_STREAM, gaierror
from typing import TypeAlias, cast

import httpx

_MOST_UNREAD = 128 * 1024
"""Bytes beyond which nothing more is taken from the network until somebody reads."""
_NEXT_ADDRESS_SECONDS = 2.0
"""After which a host's next address is tried."""

_Late: TypeAlias = Callable[[str], httpx.TimeoutException]


class Line(asyncio.Protocol):
    """An open connection with one reader and one writer at a time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._unread: list[bytes] = []
        self._unread_size = 0
        self._paused = False
        self._ended = False
        self._error: Exception | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._flush: asyncio.Future[None] | None = None

    @property
    def usable(self) -> bool:
        """Return whether nothing came while nobody asked: a host that hangs up does
        so by being readable, often before the loop tells of it."""
        if self._ended or self._unread or self._transport is None:
            return False
        return not _readable(self._transport)

    async def write(self, data: bytes, seconds: float | None) -> None:
        """Return once the system has all bytes.

        Raises `httpx.WriteTimeout`, and `httpx.WriteError` when the connection ends.
        """
        if self._ended or self._transport is None:
            raise httpx.WriteError("")
        self._transport.write(data)
        if self._flush is not None:
            await self._within(self._flush, seconds, httpx.WriteTimeout)

    async def read(self, seconds: float | None) -> bytes:
        """Return what came, or nothing at the end.

        Raises `httpx.ReadTimeout`, and `httpx.ReadError` when the connection breaks.
        """
        if not self._unread and not self._ended:
            self._resume()
            self._arrival = self._loop.create_future()
            try:
                await self._within(self._arrival, seconds, httpx.ReadTimeout)
            finally:
                self._arrival = None
        if not self._unread and self._error is not None:
            raise httpx.ReadError("")
        data = b"".join(self._unread)
        self._unread.clear()
        self._unread_size = 0
        return data

    def close(self) -> None:
        """Hang up at once; what was not sent is not sent any more."""
        self._ended = True
        if self._transport is not None:
            self._transport.abort()

    async def _within(
        self, future: asyncio.Future[None], seconds: float | None, late: _Late
    ) -> None:
        if seconds is None:
            await future
            return
        timer = self._loop.call_later(seconds, _fail, future, late)
        try:
            await future
        finally:
            timer.cancel()

    def _resume(self) -> None:
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; no byte is left in a buffer of ours when a write returns."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=0)

    def data_received(self, data: bytes) -> None:
        """Keep bytes for the reader."""
        self._unread.append(data)
        self._unread_size += len(data)
        if self._unread_size > _MOST_UNREAD and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        _settle(self._arrival)

    def eof_received(self) -> None:
        """Take note that the host sends nothing more; the connection is closed."""
        self._ended = True
        _settle(self._arrival)

    def connection_lost(self, error: Exception | None) -> None:
        """Take note that the connection is no more."""
        self._ended, self._error = True, error
        _settle(self._arrival)
        if self._flush is not None and not self._flush.done():
            self._flush.set_exception(httpx.WriteError(""))

    def pause_writing(self) -> None:
        """Take note that the system does not have all bytes yet."""
        self._flush = self._loop.create_future()

    def resume_writing(self) -> None:
        """Take note that it has."""
        _settle(self._flush)
        self._flush = None


async def connect(
    host: str,
    port: int,
    *,
    certificates: ssl.SSLContext | None,
    name: str,
    seconds: float | None,
) -> Line:
    """Return a connection, encrypted if there are `certificates` to check by.

    `name` is what the host's certificate has to name. Raises `httpx.ConnectError`
    and `httpx.ConnectTimeout`.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _connect(host, port, certificates, name)
    except TimeoutError:
        raise httpx.ConnectTimeout("") from None
    except (ssl.SSLError, ssl.CertificateError, gaierror, UnicodeError) as error:
        raise httpx.ConnectError(str(error)) from error
    except OSError as error:
        raise httpx.ConnectError("All connection attempts failed") from error


async def _connect(
    host: str, port: int, certificates: ssl.SSLContext | None, name: str
) -> Line:
    """Try a host's addresses one after another, the last one without a limit.

    Not at once, as the event loop would do it: when the caller is cancelled, it loses
    a connection that is just made.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=SOCK_STREAM)
    *others, last = dict.fromkeys(each[4][0] for each in found)

    async def begin(address: object) -> Line:
        _, line = await loop.create_connection(
            Line,
            str(address),
            port,
            ssl=certificates,
            server_hostname=name if certificates else None,
        )
        return line

    for address in others:
        with suppress(OSError):
            async with asyncio.timeout(_NEXT_ADDRESS_SECONDS):
                return await begin(address)
    return await begin(last)


def _readable(transport: asyncio.Transport) -> bool:
    socket = transport.get_extra_info("socket")
    number = -1 if socket is None else socket.fileno()
    if number < 0:
        return True
    look = select.poll()
    look.register(number, select.POLLIN)
    return bool(look.poll(0))


def _settle(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)


def _fail(future: asyncio.Future[None], late: _Late) -> None:
    if not future.done():
        future.set_exception(late(""))
