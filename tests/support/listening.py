"""Listeners that count who comes, and a resolver that leads inward."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.support.inward import NAMES

Answering = Callable[[str], bytes]
"""From the path that is asked for to the whole answer."""


@dataclass
class Listener:
    """One port on this machine, with what was asked of it."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    connections: int = 0


@asynccontextmanager
async def listening(answer: Answering) -> AsyncIterator[Listener]:
    """Listen on one port, on every loopback address that this machine has."""
    seen = Listener()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            seen.asked.append(head.split(" ")[1])
            writer.write(answer(seen.asked[-1]))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    first = await asyncio.start_server(meet, "127.0.0.1", 0)
    seen.port = first.sockets[0].getsockname()[1]
    others = [await _also_on(meet, host, seen.port) for host in ("127.0.0.2", "::1")]
    try:
        yield seen
    finally:
        for server in (first, *others):
            if server is not None:
                server.close()
                await server.wait_closed()


async def _also_on(meet: object, host: str, port: int) -> asyncio.Server | None:
    try:
        return await asyncio.start_server(meet, host, port)  # type: ignore[arg-type]
    except OSError:  # A machine without this address cannot be asked there.
        return None


def refused(path: str) -> bytes:
    """Answer as a service that should never be met."""
    return b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"


async def resolve_inward(host: str, port: int) -> tuple[str, ...]:
    """Resolve the names of `inward`, and numbers as the system reads them.

    No name is looked up: a test asks no name server.
    """
    if host in NAMES:
        return NAMES[host]
    if "localhost" in host.lower():
        return ("127.0.0.1",)
    found = socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)
    return tuple(str(entry[4][0]) for entry in found)
