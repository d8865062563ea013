"""A sandbox without sockets: requests of this process are answered in this process.

What is above the connections is the project's own: budgets, retries, readings.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any
from unittest import mock

import httpx

from cmsmig.sandbox.http.asgi import Call, Exchange, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.services import Sandbox
from cmsmig.wire.budget import Budget
from tests.support.sandbox.in_process import Network, answer_of
from tests.support.sandbox.observed import SandboxHandle, build_observed

HOST = "127.0.0.1"
ORIGIN, DESTINATION = f"http://{HOST}:41", f"http://{HOST}:42"
TICK = 0.25
"""Seconds by which the sandbox's clock advances each time it is read: no two writes
have one change date, and no window of requests is ever full."""
_BEGIN = 1_780_000_000.0


@dataclass
class Time:
    """Real time, further on by the pauses that were passed over."""

    passed: float = 0.0

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic() + self.passed

    def wall(self) -> float:
        """Return seconds since 1970."""
        return time.time() + self.passed


TIME = Time()


def ticking() -> Iterator[float]:
    """Yield the moments of the sandbox's clock."""
    return (_BEGIN + number * TICK for number in count())


def build_sandbox(options: SandboxOptions) -> SandboxHandle:
    """Return a sandbox that only `answered_here` reaches."""
    assert options.content is not None
    sandbox = build_observed(options, options.content, ORIGIN, DESTINATION)
    return SandboxHandle(sandbox.announcement, sandbox)


@contextmanager
def answered_here(sandbox: Sandbox, network: Network | None = None) -> Iterator[None]:
    """Answer the requests of this process by the sandbox, while the body runs."""
    services = {41: sandbox.origin, 42: sandbox.destination}

    def connections(*_: object, **__: object) -> _InProcess:
        return _InProcess(services, network or Network())

    policy = asyncio.get_event_loop_policy()
    asyncio.set_event_loop_policy(_Policy())
    budget_defaults = Budget.__init__.__kwdefaults__ or {}
    try:
        with (
            mock.patch("cmsmig.wire.http_library.Connections", connections),
            mock.patch.dict(budget_defaults, clock=TIME.monotonic),
        ):
            yield
    finally:
        asyncio.set_event_loop_policy(policy)


class _InProcess(httpx.AsyncBaseTransport):
    """Hands each request to the application that listens at its port."""

    def __init__(self, services: Mapping[int, Exchange], network: Network) -> None:
        self._services = services
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request as the network would; raises what the HTTP library raises.

        A service that takes longer than the request's timeout continues.
        """
        service = self._services.get(request.url.port or 0)
        if service is None or request.url.host != HOST:
            raise httpx.ConnectError("No service listens there.")
        return await answer_of(service, request, self._network)


class _Policy(asyncio.DefaultEventLoopPolicy):
    """Makes event loops that do not wait: pauses are passed over."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Return a loop whose time advances when nothing else happens."""
        return _Hurried()


class _Hurried(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__(_Selector())

    def time(self) -> float:
        """Return the time with all pauses that were passed over."""
        return TIME.monotonic()


class _Selector(selectors.DefaultSelector):
    """Waits a moment at most; the rest is passed over."""

    def select(self, timeout: float | None = None) -> Any:
        if not timeout:
            return super().select(timeout)
        found = super().select(min(timeout, 0.0002))
        if not found:
            TIME.passed += timeout
        return found


def call_here(sandbox: Sandbox, method: str, path: str, body: bytes = b"") -> Reply:
    """Ask the management API at once, outside of every fault and history."""
    served = sandbox.announcement
    address, _, query = path.partition("?")
    whole = f"/v1/spaces/{served['space_id']}{address}"
    pairs = tuple(tuple(each.split("=", 1)) for each in query.split("&") if each)
    headers = {"authorization": served["destination_token"]}
    call = Call(method, whole, whole, pairs, headers, body)  # type: ignore[arg-type]
    answering = sandbox.api.answer(call)
    try:
        answering.send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    raise AssertionError("The sandbox waits for something.")
