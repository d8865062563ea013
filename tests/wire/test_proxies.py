"""What a proxy hears of a token: nothing, whatever the environment names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cmsmig.errors import SettingsError, UnreachableError
from cmsmig.wire.answers import Request
from cmsmig.wire.session import Session

TOKEN = "hush-hush-hush"


@asynccontextmanager
async def hearing(host: str = "127.0.0.1") -> AsyncIterator[tuple[int, list[bytes]]]:
    """Listen and keep every byte of each request's head."""
    heard: list[bytes] = []

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(meet, host, 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heard


def asking() -> Session:
    """Return a session over real sockets that never waits."""

    async def at_once(seconds: float) -> None:
        pass

    return Session(
        "origin",
        authorization=f"Bearer {TOKEN}",
        budget=None,
        in_flight=1,
        sleep=at_once,
    )


@pytest.fixture(params=["http_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def by_proxy(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Name a proxy in the environment, in one of the ways there are."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

    def name(port: int) -> None:
        monkeypatch.setenv(request.param, f"http://127.0.0.1:{port}")

    return name


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_loopback_needs_no_proxy(by_proxy: Any, host: str) -> None:
    """A token for this machine stays on it."""
    async with hearing() as (proxy, told), hearing() as (port, asked):
        by_proxy(proxy)
        async with asking() as session:
            answer = await session.send(Request("GET", f"http://{host}:{port}/v2"))
    assert answer.status == 200
    assert len(asked) == 1
    assert told == []


async def test_all_of_loopback_needs_no_proxy(by_proxy: Any) -> None:
    """Not only its first address."""
    async with hearing() as (proxy, told):
        by_proxy(proxy)
        async with asking() as session:
            with pytest.raises(UnreachableError):
                await session.send(Request("GET", "http://127.9.9.9:9/v2"))
    assert told == []


@pytest.mark.parametrize("host", ["api.test", "nas", "10.0.0.9", "134744072"])
@pytest.mark.parametrize("by_proxy", ["http_proxy", "ALL_PROXY"], indirect=True)
async def test_no_token_goes_to_a_proxy_in_the_clear(by_proxy: Any, host: str) -> None:
    """Plain http to another host is refused before anybody hears of it."""
    async with hearing() as (proxy, told):
        by_proxy(proxy)
        async with asking() as session:
            with pytest.raises(SettingsError, match="in the clear"):
                await session.send(Request("GET", f"http://{host}/v2"))
    assert told == []


@pytest.mark.parametrize("by_proxy", ["https_proxy", "ALL_PROXY"], indirect=True)
async def test_a_proxy_hears_where_to_connect_and_no_more(by_proxy: Any) -> None:
    """Behind it the connection is encrypted: the token is inside."""
    async with hearing() as (proxy, told):
        by_proxy(proxy)
        async with asking() as session:
            with pytest.raises(UnreachableError):
                await session.send(Request("GET", "https://127.0.0.1.nip.test/v2"))
    assert told
    assert all(head.startswith(b"CONNECT ") for head in told)
    assert not any(TOKEN.encode() in head for head in told)
