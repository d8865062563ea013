"""Connections that are kept between requests; httpcore sends and receives over them.

The library's own pool takes what a host says beyond an answer for the next answer, and
up to twice the processor time for a request.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import httpcore
import httpx

from cmsmig.wire.line import connect

_Place: TypeAlias = tuple[str, str, int]
"""Scheme, host and port."""


class Connections(httpx.AsyncBaseTransport):
    """Sends each request over a connection of its own, kept for the next one.

    A request goes out once: one that fails is the caller's to repeat. Its extension
    `addresses` names the numeric addresses that its host may have.
    """

    def __init__(self, certificates: ssl.SSLContext, *, idle_seconds: float) -> None:
        self._certificates = certificates
        self._idle_seconds = idle_seconds
        self._idle: dict[_Place, list[_Connection]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer, whose body is still to be read."""
        place = _place_of(request)
        idle = self._idle.setdefault(place, [])
        url = httpcore.URL(
            scheme=place[0], host=place[1], port=place[2], target=request.url.raw_path
        )
        with _translated():
            talk = await _usable(idle) or await self._begin(place, url.origin, request)
            try:
                answer = await talk.handle_async_request(
                    httpcore.Request(
                        request.method,
                        url,
                        headers=request.headers.raw,
                        content=request.stream,
                        extensions=request.extensions,
                    )
                )
            except BaseException:
                # The library does so only once it has begun to send.
                await talk.aclose()
                raise
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer, talk, idle),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close the idle connections."""
        kept, self._idle = self._idle, {}
        for each in (each for idle in kept.values() for each in idle):
            await each.aclose()

    async def _begin(
        self, place: _Place, origin: httpcore.Origin, request: httpx.Request
    ) -> _Connection:
        scheme, host, port = place
        seconds = request.extensions.get("timeout", {}).get("connect")
        if scheme == "https":
            self._certificates.set_alpn_protocols(["http/1.1"])
        line = await connect(
            host,
            port,
            request.extensions.get("addresses") or (),
            certificates=self._certificates if scheme == "https" else None,
            seconds=seconds,
        )
        return _Connection(origin, line, self._idle_seconds)


class _Connection(httpcore.AsyncHTTP11Connection):
    def has_expired(self) -> bool:
        """Return whether it must not be used again.

        It rested for long, the host hung up, or said more than it was asked for.
        """
        return super().has_expired() or bool(self._h11_state.trailing_data[0])


class _Body(httpx.AsyncByteStream):
    """The body of an answer; its end makes the connection free for the next request."""

    def __init__(
        self, answer: httpcore.Response, talk: _Connection, idle: list[_Connection]
    ) -> None:
        self._answer = answer
        self._talk = talk
        self._idle = idle

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translated():
            async for chunk in self._answer.aiter_stream():
                yield chunk

    async def aclose(self) -> None:
        """End the answer, read to its end or not."""
        try:
            await self._answer.aclose()
        except BaseException:
            # The library waits for a lock first: a cancelled caller would leave the
            # connection open.
            await self._talk.aclose()
            raise
        if self._talk.is_idle():
            self._idle.append(self._talk)


async def _usable(idle: list[_Connection]) -> _Connection | None:
    """Return the connection that was used last and end those that are of no use."""
    while idle:
        talk = idle.pop()
        if not talk.has_expired():
            return talk
        await talk.aclose()
    return None


@contextmanager
def _translated() -> Iterator[None]:
    """Raise httpcore's errors as those of httpx, which have the same names."""
    try:
        yield
    except (
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.TimeoutException,
    ) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


def _place_of(request: httpx.Request) -> _Place:
    """Return where a request goes; raises `httpx.UnsupportedProtocol`."""
    url = request.url
    if url.scheme not in ("http", "https"):
        missing = "is missing an 'http://' or 'https://' protocol."
        other = f"has an unsupported protocol '{url.scheme}://'."
        raise httpx.UnsupportedProtocol(
            f"Request URL {other if url.scheme else missing}"
        )
    host = url.raw_host.decode("ascii")
    port = url.port or (443 if url.scheme == "https" else 80)
    return url.scheme, host, port
