"""Connections that are kept between requests: httpx's pool over checked addresses."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar

import httpcore
import httpx
from httpcore._backends.anyio import AnyIOStream
from httpcore._utils import is_socket_readable

_NEXT_ADDRESS_SECONDS = 2.0
"""After which a host's next address is tried."""
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
        self._pool = _Pool(certificates, idle_seconds)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer, whose body is still to be read."""
        _checked.set(request.extensions.get("addresses") or ())
        return await super().handle_async_request(request)


class _Pool(httpcore.AsyncConnectionPool):
    def __init__(self, certificates: ssl.SSLContext, idle_seconds: float) -> None:
        super().__init__(max_connections=None)
        self._certificates = certificates
        self._idle_seconds = idle_seconds

    def create_connection(
        self, origin: httpcore.Origin
    ) -> httpcore.AsyncConnectionInterface:
        return _Connection(
            origin,
            ssl_context=self._certificates,
            keepalive_expiry=self._idle_seconds,
            network_backend=_Network(),
        )


class _Connection(httpcore.AsyncHTTPConnection):
    def has_expired(self) -> bool:
        """Return whether it must not be used again.

        The library takes what a host says beyond an answer for the next answer.
        """
        talk = self._connection
        said_more = isinstance(talk, httpcore.AsyncHTTP11Connection) and bool(
            talk._h11_state.trailing_data[0]
        )
        return super().has_expired() or said_more


class _Network(httpcore.AnyIOBackend):
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a checked address, one after another, the last without a limit of
        its own."""
        *others, last = _checked.get() or (host,)
        for address in others:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                found = await super().connect_tcp(address, port, _NEXT_ADDRESS_SECONDS)
                return _Stream(found)
        return _Stream(await super().connect_tcp(last, port, timeout))


class _Stream(AnyIOStream):
    """Keeps its socket: at each request the library asks of each connection whether it
    has more to read, and looks its socket up each time."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        assert isinstance(stream, AnyIOStream)
        super().__init__(stream._stream)
        self._socket = super().get_extra_info("socket")

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return the stream within TLS."""
        found = await super().start_tls(ssl_context, server_hostname, timeout)
        return _Stream(found)

    def get_extra_info(self, info: str) -> object:
        """Return what is known of the connection, by name."""
        if info == "is_readable":
            return is_socket_readable(self._socket)
        return super().get_extra_info(info)
