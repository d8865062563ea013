"""A sandbox without sockets: requests of this process are answered in this process.

What is above the connections is the project's own: budgets, retries, readings.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncIterator, Iterator, MutableMapping
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import httpx

from cmsmig.sandbox.http.asgi import Call, Exchange, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SandboxHandle
from cmsmig.sandbox.services import Sandbox, build

ORIGIN, DESTINATION = "http://127.0.0.1:41", "http://127.0.0.1:42"
TICK = 0.25
"""Seconds that the sandbox's clock goes on each time it is looked at: no two writes
have one change date, and no window of requests is ever full."""
_BEGIN = 1_780_000_000.0


def ticking() -> Iterator[float]:
    """Yield the moments of the sandbox's clock."""
    return (_BEGIN + number * TICK for number in count())


def build_sandbox(options: SandboxOptions) -> SandboxHandle:
    """Return a sandbox that nobody can reach but by `answered_here`."""
    assert options.content is not None
    sandbox = build(options, options.content, ORIGIN, DESTINATION)
    return SandboxHandle(sandbox.announcement, sandbox)


@contextmanager
def answered_here(sandbox: Sandbox) -> Iterator[None]:
    """Answer the requests of this process by the sandbox, while the body runs."""
    services = {41: sandbox.origin, 42: sandbox.destination}

    def connections(*_: object, **__: object) -> _InProcess:
        return _InProcess(services)

    policy = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(_Policy())
    try:
        with mock.patch("cmsmig.wire.http_library.Connections", connections):
            yield
    finally:
        asyncio.set_event_loop_policy(policy)


class _InProcess(httpx.AsyncBaseTransport):
    """Hands each request to the application that listens at its port."""

    def __init__(self, services: dict[int, Exchange]) -> None:
        self._services = services

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request as the network would."""
        service = self._services[request.url.port or 0]
        sent = await request.aread()
        trace = request.extensions.get("trace")
        if trace is not None:
            await trace("http11.send_request_body.complete", {})
        heard: list[MutableMapping[str, Any]] = []
        broken: list[str] = []
        await service(_scope(request, broken), _receiving(sent), _sending(heard))
        whole = heard and not heard[-1].get("more_body", False)
        if not heard:
            raise httpx.ReadError("The connection broke.")
        body = b"".join(each.get("body", b"") for each in heard)
        return httpx.Response(
            heard[0]["status"],
            headers=heard[0]["headers"],
            stream=_Body(body, whole=bool(whole) and not broken),
        )


class _Body(httpx.AsyncByteStream):
    def __init__(self, body: bytes, *, whole: bool) -> None:
        self._body, self._whole = body, whole

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body
        if not self._whole:
            raise httpx.RemoteProtocolError("The connection broke.")


def _scope(request: httpx.Request, broken: list[str]) -> dict[str, Any]:
    ends = {end: lambda end=end: broken.append(end) for end in ("close", "abort")}
    path, _, query = request.url.raw_path.partition(b"?")
    return {
        "type": "http",
        "method": request.method,
        "path": request.url.path,
        "raw_path": path,
        "query_string": query,
        "headers": [(k.lower(), v) for k, v in request.headers.raw],
        "state": ends,
    }


def _receiving(sent: bytes) -> Any:
    messages = iter(({"type": "http.request", "body": sent},))

    async def receive() -> MutableMapping[str, Any]:
        return next(messages, {"type": "http.disconnect"})

    return receive


def _sending(heard: list[MutableMapping[str, Any]]) -> Any:
    async def send(message: MutableMapping[str, Any]) -> None:
        heard.append(message)

    return send


class _Policy(asyncio.DefaultEventLoopPolicy):
    """Makes event loops that do not wait: pauses are passed over."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Return a loop whose time goes on when nothing else does."""
        return _Hurried()


class _Hurried(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._passed = 0.0
        self._waits = _Selector(self)
        super().__init__(self._waits)

    def time(self) -> float:
        """Return the time with all pauses that were passed over."""
        return super().time() + self._passed

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self._passed += seconds


class _Selector(selectors.DefaultSelector):
    """Waits a moment at most; the rest is passed over."""

    def __init__(self, loop: _Hurried) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if not timeout:
            return super().select(timeout)
        found = super().select(min(timeout, 0.0002))
        if not found:
            self._loop.pass_by(timeout)
        return found


def call_here(sandbox: Sandbox, method: str, path: str, body: bytes = b"") -> Reply:
    """Ask the management API at once, outside of every fault and history."""
    told = sandbox.announcement
    address, _, query = path.partition("?")
    whole = f"/v1/spaces/{told['space_id']}{address}"
    pairs = tuple(tuple(each.split("=", 1)) for each in query.split("&") if each)
    headers = {"authorization": told["destination_token"]}
    call = Call(0, method, whole, whole, pairs, headers, body)  # type: ignore[arg-type]
    answering = sandbox.api.answer(call)
    try:
        answering.send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    raise AssertionError("The sandbox waits for something.")
