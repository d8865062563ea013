"""A sandbox that the tests look into: with history, violations and planned faults."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cmsmig.sandbox.http.asgi import (
    Call,
    Exchange,
    Middleware,
    Next,
    Receive,
    Reply,
    Scope,
    Send,
)
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import SAMPLE, serve
from cmsmig.sandbox.services import Sandbox, build
from tests.support.sandbox.control_pages import TestPages
from tests.support.sandbox.history import Recorder
from tests.support.sandbox.injector import FaultInjector
from tests.support.sandbox.replies import BreakingExchange
from tests.support.sandbox.request_subjects import Naming
from tests.support.sandbox.violations import Violations

SERVED: dict[bytes, Exchange] = {}
"""What listens in this process, by host and port."""


@dataclass(frozen=True, kw_only=True)
class ObservedSandbox(Sandbox):
    """A sandbox with what happened to it."""

    recorder: Recorder
    injector: FaultInjector
    naming: Naming


@dataclass(frozen=True, slots=True)
class SandboxHandle:
    """A sandbox that runs in another thread."""

    announcement: Mapping[str, str]
    state: ObservedSandbox
    """For assertions, between requests."""


def build_observed(
    options: SandboxOptions, content: Path, origin: str, destination: str
) -> ObservedSandbox:
    """Return both services, observed; the addresses are those of the two ports."""
    plain = build(options, content, origin, destination)
    recorder, injector = Recorder(options.clock), FaultInjector()
    naming = Naming(plain.origin_api, plain.api)
    pages = TestPages(plain, recorder, injector, naming.routes)

    def around(exchange: Exchange, *, at_origin: bool) -> tuple[Middleware, ...]:
        own = len(options.middleware)
        given, rest = exchange.middleware[:own], exchange.middleware[own:]
        faults = _dialled(injector, naming, at_origin=at_origin)
        return (recorder, *given, faults, *rest)

    parts = {each.name: getattr(plain, each.name) for each in fields(Sandbox)}
    first, second = plain.origin, plain.destination
    violations = Violations(plain.space, recorder.violated)
    parts |= {
        "origin": BreakingExchange(
            first.choose, first.control, around(first, at_origin=True)
        ),
        "destination": BreakingExchange(
            second.choose,
            pages.around(second.control),
            (*around(second, at_origin=False), violations),
        ),
    }
    return ObservedSandbox(**parts, recorder=recorder, injector=injector, naming=naming)


def _dialled(injector: FaultInjector, naming: Naming, *, at_origin: bool) -> Middleware:
    async def through(call: Call, answer: Next) -> Reply:
        return await injector.answer(call, naming.of(call, at_origin=at_origin), answer)

    return through


Make = Callable[[SandboxOptions, Path, str, str], ObservedSandbox]
Show = Callable[[SandboxOptions], SandboxHandle]


@contextmanager
def running_sandbox(
    options: SandboxOptions | None = None, make: Make = build_observed
) -> Iterator[SandboxHandle]:
    """Run a sandbox in a thread of its own while the block runs."""
    started: Future[tuple[Any, Callable[[], object]]] = Future()

    async def serving() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()

        def announce(sandbox: Sandbox) -> None:
            started.set_result((sandbox, lambda: loop.call_soon_threadsafe(stop.set)))

        chosen = options or SandboxOptions()
        await serve(chosen, announce=announce, stop=stop, make=make)

    def run() -> None:
        try:
            asyncio.run(serving())
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=run, name="sandbox", daemon=True)
    thread.start()
    try:
        sandbox, end = started.result()
        served = {
            _netloc(sandbox.announcement["origin_api_url"]): sandbox.origin,
            _netloc(sandbox.announcement["base_url"]): sandbox.destination,
        }
        SERVED.update(served)
        try:
            yield SandboxHandle(sandbox.announcement, sandbox)
        finally:
            for each in served:
                del SERVED[each]
            end()
    finally:
        thread.join()


@contextmanager
def running_addresses() -> Iterator[Show]:
    """Run two servers while the block runs; they answer for the last sandbox that was
    shown, so that all of them have the same addresses."""
    shown: list[ObservedSandbox] = []

    def make(*parts: Any) -> ObservedSandbox:
        shown.append(build_observed(*parts))

        async def origin(scope: Scope, receive: Receive, send: Send) -> None:
            await shown[-1].origin(scope, receive, send)

        async def destination(scope: Scope, receive: Receive, send: Send) -> None:
            await shown[-1].destination(scope, receive, send)

        return replace(shown[-1], origin=origin, destination=destination)

    with running_sandbox(make=make) as first:
        served = first.announcement
        addresses = served["origin_api_url"], served["base_url"].removesuffix("/v1")

        def show(options: SandboxOptions) -> SandboxHandle:
            content = options.content or SAMPLE
            shown[:] = [build_observed(options, content, *addresses)]
            return SandboxHandle(shown[0].announcement, shown[0])

        yield show


def _netloc(address: str) -> bytes:
    return urlsplit(address).netloc.encode()
