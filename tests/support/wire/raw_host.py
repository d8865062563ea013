"""A host on loopback that answers with bytes of any kind, and keeps what it was asked.

`tests.support.inward` answers by path; here each connection is a conversation.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

MEGABYTE = 1024 * 1024
Conversation: TypeAlias = Callable[
    [asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]
]
"""Answers one request, whose head has been read."""


class RawHost:
    """Gives its answers on each connection in turn, one for each request."""

    def __init__(self, *answers: bytes | Conversation, reads: bool = True) -> None:
        self._answers = answers
        self._reads = reads
        """Whether it takes the body of a request."""
        self.connections = 0
        self.asked: list[str] = []
        """Each request as it came."""
        self.port = 0

    @property
    def url(self) -> str:
        """Return its address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def listening(
        self, encrypted: ssl.SSLContext | None = None
    ) -> AsyncIterator[RawHost]:
        """Listen on loopback, at a port of its own."""
        server = await asyncio.start_server(
            self._meet, "127.0.0.1", 0, ssl=encrypted, limit=MEGABYTE
        )
        async with server:
            self.port = server.sockets[0].getsockname()[1]
            yield self

    async def _meet(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        try:
            for each in self._answers:
                await self._receive(reader)
                if callable(each):
                    await each(reader, writer)
                else:
                    writer.write(each)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = head.lower().partition("content-length: ")[2].partition("\r")[0]
        body = await reader.readexactly(int(length or 0) if self._reads else 0)
        self.asked.append(head + body.decode("latin-1"))


def answer(body: bytes | str, *head: str, status: str = "200 OK") -> bytes:
    """Return an answer that says its length."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *head, "", ""]
    return "\r\n".join(lines).encode() + content
