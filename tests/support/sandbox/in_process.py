"""Answers of a sandbox without sockets: to requests of this process, in this process.

What is above the connections is the project's own: budgets, retries, readings.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import httpx

from cmsmig.sandbox.http.asgi import Exchange
from cmsmig.wire.connections import Connections
from tests.support.sandbox.observed import SERVED

_LATENCY = 0.01
"""Seconds that a request or an answer takes at most, where they overtake each other."""


@dataclass
class Network:
    """How requests and answers travel."""

    drawn: random.Random | None = None
    """Draws how long each takes; None: no time, in the order in which they are sent."""
    read: Callable[[], None] = lambda: None
    """Is called when a client has read an answer to its end."""

    async def travel(self) -> None:
        """Let a request or an answer arrive."""
        if self.drawn is not None:
            await asyncio.sleep(self.drawn.random() * _LATENCY)


class DirectConnections(Connections):
    """Hands a request to the running sandbox that it is for, without its server; any
    other goes out."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request as the network would; raises what httpx raises."""
        service = SERVED.get(request.url.netloc)
        if service is None:
            return await super().handle_async_request(request)
        return await answer_of(service, request, Network())


async def answer_of(
    service: Exchange, request: httpx.Request, network: Network
) -> httpx.Response:
    """Return a service's answer; raises what the HTTP library raises.

    A service that takes longer than the request's timeout continues.
    """
    answering = asyncio.ensure_future(_answer(service, request, network))
    patience = request.extensions["timeout"]["read"]
    await asyncio.wait((answering,), timeout=patience)
    if not answering.done():
        raise httpx.ReadTimeout("The answer is late.")
    return answering.result()


async def _answer(
    service: Exchange, request: httpx.Request, network: Network
) -> httpx.Response:
    assert isinstance(request.stream, httpx.AsyncByteStream)
    sent = b"".join([piece async for piece in request.stream])
    await network.travel()
    messages: list[MutableMapping[str, Any]] = []
    asked = _Asked(sent)
    await service(_scope(request), asked.receive, _sending(messages))
    await network.travel()
    if not messages:
        raise httpx.ReadError("The connection broke.")
    whole = not messages[-1].get("more_body", False)
    body = b"".join(each.get("body", b"") for each in messages)
    return httpx.Response(
        messages[0]["status"],
        headers=messages[0]["headers"],
        stream=_Body(body, network.read, whole=whole),
    )


class _Body(httpx.AsyncByteStream):
    def __init__(self, body: bytes, read: Callable[[], None], *, whole: bool) -> None:
        self._body, self._read, self._whole = body, read, whole

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body
        if not self._whole:
            raise httpx.RemoteProtocolError("The connection broke.")
        self._read()


def _scope(request: httpx.Request) -> dict[str, Any]:
    path, _, query = request.url.raw_path.partition(b"?")
    return {
        "type": "http",
        "method": request.method,
        "path": request.url.path,
        "raw_path": path,
        "query_string": query,
        "headers": [(k.lower(), v) for k, v in request.headers.raw],
    }


class _Asked:
    """A request that was received, and its connection."""

    def __init__(self, sent: bytes) -> None:
        self._messages = iter(({"type": "http.request", "body": sent},))
        self.transport = self

    def close(self) -> None:
        """Break the connection: who was asked says no more."""

    abort = close

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the request, then that the client is gone."""
        return next(self._messages, {"type": "http.disconnect"})


def _sending(messages: list[MutableMapping[str, Any]]) -> Any:
    async def send(message: MutableMapping[str, Any]) -> None:
        messages.append(message)

    return send
