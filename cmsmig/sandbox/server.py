"""The sandbox as two HTTP servers on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from cmsmig.errors import SettingsError
from cmsmig.sandbox.http.asgi import Exchange
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.services import Sandbox, build

__all__ = [
    "SandboxHandle",
    "SandboxOptions",
    "environment_file_text",
    "running_sandbox",
    "serve",
]

SAMPLE = Path(__file__).with_name("sample")
"""The content folder of the sample site: an invented magazine with a small shop. Like
most sites it has no localization; its template pages say where its collections are. It
holds every field type, publication state and rich text structure that is publicly known
of the origin, and every way in which references go wrong."""
_HOST = "127.0.0.1"
_VARIABLES = {
    "CMSMIG_ORIGIN_API_URL": "origin_api_url",
    "CMSMIG_ORIGIN_TOKEN": "origin_token",
    "CMSMIG_DESTINATION_BASE_URL": "base_url",
    "CMSMIG_DESTINATION_TOKEN": "destination_token",
    "CMSMIG_SPACE_ID": "space_id",
}


@dataclass(frozen=True, slots=True)
class SandboxHandle:
    """A sandbox that runs in another thread."""

    announcement: Mapping[str, str]
    state: Sandbox
    """For assertions, between requests."""


def environment_file_text(announcement: Mapping[str, str], rate: int = 6) -> str:
    """Return the lines of an environment file that points at the sandbox.

    `rate` is the sandbox's management rate per second.
    """
    lines = [f"{name}={announcement[key]}" for name, key in _VARIABLES.items()]
    return "\n".join([*lines, f"CMSMIG_DESTINATION_RATE={rate}", ""])


async def serve(
    options: SandboxOptions,
    *,
    announce: Callable[[dict[str, str]], None],
    stop: asyncio.Event,
) -> None:
    """Serve both services on loopback until `stop` is set.

    `announce` is called once, when both servers answer. Raises `CacheError` for
    a damaged content folder and `SettingsError` for a port that is taken.
    """
    await _serve(options, lambda sandbox: announce(dict(sandbox.announcement)), stop)


@contextmanager
def running_sandbox(options: SandboxOptions | None = None) -> Iterator[SandboxHandle]:
    """Run a sandbox in a thread of its own while the block runs."""
    started: Future[tuple[Sandbox, Callable[[], object]]] = Future()

    async def serving() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()

        def announce(sandbox: Sandbox) -> None:
            started.set_result((sandbox, lambda: loop.call_soon_threadsafe(stop.set)))

        await _serve(options or SandboxOptions(), announce, stop)

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
        try:
            yield SandboxHandle(sandbox.announcement, sandbox)
        finally:
            end()
    finally:
        thread.join()


async def _serve(
    options: SandboxOptions, announce: Callable[[Sandbox], None], stop: asyncio.Event
) -> None:
    ports = options.origin_port, options.destination_port
    with _bound(ports[0]) as first, _bound(ports[1]) as second:
        content = options.content or SAMPLE
        sandbox = build(options, content, _address(first), _address(second))
        if sandbox.kept is not None:
            await sandbox.kept.restore(sandbox.api, sandbox.recorder)
        try:
            await _run_both(sandbox, first, second, announce, stop)
        finally:
            if sandbox.kept is not None:
                sandbox.kept.close()


async def _run_both(
    sandbox: Sandbox,
    first: socket.socket,
    second: socket.socket,
    announce: Callable[[Sandbox], None],
    stop: asyncio.Event,
) -> None:
    servers = [_server(sandbox.origin), _server(sandbox.destination)]
    pairs = zip(servers, (first, second), strict=True)
    running = [asyncio.create_task(s.serve(sockets=[sock])) for s, sock in pairs]
    try:
        while not all(server.started for server in servers):
            if any(task.done() for task in running):
                raise SettingsError("The sandbox could not start its servers.")
            await asyncio.sleep(0.005)
        announce(sandbox)
        await stop.wait()
    finally:
        for server in servers:
            server.should_exit = True
        await asyncio.gather(*running)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the caller, who sets `stop`."""
        yield


class _Gathered:
    """A connection that sends an answer's head and body together."""

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send soon, with what is written meanwhile."""
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(data)

    def close(self) -> None:
        """Send what is left, then close."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)


class _Protocol(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """The server's own reader of requests: httptools, where it is installed."""

    app_state: dict[str, object]
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Let the application hang up, as a network does."""
        super().connection_made(_Gathered(transport, self.loop))
        ends = {"close": self.transport.close, "abort": transport.abort}
        self.app_state = {**self.app_state, **ends}


def _server(application: Exchange) -> _Server:
    return _Server(
        uvicorn.Config(
            application,
            loop="asyncio",
            http=_Protocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
        )
    )


def _bound(port: int) -> socket.socket:
    # Without the protocol's number asyncio leaves Nagle's algorithm on, and each
    # answer waits 40 ms for an acknowledgement.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((_HOST, port))
    except OSError as error:
        bound.close()
        message = f"Port {port} cannot be used; choose another or leave it out."
        raise SettingsError(message) from error
    return bound


def _address(bound: socket.socket) -> str:
    return f"http://{_HOST}:{bound.getsockname()[1]}"
