"""Connections that are kept for the next request, to checked addresses alone."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import cast

import httpcore
import httpx

from cmsmig.wire.addresses import resolve_by_system

_NEXT_ADDRESS_SECONDS = 2.0
"""After which a host's next address is tried."""
_RECEIVED_BYTES = 1 << 18
"""Received and not read yet; with more, the host has to wait."""
_TOGETHER_BYTES = 1 << 16
"""Written bytes that are sent without waiting for more."""
_checked: ContextVar[tuple[str, ...]] = ContextVar("checked", default=())
"""The addresses that the request of this task may connect to; none: those of its
host. The pool connects in the task of the request."""


class Connections(httpx.AsyncHTTPTransport):
    """Sends each request over a connection of its own, kept for the next one.

    A request goes out once: one that fails is the caller's to repeat. Its extension
    `addresses` names the numeric addresses that its host may have.
    """

    def __init__(self, certificates: ssl.SSLContext, *, idle_seconds: float) -> None:
        super().__init__(verify=certificates)
        self._pool = _Pool(certificates, idle_seconds)  # type: ignore[assignment]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer, whose body is still to be read."""
        _checked.set(request.extensions.get("addresses") or ())
        return await super().handle_async_request(request)


class _Pool:
    """Gives each request a connection that no other one uses.

    The library's own pool looks at all connections twice for each request, and waits
    for a turn of the event loop at each of its locks: a third of a request's time.
    """

    def __init__(self, certificates: ssl.SSLContext, idle_seconds: float) -> None:
        certificates.set_alpn_protocols(["http/1.1"])
        self._certificates = certificates
        self._idle_seconds = idle_seconds
        self._open: set[httpcore.AsyncHTTP11Connection] = set()
        self._idle: dict[str, list[httpcore.AsyncHTTP11Connection]] = {}
        """By scheme, host and port; the one that was used last is the last."""

    async def handle_async_request(
        self, request: httpcore.Request
    ) -> httpcore.Response:
        """Send a request over an idle connection, or over a new one."""
        if (scheme := request.url.scheme.decode()) not in ("http", "https"):
            raise httpcore.UnsupportedProtocol(f"{scheme}:// is neither http nor https")
        idle = self._idle.setdefault(str(request.url.origin), [])
        connection = await self._taken_from(idle) or await self._connect(request)
        try:
            response = await connection.handle_async_request(request)
        except BaseException:
            # The library waits before it begins, and leaves it open where that ends.
            await self._close(connection)
            raise
        return httpcore.Response(
            response.status,
            headers=response.headers,
            content=_Content(response, partial(self._keep, connection, idle)),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Hang up, also where a request is on its way."""
        self._idle.clear()
        for connection in [*self._open]:
            await self._close(connection)

    async def _connect(
        self, request: httpcore.Request
    ) -> httpcore.AsyncHTTP11Connection:
        origin = request.url.origin
        timeout = request.extensions.get("timeout", {}).get("connect")
        host = origin.host.decode()
        stream = await _connect_first(host, origin.port, timeout)
        if origin.scheme == b"https":
            await stream.start_tls(self._certificates, host, timeout)
        made = httpcore.AsyncHTTP11Connection(origin, stream, self._idle_seconds)
        self._open.add(made)
        return made

    async def _taken_from(
        self, idle: list[httpcore.AsyncHTTP11Connection]
    ) -> httpcore.AsyncHTTP11Connection | None:
        """Return an idle connection that may be used again; hang up the others."""
        while idle:
            connection = idle.pop()
            # The library takes what a host says beyond an answer for the next answer.
            said_more = connection._h11_state.trailing_data[0]
            if not said_more and not connection.has_expired():
                return connection
            await self._close(connection)
        return None

    async def _keep(
        self,
        connection: httpcore.AsyncHTTP11Connection,
        idle: list[httpcore.AsyncHTTP11Connection],
    ) -> None:
        """Keep a connection whose answer was read to its end."""
        if connection.is_idle():
            idle.append(connection)
        else:
            await self._close(connection)

    async def _close(self, connection: httpcore.AsyncHTTP11Connection) -> None:
        self._open.discard(connection)
        await connection.aclose()


class _Content:
    """The body of an answer; once it is closed, `ended` is called."""

    def __init__(
        self, response: httpcore.Response, ended: Callable[[], Awaitable[None]]
    ) -> None:
        self._response = response
        self._ended = ended

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._response.aiter_stream()

    async def aclose(self) -> None:
        """Read no more of it."""
        try:
            await self._response.aclose()
        finally:
            await self._ended()


async def _connect_first(host: str, port: int, timeout: float | None) -> _Stream:
    """Connect to a checked address, one after another, the last without a limit of its
    own. The library's own streams would ask the system about every kept connection at
    each request."""
    with _translated(httpcore.ConnectTimeout, httpcore.ConnectError):
        async with asyncio.timeout(timeout):
            found = _checked.get() or await resolve_by_system(host, port)
    *others, last = found
    for address in others:
        with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
            return await _connect(address, port, _NEXT_ADDRESS_SECONDS)
    return await _connect(last, port, timeout)


async def _connect(address: str, port: int, timeout: float | None) -> _Stream:
    loop = asyncio.get_running_loop()
    with _translated(httpcore.ConnectTimeout, httpcore.ConnectError):
        async with asyncio.timeout(timeout):
            _, received = await loop.create_connection(_Received, address, port)
    return _Stream(received)


class _Received(asyncio.Protocol):
    """What a host sent and is not read yet."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.data = bytearray()
        self.is_over = False
        """Whether no more comes."""
        self.error: Exception | None = None
        """What the connection broke with."""
        self._waiting: asyncio.Future[None] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()

    def take(self, most: int) -> bytes:
        """Return the next bytes that are here."""
        found = bytes(self.data[:most])
        del self.data[:most]
        if len(self.data) < _RECEIVED_BYTES:
            self.transport.resume_reading()
        return found

    async def wait(self) -> None:
        """Wait until something came, or nothing more comes."""
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    async def drain(self) -> None:
        """Wait until the host has taken most of what was written."""
        if not self._may_write.is_set():
            await self._may_write.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.data += data
        if len(self.data) >= _RECEIVED_BYTES:
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self.is_over = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over, self.error = True, exc
        self._may_write.set()
        self._wake()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, received: _Received) -> None:
        self._received = received
        self._waiting = bytearray()
        """Written and not sent yet: head and body of a request go out in one piece."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the next bytes, none at the end."""
        received = self._received
        await self._send(timeout)
        with _translated(httpcore.ReadTimeout, httpcore.ReadError):
            if not received.data and not received.is_over:
                async with asyncio.timeout(timeout):
                    await received.wait()
            if not received.data and received.error is not None:
                raise received.error
        return received.take(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes with the next ones; an empty buffer is a request's end."""
        self._waiting += buffer
        if not buffer or len(self._waiting) >= _TOGETHER_BYTES:
            await self._send(timeout)

    async def _send(self, timeout: float | None) -> None:
        """Send what waits, and wait while the host takes none."""
        if not self._waiting:
            return
        received, waiting, self._waiting = self._received, self._waiting, bytearray()
        with _translated(httpcore.WriteTimeout, httpcore.WriteError):
            if received.transport.is_closing():
                raise received.error or ConnectionResetError("the host hung up")
            received.transport.write(waiting)
            async with asyncio.timeout(timeout):
                await received.drain()
            if received.error is not None:
                raise received.error

    async def aclose(self) -> None:
        """Hang up at once: the rest of a request that was given up is not sent, and no
        host is waited for to end TLS."""
        self._received.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return the stream within TLS."""
        loop, plain = asyncio.get_running_loop(), self._received.transport
        try:
            with _translated(httpcore.ConnectTimeout, httpcore.ConnectError):
                async with asyncio.timeout(timeout):
                    inner = await loop.start_tls(
                        plain,
                        self._received,
                        ssl_context,
                        server_hostname=server_hostname,
                    )
        except BaseException:
            plain.abort()
            raise
        self._received.connection_made(cast(asyncio.Transport, inner))
        return self

    def get_extra_info(self, info: str) -> object:
        """Return what is known of the connection, by name."""
        if info == "is_readable":
            return self._received.is_over or bool(self._received.data)
        return self._received.transport.get_extra_info(info)


@contextmanager
def _translated(
    late: type[httpcore.TimeoutException], broken: type[httpcore.NetworkError]
) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except OSError as error:
        raise broken(_reason(error)) from error


def _reason(error: OSError) -> str:
    """Return what the system says, without the numbers that asyncio adds."""
    is_of_the_system = not isinstance(error, ssl.SSLError | socket.gaierror)
    return os.strerror(error.errno) if is_of_the_system and error.errno else str(error)
