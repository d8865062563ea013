"""The sandbox as two HTTP servers on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from cmsmig.errors import SettingsError
from cmsmig.sandbox.http.asgi import Exchange
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.services import Sandbox, build

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


def environment_file_text(announcement: Mapping[str, str], rate: int = 6) -> str:
    """Return the lines of an environment file that points at the sandbox.

    `rate` is the sandbox's management rate per second.
    """
    lines = [f"{name}={announcement[key]}" for name, key in _VARIABLES.items()]
    return "\n".join([*lines, f"CMSMIG_DESTINATION_RATE={rate}", ""])


async def serve(
    options: SandboxOptions,
    *,
    announce: Callable[[Sandbox], None],
    stop: asyncio.Event,
    make: Callable[[SandboxOptions, Path, str, str], Sandbox] = build,
) -> None:
    """Serve both services on loopback until `stop` is set.

    `announce` is called once, when both servers answer. Raises `CacheError` for
    a damaged content folder and `SettingsError` for a port that is taken.
    """
    ports = options.origin_port, options.destination_port
    with _bound(ports[0]) as first, _bound(ports[1]) as second:
        content = options.content or SAMPLE
        sandbox = make(options, content, _address(first), _address(second))
        if sandbox.kept is not None:
            await sandbox.kept.restore(sandbox.api)
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


def _server(application: Exchange) -> _Server:
    return _Server(
        uvicorn.Config(
            application,
            loop="asyncio",
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
